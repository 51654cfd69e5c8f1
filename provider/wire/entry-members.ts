import type { JsonObject } from "../model/json";
import { COUNTS, END_NAMES, LENGTH_NAMES, START_NAMES } from "../model/member-names";
import { Prefix, PrefixError } from "../model/prefix";
import { prefixIn } from "../model/readable";
import type { Answers } from "./answers";
import { quoted, readNumber, ShapeError } from "./json";
import { addressText, isAddressLike, namesFor } from "./places";

/** Possible roles of a member of a listed entry. */
export type EntryRole = "prefix" | "length" | "value" | "start" | "end";

const NATURAL: ReadonlyMap<string, EntryRole | "known"> = new Map<string, EntryRole | "known">([
  ...all("prefix", "p", "a", "prefix", "addr", "address", "ip", "cidr", "net", "network"),
  ...all("length", "m", ...LENGTH_NAMES),
  ...all("value", "v", "value", "val"),
  ...all("start", ...START_NAMES),
  ...all("end", ...END_NAMES),
  // Numbers in rows of tables, which are never lengths.
  ...all("known", "id", "age", "ttl", "lifetime", "life"),
]);

function all<R extends string>(role: R, ...names: string[]): [string, R][] {
  return names.map((name) => [name, role]);
}

/** Role of a name, in any case; `known` for one that is never a length. */
export function naturalRole(name: string): EntryRole | "known" | undefined {
  return NATURAL.get(name) ?? NATURAL.get(name.toLowerCase());
}

/** Roles of the members of one record. */
interface EntryMembers {
  readonly prefix?: unknown;
  readonly length?: unknown;
  readonly value?: unknown;
  /** First and last address of a range; only where they are addresses. */
  readonly start?: unknown;
  readonly end?: unknown;
  /** True if the record lacks the member that the settings name for the length. */
  readonly lacksLength?: boolean;
  /** Role that two members have: two prefixes, or values or lengths that differ. */
  readonly hasTwo?: EntryRole;
  /** Name of another member that could be the length of a bare address, or the end of a range. */
  readonly suspect?: string;
  /** Names of other members that could be the value, if the settings name none. */
  readonly mayBeValue?: string[];
}

/** Tells the members of a listed entry apart. */
export type ReadMembers = (record: JsonObject) => EntryMembers;

/**
 * Makes the reader for one list. Case of names does not matter. A name from the settings precedes the natural ones in every
 * record that has it; with a named `prefixLength`, no other member is a length.
 */
export function membersReader(answers: Answers | undefined): ReadMembers {
  const { prefix, prefixLength, value, rangeStart, rangeEnd } = namesFor(answers ?? {}, "prefixset");
  const given = { prefix, length: prefixLength, value, start: rangeStart, end: rangeEnd };
  const named = new Map<string, EntryRole>();
  for (const [role, name] of Object.entries(given))
    if (name !== undefined) named.set(name.toLowerCase(), role as EntryRole);
  return (record) => {
    const members: { -readonly [M in keyof EntryMembers]: EntryMembers[M] } = {};
    const settled = named.size > 0 ? readNamed(record, named, members) : undefined;
    for (const name in record) {
      const content = record[name];
      const role = roleOf(name, content);
      if (role === "known" || settled?.names.has(name)) continue;
      if (role === undefined || settled?.roles.has(role)) {
        if (value === undefined && role === undefined && mayBeValue(name, content)) {
          members.mayBeValue ??= [];
          members.mayBeValue.push(name);
        }
        if (prefixLength !== undefined || !couldBeLength(content) || isSameAddress(content, members.prefix)) continue;
        members.suspect ??= name;
      } else if (members[role] === undefined) {
        if (role !== "length" || content !== null) members[role] = content;
      } else if (role === "prefix" || members[role] !== content) members.hasTwo ??= role;
    }
    if (prefixLength !== undefined && prefixLength !== IN_TEXT && !settled?.roles.has("length"))
      members.lacksLength = true;
    return members;
  };
}

function mayBeValue(name: string, content: unknown): boolean {
  return readNumber(content) !== undefined && !COUNTS.test(name);
}

/** As `answers.names.prefixLength`: no member is a length, all lengths follow a slash. */
export const IN_TEXT = "/";

/** Role of a member by name and content: "from" or "to" may be a time, so only addresses make a range. */
function roleOf(name: string, content: unknown): EntryRole | "known" | undefined {
  const role = naturalRole(name);
  if (role !== "start" && role !== "end") return role;
  const text = addressText(content);
  return text !== undefined && isAddressLike(text) && !text.includes("/") ? role : undefined;
}

/** True for the same address again, which is not a length unless it is its own netmask, as that of 128.0.0.0/1. */
function isSameAddress(content: unknown, prefix: unknown): boolean {
  return content === prefix && lengthOf(content) === undefined;
}

/** Reads the members that the settings name; returns the names and roles that are settled. */
function readNamed(record: JsonObject, named: ReadonlyMap<string, EntryRole>, members: { [R in EntryRole]?: unknown }) {
  const settled = { names: new Set<string>(), roles: new Set<EntryRole>() };
  for (const name in record) {
    const role = named.get(name.toLowerCase());
    if (role === undefined) continue;
    settled.names.add(name);
    settled.roles.add(role);
    if (role !== "length" || record[name] !== null) members[role] = record[name];
  }
  return settled;
}

