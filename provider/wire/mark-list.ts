import { isIPv6 } from "node:net";
import { isObject, type JsonObject } from "../model/json";
import type { Mark, MarkType } from "../model/mark";
import { prefixIn } from "../model/readable";
import type { Answers, NodeHabits } from "./answers";
import { findList } from "./envelope";
import { describe, quoted, readNumber, ShapeError } from "./json";
import { type Field, type MarkNames, markNames } from "./mark-names";
import { addressText } from "./places";
import { describedBy, PROBE } from "./remedies";

type Writable = { -readonly [Name in keyof Mark]: Mark[Name] } & { extra?: Record<string, unknown> } & {
  exact?: Record<string, string>;
};

/**
 * Reads a list of marks: records in any form of list, or an object keyed by address. Case of names does not matter; unknown
 * members and unreadable numbers stay under `extra`. Checked by hand: 100 000 records are read every three seconds.
 *
 * @throws {ShapeError} on anything else, which is never taken for an empty list.
 */
export function readMarkList(json: unknown, type: MarkType, habits: NodeHabits = {}): Mark[] {
  const list = findList(json, "marks", habits);
  const names = markNames(type, habits.answers);
  const inSeconds = scaled(habits.answers);
  const read = (element: unknown, index: number) => inSeconds(readMark(element, index, names));
  if (list.kind === "array") return list.elements.map(read);
  return Object.entries(list.members).map(([key, record], index) => {
    const mark = read(record, index);
    const address = readAddress(key);
    if (address === undefined) throw new ShapeError(`element ${index}: ${quoted(key)} is not the address of a mark`);
    if (mark.address === undefined || mark.address === address) return { address, ...mark };
    throw new ShapeError(`element ${index} stands under ${quoted(key)} and names ${quoted(mark.address)}`);
  });
}

/** Converts times in milliseconds to whole seconds. */
function scaled(answers: Answers | undefined): (mark: Mark) => Mark {
  const { lifetime, age } = answers?.units ?? {};
  if (lifetime !== "ms" && age !== "ms") return (mark) => mark;
  const seconds = (ms: number) => Math.floor(ms / 1_000);
  return (mark) => ({
    ...mark,
    ...(lifetime === "ms" && mark.lifetime !== undefined && { lifetime: seconds(mark.lifetime) }),
    ...(age === "ms" && mark.age !== undefined && { age: seconds(mark.age) }),
  });
}

function readMark(element: unknown, index: number, names: MarkNames): Mark {
  if (!isObject(element)) throw new ShapeError(`element ${index} is ${describe(element)}`, describedBy("columns"));
  const mark: Writable = {};
  const settled = names.named.size > 0 ? readNamed(element, names.named, mark) : undefined;
  let unread: [field: Field, key: string, value: unknown] | undefined;
  for (const key in element) {
    if (settled?.has(key)) continue;
    const value = element[key];
    let field = names.fields.get(key);
    if (field === undefined) field = names.meet(key);
    if (field !== null && mark[field.name] === undefined) {
      if (value === null || setField(mark, field, value)) continue;
      // A record needs its address: one that cannot be read is judged at the end of the record.
      if (field.kind !== "text" && (unread === undefined || field.kind === "address")) unread = [field, key, value];
    } else if (field !== null && !isNamed(names, field) && differs(mark, field, value)) {
      throw new ShapeError(
        `element ${index} has two of ${field.name} (${describe(element)})`,
        `Say which one counts: answers.names: { ${field.name}: ${JSON.stringify(key)} } or the other. ${PROBE}`,
      );
    }
    mark.extra ??= {};
    mark.extra[key] = value;
  }
  const { id, value, address, source, destination } = mark;
  const isEmpty = id === undefined && value === undefined && !address && !source && !destination;
  if (unread && (isEmpty || (unread[0].kind === "address" && !address && !source && !destination))) {
    throw unreadable(unread, index);
  }
  if (isEmpty) {
    throw new ShapeError(`element ${index} has no id, value or address (${describe(element)})`, describedBy("names"));
  }
  return mark;
}

