import { type BatchHead, type Details, EVENTS, type MarkKey } from "./rows";

const [QUOTE, COMMA, BACKSLASH, NULL, ZERO] = [0x22, 0x2c, 0x5c, 0x6e, 0x30];
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];
const HEAD = '{"head":';
const ROWS = ',"rows":[';
const END = "]}";

/** Kind of each byte. */
const PARTS = new Uint8Array(256);
const OF_ADDRESS = 1;
const OF_NUMBER = 2;
for (const byte of Buffer.from("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.:"))
  PARTS[byte] = OF_ADDRESS;
for (const byte of Buffer.from("0123456789+-.eE")) PARTS[byte] = (PARTS[byte] as number) | OF_NUMBER;

/** Place in a batch. */
export class Place {
  start = 0;
  end = 0;

  /** False where the row does not have it. */
  get isThere(): boolean {
    return this.end > 0;
  }
}

/**
 * Rows as `RowWriter` writes them, one after the other, as the bytes that they are: most of their content goes into a line
 * unchanged. Members are those of the row that was read last.
 */
export class RowReader {
  event = 0;
  readonly key = new Place();
  /** True where the key is an address and nothing else: as text, in JSON and in a message it is the same. */
  isAddress = false;
  readonly id = new Place();
  readonly value = new Place();
  readonly lifetime = new Place();
  /** Position in the list of rules; -1 where there is none. */
  rule = -1;
  details: Details | undefined;
  private readonly ruleAt = new Place();

  /** @param at Behind the bracket that opens them. */
  constructor(
    readonly bytes: Buffer,
    private at = 1,
  ) {}

  /** Reads the next row. @returns false when there is none. @throws {SyntaxError} when these are not rows. */
  next(): boolean {
    const { bytes, id, value, lifetime, ruleAt } = this;
    let at = this.at;
    if (bytes[at] === ARRAY_END) return false;
    if (bytes[at] === COMMA) at++;
    this.event = (bytes[at + 1] as number) - ZERO;
    if (bytes[at] !== ARRAY || bytes[at + 2] !== COMMA || bytes[at + 3] !== QUOTE) throw broken(at);
    if (EVENTS[this.event] === undefined) throw broken(at + 1);
    at = this.readKey(at + 4);
    at = this.number(id, at);
    at = this.number(value, at);
    at = this.number(lifetime, at);
    at = this.number(ruleAt, at);
    this.rule = ruleAt.isThere ? this.numberAt(ruleAt) : -1;
    this.details = undefined;
    if (bytes[at] === COMMA) {
      const end = endOfObject(bytes, at + 1);
      this.details = JSON.parse(bytes.toString("utf8", at + 1, end));
      at = end;
    }
    if (bytes[at] !== ARRAY_END) throw broken(at);
    this.at = at + 1;
    return true;
  }

  /** The key as a text. */
  keyText(): MarkKey {
    return JSON.parse(this.bytes.toString("utf8", this.key.start - 1, this.key.end + 1));
  }

  /** A number; `NaN` where the row does not have it. */
  numberAt({ isThere, start, end }: Place): number {
    return isThere ? Number(this.bytes.toString("latin1", start, end)) : Number.NaN;
  }

  private readKey(start: number): number {
    const { bytes, key } = this;
    const { length } = bytes;
    let parts = OF_ADDRESS;
    let at = start;
    for (let byte = bytes[at]; byte !== QUOTE && at < length; byte = bytes[++at])
      parts &= PARTS[byte as number] as number;
    key.start = start;
    key.end = at;
    this.isAddress = parts !== 0 && at > start;
    return at + 1;
  }

  /** Reads a number, which may be missing, from behind its comma. */
  private number(place: Place, at: number): number {
    const { bytes } = this;
    place.end = 0;
    if (bytes[at] !== COMMA) return at;
    let end = at + 1;
    if (bytes[end] === NULL) return passed(bytes, "null", end);
    while (((PARTS[bytes[end] as number] as number) & OF_NUMBER) !== 0) end++;
    if (end === at + 1) throw broken(end);
    place.start = at + 1;
    place.end = end;
    return end;
  }
}

/** A batch of the spool: what its records share, and its rows. @throws {SyntaxError} when it is none. */
export function openBatch(bytes: Buffer): { readonly head: BatchHead; readonly rows: RowReader } {
  const start = passed(bytes, HEAD, 0);
  const end = endOfObject(bytes, start);
  passed(bytes, END, bytes.length - END.length);
  const head = JSON.parse(bytes.toString("utf8", start, end));
  return { head, rows: new RowReader(bytes, passed(bytes, ROWS, end)) };
}

/** End of the object that begins here. */
function endOfObject(bytes: Buffer, start: number): number {
  let depth = 0;
  let inText = false;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) inText = !inText;
    else if (inText) continue;
    else if (byte === OBJECT) depth++;
    else if (byte === OBJECT_END && --depth === 0) return at + 1;
  }
  throw broken(start);
}

function passed(bytes: Buffer, text: string, at: number): number {
  const end = at + text.length;
  if (bytes.toString("latin1", at, end) !== text) throw broken(at);
  return end;
}

function broken(at: number): SyntaxError {
  return new SyntaxError(`rows of the store are broken at byte ${at}`);
}
