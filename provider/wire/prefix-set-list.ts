import type { ListedValue } from "../model/entry";
import { isObject, type JsonObject } from "../model/json";
import type { Prefix } from "../model/prefix";
import type { Answers, NodeHabits } from "./answers";
import {
  IN_TEXT,
  type ListedPrefix,
  membersReader,
  naturalRole,
  type ReadMembers,
  readPrefix,
  readPrefixWithLength,
  readRange,
} from "./entry-members";
import { refuseState } from "./entry-state";
import { findList } from "./envelope";
import { describe, quoted, readNumber, ShapeError } from "./json";
import { addressText, isAddressLike, namesFor } from "./places";
import { describedBy } from "./remedies";

/** One entry of a prefix-set as a node lists it. */
export interface ListedEntry {
  /** Canonical prefix, with host bits masked. */
  readonly prefix: Prefix;
  /** As the node lists it; see {@link ListedValue}. */
  readonly value: ListedValue;
  /** The node's own text of the prefix, which deletes the entry. */
  readonly spelling: string;
}

/** Value of entries that are listed without one: the contract's value "may always be 1". */
const DEFAULT_VALUE = 1;

/**
 * Reads the list of a prefix-set in every documented form: records under the usual names, in any case, with the length in the
 * address or beside it; plain strings; pairs of prefix and value; an object keyed by prefix. Returns every element in its
 * place, even if a prefix occurs in two spellings. Keeps values that this package would not write. Elements are checked by
 * hand rather than by zod: every refresh reads lists of 50 000 entries.
 *
 * @throws {ShapeError} on anything else, which is never taken for an empty list. A bare address beside a possible length is
 * refused too, and never read as a single address.
 */
export function readPrefixSetList(json: unknown, habits: NodeHabits = {}): ListedEntry[] {
  const list = findList(json, "prefixset", habits);
  const named = Object.values(namesFor(habits.answers ?? {}, "prefixset")).map((name) => name.toLowerCase());
  const how: HowToRead = {
    answers: habits.answers,
    members: membersReader(habits.answers),
    isNamed: (name) => named.includes(name.toLowerCase()),
  };
  if (list.kind === "array") return list.elements.map((element, index) => readEntry(element, index, how));
  return Object.entries(list.members).map(([text, content], index) =>
    isObject(content) ? readRecord(content, index, how, text) : withValue(readPrefix(text, index), content, index),
  );
}

interface HowToRead {
  readonly answers: Answers | undefined;
  readonly members: ReadMembers;
  /** True for a member that the settings name. */
  readonly isNamed: (name: string) => boolean;
}

function readEntry(element: unknown, index: number, how: HowToRead): ListedEntry {
  if (typeof element === "string") return withValue(readPrefix(element, index), undefined, index);
  if (isObject(element)) return readRecord(element, index, how);
  if (Array.isArray(element) && element.length > 2) {
    throw new ShapeError(`element ${index} is ${describe(element)} of ${element.length}`, describedBy("columns"));
  }
  const [address, value] = Array.isArray(element) && element.length === 2 ? element : [];
  const text = addressText(address);
  if (text === undefined) throw new ShapeError(`element ${index} is ${describe(element)}`);
  return withValue(readPrefix(text, index), value, index);
}

/** @param key Name of the record in an object keyed by prefix. */
function readRecord(record: JsonObject, index: number, how: HowToRead, key?: string): ListedEntry {
  const setting = how.answers?.columns === undefined ? "names" : "columns";
  const refuse = (problem: string, remedy = describedBy(setting)) =>
    new ShapeError(`element ${index} ${problem}`, remedy);
  const members = how.members(record);
  refuseState(record, `element ${index}`, how.answers, how.isNamed);
  const { prefix, length, value, start, end, hasTwo, suspect, lacksLength, mayBeValue } = members;
  if (hasTwo) throw refuse(`has two ${TWO[hasTwo]} (${describe(record)})`);
  const text = addressText(prefix ?? start) ?? key;
  const last = addressText(end);
  if (last !== undefined && text !== undefined && !text.includes("/")) {
    return withValue(readRange(text, last, index), value, index);
  }
  if (text === undefined) throw refuse(`has no prefix (${describe(record)})`);
  if (lacksLength && !text.includes("/")) {
    const name = quoted(namesFor(how.answers ?? {}, "prefixset").prefixLength ?? "");
    throw refuse(`has no member ${name} for its length (${describe(record)})`);
  }
  // An end in a form that no reader knows is none, either.
  const isStart = (end ?? undefined) !== undefined || ((prefix ?? undefined) === undefined && start !== undefined);
  if (isStart && length === undefined && !text.includes("/"))
    throw refuse(`has the first address of a range and no last one (${describe(record)})`);
  if (length === undefined && suspect !== undefined && !text.includes("/")) {
    throw refuse(
      `is a bare address beside ${quoted(suspect)}, which could be its length`,
      `If it is, set answers.${setting}.prefixLength; if not, set answers.names.prefixLength: "${IN_TEXT}".`,
    );
  }
  if (mayBeValue !== undefined && (value === undefined || readNumber(value) === undefined)) {
    const has = value === undefined ? "no value" : `the value ${describe(value)}`;
    const own = Object.keys(record).find((name) => naturalRole(name) === "value") ?? "value";
    throw refuse(
      `has ${has}, and ${mayBeValue.slice(0, 2).map(quoted).join(" or ")} could be it`,
      `If it is, set answers.${setting}.value; if not, set answers.names.value: ${JSON.stringify(own)}.`,
    );
  }
  const listed = length === undefined ? readPrefix(text, index) : readPrefixWithLength(text, length, index);
  if (key !== undefined && key !== text && !listed.prefix.equals(readPrefix(key, index).prefix)) {
    throw new ShapeError(`element ${index} stands under ${quoted(key)} and names ${quoted(text)}`);
  }
  return withValue(listed, value, index);
}

const TWO = {
  prefix: "addresses",
  length: "lengths",
  value: "values",
  start: "first addresses",
  end: "last addresses",
};

function withValue(listed: ListedPrefix, given: unknown, index: number): ListedEntry {
  const value = given === undefined ? DEFAULT_VALUE : readValue(given);
  // An address beside an address is the end of a range or another entry, never a value.
  const isRange = typeof value === "string" && isAddressLike(value);
  if (value === undefined || isRange) throw new ShapeError(`element ${index} has the value ${describe(given)}`);
  return { prefix: listed.prefix, value, spelling: listed.spelling };
}

/** Reads quoted integers as numbers, and keeps the digits if a double would round them. */
function readValue(value: unknown): ListedValue | undefined {
  const read = readNumber(value);
  if (read) return read.exact ?? read.number;
  return typeof value === "string" ? value : undefined;
}
