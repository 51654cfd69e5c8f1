import type { Mark, Rule } from "../../model/mark";
import { SIZES } from "../defaults";
import type { TableName } from "../table";
import { Sheet } from "./sheet";

/**
 * Events of records. With `records: all`: `seen`. With `records: changes`: `added`, `changed`, `renewed`, `gone`,
 * `expired` and `reset`; `seen` there only in snapshots. The position in this list is the number in the spool, so new
 * events go to its end.
 */
export const EVENTS = ["seen", "added", "changed", "renewed", "gone", "expired", "reset"] as const;

/** One of {@link EVENTS}. */
export type MarkEvent = (typeof EVENTS)[number];

/** The number of an event in the spool. */
export const EVENT_NUMBER = Object.fromEntries(EVENTS.map((event, number) => [event, number])) as Readonly<
  Record<MarkEvent, number>
>;

/**
 * Identity of a mark across lists, as one text: addresses, ports and protocol, never id or value
 * (docs/contributing/contract.md#mark-types). An address alone is unchanged; the other members follow it, with a space between
 * any two.
 * A second mark with the key of another one in the same list gets its id behind an `@`.
 */
export type MarkKey = string;

/** The members of a mark that a key holds. */
export type KeyMembers = Pick<
  Mark,
  "address" | "source" | "destination" | "sourcePort" | "destinationPort" | "protocol"
>;

export function keyOf(mark: KeyMembers): MarkKey {
  const { address = "", source, destination, sourcePort, destinationPort, protocol } = mark;
  if (sourcePort === undefined && destinationPort === undefined && protocol === undefined) {
    return source === undefined && destination === undefined
      ? address
      : `${address} ${source ?? ""} ${destination ?? ""}`;
  }
  const ports = `${sourcePort ?? ""} ${destinationPort ?? ""}`;
  // Half a surrogate pair has no UTF-8.
  const name = encodeURIComponent(String(protocol ?? "").replace(/\p{Cs}/gu, "\ufffd"));
  return `${address} ${source ?? ""} ${destination ?? ""} ${ports} ${name}`;
}

/** The members that a key was made of. A protocol of digits comes as a number. */
export function membersOf(key: MarkKey): KeyMembers {
  const at = key.indexOf("@");
  const plain = at < 0 ? key : key.slice(0, at);
  if (!plain.includes(" ")) return plain === "" ? {} : { address: plain };
  const [address, source, destination, sourcePort, destinationPort, protocol] = plain.split(" ");
  return {
    ...(address && { address }),
    ...(source && { source }),
    ...(destination && { destination }),
    ...(sourcePort && { sourcePort: Number(sourcePort) }),
    ...(destinationPort && { destinationPort: Number(destinationPort) }),
    ...(protocol && { protocol: /^\d+$/.test(protocol) ? Number(protocol) : decodeURIComponent(protocol) }),
  };
}

/** The key of a further mark that shares its key with one listed before. */
export function furtherKey(key: MarkKey, id: number): MarkKey {
  return `${key}@${id}`;
}

/** True for a key that {@link furtherKey} made. */
export function isFurther(key: MarkKey): boolean {
  return key.includes("@");
}

/** Members that only some marks have. */
export type Details = Pick<Mark, "age" | "status" | "exact" | "extra">;

/** A rule as far as records name it. */
export interface NamedRule {
  /** Its id; a text where the integer is beyond ±(2⁵³−1). */
  readonly id?: number | string;
  /** Its name. */
  readonly name?: string;
}

/** Some rows of one reading, and the rules that they name. */
export interface RowChunk {
  /** Text of a JSON array. */
  readonly rows: Buffer;
  readonly count: number;
  readonly rules: readonly NamedRule[];
  /** Names of the sinks that had what the rows add, see {@link BatchHead.resent}. Default: none. */
  readonly resent?: readonly string[];
}

const utf8 = (text: string): Buffer => Buffer.from(text);
const [COMMA, QUOTE, NULL, END] = [utf8(","), utf8('"'), utf8("null"), utf8("]")];
/** Of a row, by the number of its event: behind others, and as the first of its piece. */
const STARTS = EVENTS.map((_, number) => utf8(`,[${number},"`));
const FIRST_STARTS = EVENTS.map((_, number) => utf8(`[[${number},"`));

/**
 * Gathers the rows of a reading as JSON, in pieces that are never larger than one batch of the spool. A row is
 * `[event, key, id, value, lifetime, rule, details]`, with what is missing at the end left out. A number that the node did not
 * send is null; `rule` is a position in the piece's list of rules.
 */
