import type { Mark, MarkType } from "../../model/mark";
import type { NodeHabits } from "../../wire/answers";
import { readMarkList } from "../../wire/mark-list";
import { keyOf } from "../record/mark-key";
import { type Field, RecordTemplate, type Slot } from "./record-template";

/** A value of a record: its member's name, and where it stands in the text. */
interface Part {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** An address; else an integer. */
  readonly text: boolean;
}

/**
 * Learns the form of a list's records from the text of one. Only integers and IPv4 addresses stand in a template; what
 * they mean is asked of the plain reader, so that the two cannot differ.
 *
 * @returns `undefined` when the record holds anything else.
 */
export function learnTemplate(record: string, type: MarkType, habits: NodeHabits = {}): RecordTemplate | undefined {
  const parts = partsOf(record);
  const slots = parts && slotsOf(record, parts, type, habits);
  if (!slots) return undefined;
  let from = 0;
  const fields = parts.map((part, index): Field => {
    const before = Buffer.from(record.slice(from, part.start), "latin1");
    from = part.end;
    return { before, kind: part.text ? "ipv4" : "integer", slot: slots[index] ?? "key" };
  });
  return new RecordTemplate(fields, Buffer.from(record.slice(from), "latin1"));
}

/** Between the brackets only members, each a name and an integer or a text without escapes. */
function partsOf(record: string): readonly Part[] | undefined {
  const pattern = /"([^"\\]+)"(\s*:\s*)(?:(-?\d{1,15})(?=\s*[,}])|"(\d{1,3}(?:\.\d{1,3}){3})")/y;
  const parts: Part[] = [];
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
  return parts.length > 0 && /^\s*\}$/.test(record.slice(at)) ? parts : undefined;
}

/**
 * What each value means: the plain reader reads a copy of the record in which every value is another one, and where each
 * turns up says what it is. `undefined` when one turns up nowhere, or where a template cannot put it.
 */
function slotsOf(record: string, parts: readonly Part[], type: MarkType, habits: NodeHabits): Slot[] | undefined {
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
    mark = readMarkList([JSON.parse(probe + record.slice(from))], type, habits)[0];
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