/** True for a field whose member the settings name: others of its names do not matter. */
function isNamed({ named }: MarkNames, { name }: Field): boolean {
  return [...named.values()].some((field) => field.name === name);
}

/** True for another id, value or address than the mark has. Of two times the first counts: one may be the configured lifetime. */
function differs(mark: Mark, field: Field, value: unknown): boolean {
  const other: Writable = {};
  const isIdentity = field.kind === "address" || field.name === "id" || field.name === "value";
  return isIdentity && setField(other, field, value) && other[field.name] !== mark[field.name];
}

/** Reads the members that the settings name; returns the keys that were read. */
function readNamed(element: JsonObject, named: MarkNames["named"], mark: Writable): ReadonlySet<string> {
  const settled = new Set<string>();
  for (const key in element) {
    const field = named.get(key.toLowerCase());
    if (field && mark[field.name] === undefined && (element[key] === null || setField(mark, field, element[key]))) {
      settled.add(key);
    }
  }
  return settled;
}

/** Returns false if the field cannot have the value. */
function setField(mark: Writable, field: Field, value: unknown): boolean {
  if (field.kind === "number") {
    if (typeof value === "number" && Number.isSafeInteger(value)) {
      mark[field.name] = value;
      return true;
    }
    const read = readNumber(value);
    if (!read) return false;
    mark[field.name] = read.number;
    if (read.exact !== undefined) {
      mark.exact ??= {};
      mark.exact[field.name] = read.exact;
    }
    return true;
  }
  if (field.kind === "address") {
    const text = addressText(value);
    const address = text === undefined ? undefined : readAddress(text);
    if (address !== undefined) mark[field.name] = address;
    return address !== undefined;
  }
  if (field.name === "status" && typeof value === "string") mark.status = value;
  else if (field.name === "protocol" && (typeof value === "string" || typeof value === "number")) mark.protocol = value;
  else return false;
  return true;
}

function unreadable([field, key, value]: [Field, string, unknown], index: number): ShapeError {
  if (field.kind === "address" && typeof value === "string") {
    return new ShapeError(`element ${index}: ${quoted(value)} is not the address of a mark`);
  }
  const expected = field.kind === "address" ? "an address" : "a number";
  return new ShapeError(`element ${index}: "${key}" is ${describe(value)} instead of ${expected}`);
}

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const PLAIN_IPV4 = new RegExp(`^${OCTET}\\.${OCTET}\\.${OCTET}\\.${OCTET}$`);

/** Lower-case groups without leading zeros; no dots, no zone. */
const LEAN_IPV6 = /^(?!.*(?:^|:)0[0-9a-f])[0-9a-f:]+$/;
/** Groups of zeros beside each other or beside "::", and texts that may be IPv4-mapped addresses. */
const LOOSE_IPV6 = /(?:^|:)0(?::0)+(?:$|:)|(?:^|:)0::|::0(?:$|:)|^::ffff:/;

/** True for most canonical IPv6 texts (RFC 5952, section 4); false may still be one. */
function isPlainIpv6(text: string): boolean {
  if (!LEAN_IPV6.test(text) || LOOSE_IPV6.test(text) || !isIPv6(text)) return false;
  return !text.includes("::") || text.split(":").filter(Boolean).length <= 6;
}

/**
 * The canonical text of one address without a length: marks have no masks (docs/contributing/contract.md#terms), so `/32` and
 * `/128` are dropped. `undefined` for anything else. Most addresses are canonical, and need no parsing.
 */
function readAddress(text: string): string | undefined {
  if (PLAIN_IPV4.test(text) || isPlainIpv6(text)) return text;
  const prefix = prefixIn(text);
  return prefix?.size === 1n ? prefix.address : undefined;
}