export class RowWriter {
  readonly chunks: RowChunk[] = [];
  /** Rows by event, by the numbers of {@link EVENT_NUMBER}. */
  readonly counts = [0, 0, 0, 0, 0, 0, 0];
  private readonly sheet = new Sheet(SIZES.firstPieceBytes);
  /** Rows of the piece that is being written. */
  private inPiece = 0;
  private rules: NamedRule[] = [];
  private places = new Map<NamedRule, number>();

  /** @param resent Names of the sinks that had what the rows add. */
  constructor(
    private readonly ruleOf: (id: number, value: number, details: Details | undefined) => NamedRule | undefined,
    private readonly resent: readonly string[] = [],
  ) {}

  get count(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  add(event: MarkEvent, key: MarkKey, id: number, value: number, lifetime: number, details?: Details): void {
    const { sheet } = this;
    this.start(event);
    // Keys hold neither quotation marks nor backslashes.
    sheet.text(key);
    sheet.put(QUOTE);
    this.number(id);
    this.number(value);
    this.number(lifetime);
    const rule = this.ruleOf(id, value, details);
    if (rule || details) this.number(rule ? this.place(rule) : Number.NaN);
    if (details) {
      sheet.put(COMMA);
      sheet.text(JSON.stringify(details));
    }
    sheet.put(END);
    if (this.inPiece === SIZES.rowsABatch || sheet.length > SIZES.bytesABatch) this.cut();
  }

  /** A row without a mark, for an event that is about the whole table. */
  addTable(event: MarkEvent): void {
    this.start(event);
    this.sheet.put(QUOTE);
    this.sheet.put(END);
  }

  /** Ends the last piece. */
  finish(): readonly RowChunk[] {
    if (this.inPiece > 0) this.cut();
    return this.chunks;
  }

  private start(event: MarkEvent): void {
    const number = EVENT_NUMBER[event];
    this.counts[number] = (this.counts[number] ?? 0) + 1;
    const starts = this.inPiece++ === 0 ? FIRST_STARTS : STARTS;
    this.sheet.put(starts[number] as Buffer);
  }

  /** A further member of the row; `NaN` is null. */
  private number(number: number): void {
    const { sheet } = this;
    sheet.put(COMMA);
    if (Number.isSafeInteger(number) && number >= 0) sheet.natural(number, 10);
    else if (Number.isNaN(number)) sheet.put(NULL);
    else sheet.text(String(number));
  }

  private cut(): void {
    this.sheet.put(END);
    const { resent } = this;
    const rows = this.sheet.cut();
    this.chunks.push({ rows, count: this.inPiece, rules: this.rules, ...(resent.length > 0 && { resent }) });
    this.inPiece = 0;
    this.rules = [];
    this.places = new Map();
  }

  private place(rule: NamedRule): number {
    const place = this.places.get(rule);
    if (place !== undefined) return place;
    this.places.set(rule, this.rules.length);
    return this.rules.push(rule) - 1;
  }
}

/**
 * Finds the rule of a mark: the one whose id is the mark's id, else the one whose value member, or id where it has none,
 * is the mark's value (docs/contributing/contract.md#marks).
 */
export function ruleFinder(
  rules: readonly Rule[],
): (id: number, value: number, details?: Details) => NamedRule | undefined {
  const byId = new Map<string, NamedRule>();
  const byValue = new Map<string, NamedRule>();
  for (const { id, name, exact, extra } of rules) {
    const digits = exact?.id ?? (id === undefined ? undefined : String(id));
    const named: NamedRule = {
      ...(id !== undefined && { id: exact?.id ?? id }),
      ...(name !== undefined && { name }),
    };
    if (digits === undefined && name === undefined) continue;
    if (digits !== undefined && !byId.has(digits)) byId.set(digits, named);
    const value = ruleValue(extra) ?? digits;
    if (value !== undefined && !byValue.has(value)) byValue.set(value, named);
  }
  if (byId.size === 0 && byValue.size === 0) return () => undefined;
  return (id, value, details) =>
    byId.get(details?.exact?.id ?? String(id)) ?? byValue.get(details?.exact?.value ?? String(value));
}

function ruleValue(extra: Rule["extra"]): string | undefined {
  const value = extra?.value ?? extra?.v;
  return typeof value === "number" || typeof value === "string" ? String(value) : undefined;
}

/** The head of a batch; its members are those of each of its records. */
export interface BatchHead extends TableName {
  /** Milliseconds since 1970: when the list was obtained. */
  readonly at: number;
  readonly epoch: number;
  /** The sequence of the first record; the others follow one by one. */
  readonly first: number;
  /** Beginning of its record ids. */
  readonly id: string;
  readonly rules: readonly NamedRule[];
  /** Names of the sinks that had its `added` records before, with another id: for them they carry `resent`. Default: none. */
  readonly resent?: readonly string[];
}