/** A prefix as a node lists it: its meaning and the node's own text. */
export interface ListedPrefix {
  /** Canonical, host bits masked. */
  readonly prefix: Prefix;
  /** Text that deletes the entry: the node's own, with the length behind a slash where the node lists it apart. */
  readonly spelling: string;
}

/** Reads a prefix from one text: CIDR, a bare address, or an address with a netmask after the slash. */
export function readPrefix(spelling: string, index: number): ListedPrefix {
  const range = spelling.includes("-") ? spelling.split("-") : [];
  if (range.length === 2) return readRange(range[0] ?? "", range[1] ?? "", index, spelling);
  const slash = spelling.indexOf("/");
  // A length has at most three digits, so that usual texts need no second look.
  const length =
    slash >= 0 && spelling.length - slash > 4
      ? netmaskLength(spelling.slice(slash + 1), spelling.slice(0, slash))
      : undefined;
  const text = length === undefined ? spelling : `${spelling.slice(0, slash)}/${length}`;
  return { prefix: parsePrefix(text, index), spelling };
}

/**
 * Reads a prefix whose length has its own member, as a number or a netmask.
 *
 * @throws {ShapeError} if that is not a length, or contradicts a length in the text.
 */
export function readPrefixWithLength(text: string, length: unknown, index: number): ListedPrefix {
  const own = text.includes("/") ? readPrefix(text, index) : undefined;
  const bits = lengthOf(length, text);
  if (own) {
    // The text has its length: a member that holds none does not matter.
    if (bits === undefined || bits === own.prefix.length) return own;
    throw new ShapeError(`element ${index} has two lengths, ${own.prefix.length} and ${bits}`);
  }
  if (bits === undefined) throw new ShapeError(`element ${index} has a member for the length that holds none`);
  const spelling = `${text}/${bits}`;
  return { prefix: parsePrefix(spelling, index), spelling };
}

/**
 * Reads a range of addresses that is one prefix.
 *
 * @param spelling Text that deletes the entry; by default its canonical text.
 * @throws {ShapeError} for any other range: an entry is one prefix.
 */
export function readRange(first: string, last: string, index: number, spelling?: string): ListedPrefix {
  const [from, to] = [parsePrefix(first.trim(), index), parsePrefix(last.trim(), index)];
  const width = from.family === 4 ? 32 : 128;
  const size = to.bits - from.bits + 1n;
  const bits = size > 0n ? size.toString(2).length - 1 : 0;
  const isOne = from.family === to.family && size > 0n && size === 1n << BigInt(bits) && from.bits % size === 0n;
  if (!isOne || from.length !== width || to.length !== width) {
    throw new ShapeError(
      `element ${index} is the range ${first.trim()} to ${last.trim()}, which is not a single prefix`,
    );
  }
  const prefix = parsePrefix(`${from.address}/${width - bits}`, index);
  return { prefix, spelling: spelling ?? prefix.toString() };
}

/** True for a value that could be the length of an address: an integer, a netmask, the end of a range. */
export function couldBeLength(value: unknown): boolean {
  return (typeof value === "string" && isAddressLike(value)) || lengthOf(value) !== undefined;
}

/** The length in a number, its text or a netmask, which is one of an address of its own family; `undefined` for anything else. */
export function lengthOf(value: unknown, address?: string): number | undefined {
  if (typeof value === "string" && isAddressLike(value)) return netmaskLength(value, address);
  const number = readNumber(typeof value === "string" ? value.replace(/^\//, "") : value)?.number;
  return number !== undefined && Number.isInteger(number) && number >= 0 && number <= 128 ? number : undefined;
}

/** The length of a netmask such as 255.255.255.0 or ffff::; `undefined` for any other address. */
function netmaskLength(text: string, address = text): number | undefined {
  const mask = prefixIn(text);
  if (!mask || text.includes("/") || text.includes(":") !== address.includes(":")) return undefined;
  const digits = mask.bits.toString(2).padStart(mask.length, "0");
  return /^1*0*$/.test(digits) ? digits.lastIndexOf("1") + 1 : undefined;
}

/**
 * Reads CIDR or a bare address, with host bits masked.
 *
 * @param index Number of its element, for the message.
 * @throws {ShapeError} for any other text, and for an address with the length 0, which may mean "no length" as well as "everything"
 */
export function parsePrefix(spelling: string, index?: number): Prefix {
  try {
    const prefix = Prefix.parse(spelling, { hostBits: "mask" });
    if (prefix.length > 0 || prefixIn(spelling) !== undefined) return prefix;
    const what = index === undefined ? quoted(spelling) : `element ${index}`;
    throw new ShapeError(`${what} has an address and the length 0, which would be the default route`);
  } catch (error) {
    if (!(error instanceof PrefixError)) throw error;
    const reason = error.message.replace(/\.$/, "");
    throw new ShapeError(index === undefined ? reason : `element ${index}: ${reason}`);
  }
}
