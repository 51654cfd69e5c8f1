import type { Mark } from "../../model/mark";
import { keyOf } from "../record/mark-key";
import type { TakeMark } from "./listed-mark";

/** Where a value of the template goes. */
export type Slot =
  | "key"
  | "id"
  | "value"
  | "lifetime"
  | "age"
  | "source"
  | "destination"
  | "sourcePort"
  | "destinationPort"
  | "protocol";

/** One value of a record, and what stands before it. */
export interface Field {
  /** The bytes before the value, its opening quotation mark included. */
  readonly before: Buffer;
  readonly kind: "integer" | "ipv4";
  readonly slot: Slot;
}

const QUOTE = 0x22;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
/** Integers up to here are exact in a double whatever their digits. */
const SAFE_DIGITS = 15;

/** What {@link RecordTemplate.read} answers when the record has another form. */
export const OTHER_FORM = -1;
/** What it answers when the bytes end within the record. */
export const MORE_BYTES = -2;

/**
 * The form of the records of one list, as `learnTemplate` learns it from the first: the bytes between the values, and what
 * each value means. Reads records of that form straight from the bytes, and leaves every other to the plain reader.
 */
export class RecordTemplate {
  private readonly numbers: number[];
  private readonly texts: string[];

  private readonly pair: boolean;

  /** @param after The bytes behind the last value. */
  constructor(
    private readonly fields: readonly Field[],
    private readonly after: Buffer,
  ) {
    this.pair = fields.some(({ slot }) => slot === "source" || slot === "destination");
    this.numbers = fields.map(() => Number.NaN);
    this.texts = fields.map(() => "");
  }

  /** Reads the record at `start`. Answers where it ends, or {@link OTHER_FORM} or {@link MORE_BYTES}; both take nothing. */
  read(bytes: Buffer, start: number, take: TakeMark): number {
    let at = start;
    for (let index = 0; index < this.fields.length; index++) {
      const { before, kind } = this.fields[index] as Field;
      const literal = sameBytes(bytes, at, before);
      if (literal < 0) return literal;
      at = literal;
      const end = kind === "integer" ? this.integer(bytes, at, index) : this.address(bytes, at, index);
      if (end < 0) return end;
      at = end;
    }
    const end = sameBytes(bytes, at, this.after);
    if (end >= 0) this.hand(take);
    return end;
  }

  private integer(bytes: Buffer, start: number, index: number): number {
    let at = start;
    const negative = bytes[at] === MINUS;
    if (negative) at++;
    let number = 0;
    const first = at;
    for (; at < bytes.length; at++) {
      const digit = (bytes[at] as number) - ZERO;
      if (digit < 0 || digit > 9) break;
      number = number * 10 + digit;
    }
    if (at === bytes.length) return MORE_BYTES;
    const digits = at - first;
    // "01" is no JSON, and more digits than a double holds are kept as text by the plain reader.
    if (digits === 0 || digits > SAFE_DIGITS || (digits > 1 && bytes[first] === ZERO)) return OTHER_FORM;
    this.numbers[index] = negative ? -number : number;
    return at;
  }

  private address(bytes: Buffer, start: number, index: number): number {
    let at = start;
    let dots = 0;
    let octet = 0;
    let digits = 0;
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte >= ZERO && byte <= NINE) {
        if (digits > 0 && octet === 0) return OTHER_FORM;
        octet = octet * 10 + byte - ZERO;
        if (++digits > 3 || octet > 255) return OTHER_FORM;
      } else if (byte === DOT || byte === QUOTE) {
        if (digits === 0) return OTHER_FORM;
        if (byte === QUOTE) break;
        dots++;
        octet = digits = 0;
      } else return OTHER_FORM;
    }
    if (at === bytes.length) return MORE_BYTES;
    if (dots !== 3) return OTHER_FORM;
    // A slice of a decoded text would keep the whole text in memory as long as the key lives.
    this.texts[index] = bytes.toString("latin1", start, at);
    return at;
  }

  private hand(take: TakeMark): void {
    let key = "";
    let id = Number.NaN;
    let value = Number.NaN;
    let lifetime = Number.NaN;
    let age: number | undefined;
    const mark: { -readonly [Name in keyof Mark]: Mark[Name] } = {};
    for (let index = 0; index < this.fields.length; index++) {
      const number = this.numbers[index] as number;
      switch ((this.fields[index] as Field).slot) {
        case "key":
          key = this.texts[index] as string;
          mark.address = key;
          break;
        case "id":
          id = number;
          break;
        case "value":
          value = number;
          break;
        case "lifetime":
          lifetime = number;
          break;
        case "age":
          age = number;
          break;
        case "source":
          mark.source = this.texts[index] as string;
          break;
        case "destination":
          mark.destination = this.texts[index] as string;
          break;
        case "sourcePort":
          mark.sourcePort = number;
          break;
        case "destinationPort":
          mark.destinationPort = number;
          break;
        case "protocol":
          mark.protocol = number;
          break;
      }
    }
    take(this.pair ? keyOf(mark) : key, id, value, lifetime, age === undefined ? undefined : { age });
  }
}

/** Where the literal ends, or {@link OTHER_FORM} or {@link MORE_BYTES}. */
function sameBytes(bytes: Buffer, start: number, literal: Buffer): number {
  const length = Math.min(literal.length, bytes.length - start);
  for (let index = 0; index < length; index++) {
    if (bytes[start + index] !== literal[index]) return OTHER_FORM;
  }
  return length < literal.length ? MORE_BYTES : start + length;
}
