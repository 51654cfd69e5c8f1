import { isIPv6 } from "node:net";
import type { Mark, MarkType } from "../model/mark";
import { Prefix, PrefixError } from "../model/prefix";
import { readNumber } from "./json";
import { notAList, openEnvelope } from "./node-answer";
import { describe, isRecord, ShapeError, short } from "./shape";

type NumberField = "id" | "value" | "lifetime" | "age" | "sourcePort" | "destinationPort";
type AddressField = "address" | "source" | "destination";
type Field =
  | { readonly kind: "number"; readonly name: NumberField }
  | { readonly kind: "address"; readonly name: AddressField }
  | { readonly kind: "status" | "protocol" };

type Writable = { -readonly [Name in keyof Mark]: Mark[Name] } & { extra?: Record<string, unknown> } & {
  exact?: Record<string, string>;
};

/** The names under which nodes list the members of a mark. A Map, so that a member "constructor" finds nothing. */
function fieldsOf(type: MarkType): ReadonlyMap<string, Field> {
  const number = (name: NumberField, ...keys: string[]) =>
    keys.map((key): [string, Field] => [key, { kind: "number", name }]);
  const address = (name: AddressField, ...keys: string[]) =>
    keys.map((key): [string, Field] => [key, { kind: "address", name }]);
  return new Map<string, Field>([
    ...number("id", "id"),
    ...number("value", "v", "value"),
    ...number("lifetime", "t", "ttl", "lifetime", "life"),
    ...number("age", "age"),
    ...number("sourcePort", "sport", "sourcePort"),
    ...number("destinationPort", "dport", "destinationPort"),
    ...address("address", "a", "p", "addr", "address", "ip"),
    // A table by source has one address however the node names it; the same for a table by recipient.
    ...address(type === "shost" ? "address" : "source", "src", "saddr", "source"),
    ...address(type === "dhost" ? "address" : "destination", "dst", "daddr", "destination"),
    ["status", { kind: "status" }],
    ["proto", { kind: "protocol" }],
    ["protocol", { kind: "protocol" }],
  ]);
}

/**
 * Reads a list of marks: an array of records, bare or under one of the usual names, or an object keyed by address.
 * Unknown members stay under `extra`. Checked by hand: 100 000 records are read every three seconds.
 *
 * @throws {ShapeError} on anything else; never an empty list by default.
 */
export function readMarkList(json: unknown, type: MarkType): Mark[] {
  const fields = fieldsOf(type);
  const elements = openEnvelope(json);
  if (elements) return elements.map((element, index) => readMark(element, index, fields));
  if (!isRecord(json) || !isKeyedByAddress(json)) throw notAList(json);
  return Object.entries(json).map(([address, record], index) => {
    const mark = readMark(record, index, fields);
    return mark.address === undefined ? { address: readAddress(address, index), ...mark } : mark;
  });
}

function isKeyedByAddress(json: Readonly<Record<string, unknown>>): boolean {
  const members = Object.entries(json);
  return members.length > 0 && members.every(([key, value]) => /[.:]/.test(key) && isRecord(value));
}

function readMark(element: unknown, index: number, fields: ReadonlyMap<string, Field>): Mark {
  if (!isRecord(element)) throw new ShapeError(`element ${index} is ${describe(element)}`);
  const mark: Writable = {};
  for (const key in element) {
    const value = element[key];
    const field = fields.get(key);
    if (!field || !readField(mark, field, key, value, index)) {
      mark.extra ??= {};
      mark.extra[key] = value;
    }
  }
  const { id, value, address, source, destination } = mark;
  if (id === undefined && value === undefined && address === undefined && source === undefined && !destination) {
    throw new ShapeError(`element ${index} has no id, value or address (${describe(element)})`);
  }
  return mark;
}

/** False when the member is taken already under another name, or when a free-form member has no known type. */
function readField(mark: Writable, field: Field, key: string, value: unknown, index: number): boolean {
  if (value === null) return true;
  switch (field.kind) {
    case "number": {
      if (mark[field.name] !== undefined) return false;
      if (typeof value === "number" && Number.isSafeInteger(value)) {
        mark[field.name] = value;
        return true;
      }
      const read = readNumber(value);
      if (!read) throw new ShapeError(`element ${index}: "${key}" is ${describe(value)} instead of a number`);
      mark[field.name] = read.number;
      if (read.exact !== undefined) {
        mark.exact ??= {};
        mark.exact[field.name] = read.exact;
      }
      return true;
    }
    case "address":
      if (mark[field.name] !== undefined) return false;
      if (typeof value !== "string") {
        throw new ShapeError(`element ${index}: "${key}" is ${describe(value)} instead of an address`);
      }
      mark[field.name] = readAddress(value, index);
      return true;
    case "status":
      if (typeof value !== "string") return false;
      mark.status = value;
      return true;
    case "protocol":
      if (typeof value !== "string" && typeof value !== "number") return false;
      mark.protocol = value;
      return true;
  }
}

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const PLAIN_IPV4 = new RegExp(`^${OCTET}\\.${OCTET}\\.${OCTET}\\.${OCTET}$`);

/** Lower-case groups without leading zeros; no dots, no zone. */
const LEAN_IPV6 = /^(?!.*(?:^|:)0[0-9a-f])[0-9a-f:]+$/;
/** Groups of zeros beside each other or beside "::" that are written out, and what may be an IPv4-mapped address. */
const LOOSE_IPV6 = /(?:^|:)0(?::0)+(?:$|:)|(?:^|:)0::|::0(?:$|:)|^::ffff:/;

/** True for most IPv6 texts that need no work (RFC 5952, section 4); false says nothing. */
function isPlainIpv6(text: string): boolean {
  if (!LEAN_IPV6.test(text) || LOOSE_IPV6.test(text) || !isIPv6(text)) return false;
  return !text.includes("::") || text.split(":").filter(Boolean).length <= 6;
}

/** Canonical text without a length: marks have no masks, so `/32` and `/128` say nothing. */
function readAddress(text: string, index: number): string {
  if (PLAIN_IPV4.test(text) || isPlainIpv6(text)) return text;
  try {
    const prefix = Prefix.parse(text);
    if (prefix.size === 1n) return prefix.address;
  } catch (error) {
    if (!(error instanceof PrefixError)) throw error;
  }
  throw new ShapeError(`element ${index}: ${short(text)} is not the address of a mark`);
}
