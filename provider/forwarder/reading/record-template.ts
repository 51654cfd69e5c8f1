import type { Mark, MarkType } from "../../model/mark";
import type { NodeHabits } from "../../wire/answers";
import { keyOf } from "../record/mark-key";
import type { TakeMark } from "./listed-mark";
import { plainMarks } from "./plain";

/** Where a value of the template goes. */
type Slot =
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

interface Field {
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
 * The form of the records of one list, learned from its first one: the bytes between the values, and what each value
 * means. Reads records of that form straight from the bytes, and leaves every other to the plain reader. Only integers
 * and IPv4 addresses stand in a template; what they mean is asked of the plain reader, so that the two cannot differ.
 */
export class RecordTemplate {
  private readonly numbers: number[];
  private readonly texts: string[];

  private constructor(
    private readonly fields: readonly Field[],
    private readonly after: Buffer,
    private readonly pair: boolean,
  ) {
    this.numbers = fields.map(() => Number.NaN);
    this.texts = fields.map(() => "");
  }

  /** The template of a record's text; `undefined` when it holds anything but integers and IPv4 addresses. */
  static learn(record: string, type: MarkType, habits: NodeHabits = {}): RecordTemplate | undefined {
    // Between the brackets only members, each a name and an integer or a text without escapes.
    const pattern = /"([^"\\]+)"(\s*:\s*)(?:(-?\d{1,15})(?=\s*[,}])|"(\d{1,3}(?:\.\d{1,3}){3})")/y;
    const parts: { name: string; start: number; end: number; text: boolean }[] = [];
    let at = 0;
    for (;;) {
      const gap = /[{,\s]*/y;
      gap.lastIndex = at;
      pattern.lastIndex = at + (gap.exec(record)?.[0].length ?? 0);
      const match = pattern.exec(record);
      if (!match) break;
      const [whole, name = "", , digits, address] = match;
      const text = address !== undefined;
      const end = match.index + whole.length - (text ? 1 : 0);
      parts.push({ name, start: end - (address ?? digits ?? "").length, end, text });
      at = match.index + whole.length;
    }
    if (parts.length === 0 || !/^\s*\}$/.test(record.slice(at))) return undefined;
    const slots = slotsOf(record, parts, type, habits);
    if (!slots) return undefined;
    let from = 0;
    const fields = parts.map((part, index): Field => {
      const before = Buffer.from(record.slice(from, part.start), "latin1");
      from = part.end;
      return { before, kind: part.text ? "ipv4" : "integer", slot: slots[index] ?? "key" };
    });
    const pair = slots.some((slot) => slot === "source" || slot === "destination");
    return new RecordTemplate(fields, Buffer.from(record.slice(from), "latin1"), pair);
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

/**
 * What each value means: the plain reader reads a copy of the record in which every value is another one, and where each
 * turns up says what it is. `undefined` when one turns up nowhere, or where a template cannot put it.
 */
function slotsOf(
  record: string,
  parts: readonly { start: number; end: number; text: boolean }[],
  type: MarkType,
  habits: NodeHabits,
): Slot[] | undefined {
  let probe = "";
  let from = 0;
  const values = parts.map(({ start, end, text }, index) => {
    const value = text ? `192.0.2.${index + 1}` : 1001 + index;
    probe += record.slice(from, start) + value;
    from = end;
    return value;
  });
  let mark: Mark | undefined;
  try {
    mark = plainMarks([JSON.parse(probe + record.slice(from))], type, habits)[0];
  } catch {
    return undefined;
  }
  if (!mark || mark.extra || mark.exact) return undefined;
  const names = new Map(Object.entries(mark).map(([name, value]) => [value, name]));
  const slots = values.map((value): Slot | undefined => {
    const name = names.get(value);
    switch (name) {
      case "address":
        return "key";
      case "id":
      case "value":
      case "lifetime":
      case "age":
      case "source":
      case "destination":
      case "sourcePort":
      case "destinationPort":
        return name;
      case "protocol":
        return typeof value === "number" ? name : undefined;
      default:
        return undefined;
    }
  });
  const known = slots.filter((slot) => slot !== undefined);
  // A table that has ports or a pair is keyed by all of them, so an address beside them must not be the key alone.
  return known.length === slots.length && keyOf(mark) !== "" ? known : undefined;
}
