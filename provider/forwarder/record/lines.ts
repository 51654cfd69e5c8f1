import { visible } from "../../model/foreign-text";
import type { Batch } from "../ledger/protocol";
import { EVENT_NUMBER, EVENTS, type KeyMembers, membersOf } from "./rows";

/** Rows of a batch, from the first to the one before `end`. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
}

/** What stands in a line of its own before each record: the record's id stands between the two texts. */
export type LineBefore = readonly [start: string, end: string];

/** A key that is an address and nothing else: as text, in JSON and in a message it is the same. */
const PLAIN_KEY = /^[\w.:]+$/;
/** UTF-8 of one UTF-16 unit. */
const LONGEST_UNIT = 3;
/** A line of an address, with a short rule. */
const USUAL_LINE = 400;

/**
 * Writes rows of a batch of the spool as lines of JSON, `format: plain`. The text of a batch is our own, written by the ledger. This
 * is where a record gets its form: lines are made from the rows at once, since objects and `JSON.stringify` take five times as long.
 */
export function writeLines(text: string, { start, end }: RowRange, before?: LineBefore): Buffer {
  const { head, rows }: Batch = JSON.parse(text);
  const { node, arena, profile, type, at, epoch, first, id: tableId, rules } = head;
  const names = `"node":${JSON.stringify(node)},"arena":${JSON.stringify(arena)},"profile":${JSON.stringify(profile)}`;
  const beginning = `{"timestamp":"${new Date(at).toISOString()}",${names},"type":"${type}","event":"`;
  const idStart = `${tableId}-${epoch.toString(36)}-`;
  const table = inside(`${node} ${arena}/${profile} ${type}`);
  const named = rules.map((rule) => ({
    member: `,"rule":${JSON.stringify(rule)}`,
    words: rule.name === undefined ? "" : inside(` (${rule.name})`),
  }));
  const lines = new LineBuffer((Math.min(end, rows.length) - start) * USUAL_LINE);
  for (let index = start; index < end && index < rows.length; index++) {
    const [number, key, id, value, lifetime, place, details] = rows[index] as Batch["rows"][number];
    const event = EVENTS[number] ?? "seen";
    const sequence = first + index;
    const recordId = `${idStart}${sequence.toString(36)}`;
    const rule = typeof place === "number" ? named[place] : undefined;
    const exact = details?.exact;
    const members = PLAIN_KEY.test(key) ? undefined : membersOf(key);
    let line = before === undefined ? "" : `${before[0]}${recordId}${before[1]}\n`;
    line += `${beginning}${event}"${members ? further(members) : `,"address":"${key}"`}`;
    let facts = "";
    if (typeof id === "number") {
      line += `,"id":${exact?.id === undefined ? id : JSON.stringify(exact.id)}`;
      facts = `: id ${exact?.id === undefined ? id : inside(exact.id)}${rule?.words ?? ""}`;
    }
    if (typeof value === "number") {
      line += `,"value":${exact?.value === undefined ? value : JSON.stringify(exact.value)}`;
      facts += `${facts === "" ? ": " : ", "}value ${exact?.value === undefined ? value : inside(exact.value)}`;
      if (typeof id !== "number") facts += rule?.words ?? "";
    }
    if (typeof lifetime === "number") {
      line += `,"lifetime":${lifetime}`;
      facts += `${facts === "" ? ": " : ", "}lifetime ${lifetime} s`;
    }
    if (details) line += further({ age: details.age, status: details.status });
    if (rule) line += rule.member;
    line += `,"epoch":${epoch},"sequence":${sequence},"recordId":"${recordId}","message":"`;
    if (number === EVENT_NUMBER.reset) line += `${table} reset: what follows is the whole table"`;
    else line += `${table} ${members ? inside(subjectOf(members)) : key} ${event}${facts}"`;
    if (details?.extra) line += `,"extra":${JSON.stringify(details.extra)}`;
    lines.add(`${line}}\n`);
  }
  return lines.finish();
}

/** Members of JSON behind others. */
function further(members: object): string {
  const json = JSON.stringify(members);
  return json === "{}" ? "" : `,${json.slice(1, -1)}`;
}

/** A part of a message within a text of JSON. */
function inside(text: string): string {
  return JSON.stringify(visible(text)).slice(1, -1);
}

/** What is marked, as people write it: an address, or source and destination with what is known beside them. */
function subjectOf({ address, source, destination, sourcePort, destinationPort, protocol }: KeyMembers): string {
  if (source === undefined && destination === undefined) return address ?? "-";
  const end = (host: string | undefined, port: number | undefined) => {
    if (host === undefined) return "-";
    return port === undefined ? host : host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  };
  const pair = `${end(source, sourcePort)} -> ${end(destination, destinationPort)}`;
  return protocol === undefined ? pair : `${protocol} ${pair}`;
}

/** Lines as bytes, each written as soon as it is there: as one long text they would cost twice as much. */
class LineBuffer {
  private length = 0;
  private buffer: Buffer;

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size);
  }

  add(line: string): void {
    if (this.buffer.length - this.length < line.length * LONGEST_UNIT) {
      const larger = Buffer.allocUnsafe((this.buffer.length + line.length * LONGEST_UNIT) * 2);
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    this.length += this.buffer.write(line, this.length);
  }

  finish(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}
