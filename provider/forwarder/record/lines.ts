import { visible } from "../../model/foreign-text";
import { openBatch, type Place, type RowReader } from "./row-reader";
import { type BatchHead, EVENT_NUMBER, EVENTS, type KeyMembers, type MarkEvent, membersOf } from "./rows";
import type { Sheet } from "./sheet";

/** Rows of a batch, from the first to the one before `end`. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
  /** The sink that gets them: `resent` is decided for each. */
  readonly sink?: string;
}

/** Texts around the record's id in a line of its own before each record. */
export type LineBefore = readonly [start: string, end: string];

const utf8 = (text: string): Buffer => Buffer.from(text);

/** Members of a line, and parts of its message, that are the same in all batches. */
const [ADDRESS, ID, VALUE, LIFETIME] = [utf8(',"address":"'), utf8(',"id":'), utf8(',"value":'), utf8(',"lifetime":')];
const [ID_WORD, VALUE_WORD, LIFETIME_WORD] = [utf8(": id "), utf8(": value "), utf8(": lifetime ")];
const [AND_VALUE, AND_LIFETIME, SECONDS, NOTHING] = [utf8(", value "), utf8(", lifetime "), utf8(" s"), utf8("")];
const RESET = utf8("reset: the whole table follows");
const [QUOTE, NEW_LINE, END] = [utf8('"'), utf8("\n"), utf8("}\n")];

const EVENT_WORDS = EVENTS.map((event) => utf8(` ${event}`));

/** The same of a batch. */
type Words = ReturnType<typeof wordsOf>;

function wordsOf(
  { node, arena, profile, type, at, epoch, id, rules }: BatchHead,
  before: LineBefore | undefined,
  isResent: boolean,
) {
  const resent = (event: MarkEvent) => (isResent && event === "added" ? ',"resent":true' : "");
  const names = `"node":${JSON.stringify(node)},"arena":${JSON.stringify(arena)},"profile":${JSON.stringify(profile)}`;
  const beginning = `{"timestamp":"${new Date(at).toISOString()}",${names},"type":"${type}","event":"`;
  const idStart = `${id}-${epoch.toString(36)}-`;
  return {
    /** By number of the event. */
    beginnings: EVENTS.map((event) => utf8(`${beginning}${event}"${resent(event)}`)),
    rules: rules.map((rule) => ({
      member: utf8(`,"rule":${JSON.stringify(rule)}`),
      words: utf8(rule.name === undefined ? "" : inside(` (${rule.name})`)),
    })),
    sequence: utf8(`,"epoch":${epoch},"sequence":`),
    recordId: utf8(`,"recordId":"${idStart}`),
    /** An id without its number. */
    idStart: utf8(idStart),
    /** Beginning of messages. */
    message: utf8(`","message":"${inside(`${node} ${arena}/${profile} ${type}`)} `),
    before: before && ([utf8(before[0]), utf8(before[1])] as const),
  };
}

/**
 * Writes rows of a batch of the spool as lines of JSON, `format: plain`. This is where a record gets its form. Lines are made of
 * the bytes of the rows at once: texts in between take three times as long, and objects with `JSON.stringify` more than four times.
 */
export function writeLines(
  body: Buffer,
  { start, end, sink = "" }: RowRange,
  sheet: Sheet,
  before?: LineBefore,
): Buffer {
  const { head, rows } = openBatch(body);
  const words = wordsOf(head, before, head.resent?.includes(sink) ?? false);
  for (let index = 0; index < end && rows.next(); index++) {
    if (index >= start) writeLine(sheet, rows, words, head.first + index);
  }
  return sheet.cut();
}

function writeLine(sheet: Sheet, row: RowReader, words: Words, sequence: number): void {
  const { bytes, event, key, details } = row;
  const members = row.isAddress ? undefined : membersOf(row.keyText());
  const rule = row.rule < 0 ? undefined : words.rules[row.rule];
  if (words.before) {
    sheet.put(words.before[0]);
    sheet.put(words.idStart);
    sheet.natural(sequence, 36);
    sheet.put(words.before[1]);
    sheet.put(NEW_LINE);
  }
  sheet.put(words.beginnings[event] as Buffer);
  if (members) sheet.text(further(members));
  else {
    sheet.put(ADDRESS);
    sheet.copy(bytes, key.start, key.end);
    sheet.put(QUOTE);
  }
  writeNumbers(sheet, row);
  if (rule) sheet.put(rule.member);
  sheet.put(words.sequence);
  sheet.natural(sequence, 10);
  sheet.put(words.recordId);
  sheet.natural(sequence, 36);
  sheet.put(words.message);
  if (event === EVENT_NUMBER.reset) sheet.put(RESET);
  else {
    if (members) sheet.text(inside(subjectOf(members)));
    else sheet.copy(bytes, key.start, key.end);
    sheet.put(EVENT_WORDS[event] as Buffer);
    writeFacts(sheet, row, rule?.words ?? NOTHING);
  }
  sheet.put(QUOTE);
  if (details?.extra) sheet.text(`,"extra":${JSON.stringify(details.extra)}`);
  sheet.put(END);
}

function writeNumbers(sheet: Sheet, row: RowReader): void {
  const { id, value, lifetime, details } = row;
  const { exact } = details ?? {};
  writeNumber(sheet, row, ID, id, exact?.id && JSON.stringify(exact.id));
  writeNumber(sheet, row, VALUE, value, exact?.value && JSON.stringify(exact.value));
  writeNumber(sheet, row, LIFETIME, lifetime);
  if (details) sheet.text(further({ age: details.age, status: details.status }));
}

/** A number of the row behind `before`, where it has it. @param exact Its digits, where it is beyond 2⁵³. */
function writeNumber(sheet: Sheet, { bytes }: RowReader, before: Buffer, place: Place, exact?: string): void {
  if (!place.isThere) return;
  sheet.put(before);
  if (exact === undefined) sheet.copy(bytes, place.start, place.end);
  else sheet.text(exact);
}

/** The same for readers: `: id 1 (rule), value 2, lifetime 3 s`. */
function writeFacts(sheet: Sheet, row: RowReader, rule: Buffer): void {
  const { id, value, lifetime, details } = row;
  const { exact } = details ?? {};
  writeNumber(sheet, row, ID_WORD, id, exact?.id && inside(exact.id));
  if (id.isThere) sheet.put(rule);
  writeNumber(sheet, row, id.isThere ? AND_VALUE : VALUE_WORD, value, exact?.value && inside(exact.value));
  if (value.isThere && !id.isThere) sheet.put(rule);
  writeNumber(sheet, row, id.isThere || value.isThere ? AND_LIFETIME : LIFETIME_WORD, lifetime);
  if (lifetime.isThere) sheet.put(SECONDS);
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

/** Subject of a mark as people write it: an address, or source and destination with ports and protocol, if known. */
function subjectOf({ address, source, destination, sourcePort, destinationPort, protocol }: KeyMembers): string {
  if (source === undefined && destination === undefined) return address ?? "-";
  const end = (host: string | undefined, port: number | undefined) => {
    if (host === undefined) return "-";
    return port === undefined ? host : host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  };
  const pair = `${end(source, sourcePort)} -> ${end(destination, destinationPort)}`;
  return protocol === undefined ? pair : `${protocol} ${pair}`;
}
