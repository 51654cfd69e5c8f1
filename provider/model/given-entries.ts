import { type ListedValue, sentIn } from "./entry";
import { isObject, type JsonObject, membersOf, someMember } from "./json";
import { Prefix } from "./prefix";

/** A prefix as an argument: its text in any spelling, or a parsed {@link Prefix}. */
export type PrefixLike = string | Prefix;

/** An entry of a list: a prefix and its content. `spelling`, which lists of nodes have, is ignored. */
export type EntryLike<Content> = {
  /** The prefix, in any spelling. */
  readonly prefix: PrefixLike;
  /** As a node wrote it. */
  readonly spelling?: string | undefined;
} & Content;

/** Members of an entry beside its prefix, where only its value counts. */
export interface ValueLike {
  /** Integer from 0 to 2³²−1; default 1. */
  readonly value?: ListedValue | undefined;
}

/**
 * Content of a set as an argument: prefixes alone (each with the value 1), entries with their prefix, pairs of prefix and
 * content, or a record or Map by prefix. A text as value, which some nodes list, is refused wherever entries are written.
 */
export type EntriesOf<Content> =
  | (Iterable<PrefixLike | EntryLike<Content> | readonly [PrefixLike, ListedValue | Content]> & object)
  | Readonly<Record<string, ListedValue | Content>>;

/** Entries as given, not yet checked. Paths are made for messages only, since they cost more than most entries. */
export interface GivenEntries {
  readonly spellings: readonly unknown[];
  content(index: number): unknown;
  /** Names an entry in messages: `entries[3]`, `entries["192.0.2.0/24"]`. */
  path(index: number): string;
}

/** Error for a value that cannot be entries. */
export const NO_ENTRIES = "is neither an array of prefixes nor an object with prefixes as keys";

/**
 * Reads all that {@link EntriesOf} allows, for resources, algebra and client. Checks neither prefixes nor contents.
 *
 * @param name Name of the argument in paths.
 * @returns `undefined` for a value that cannot be entries: a text, a number, a promise.
 */
export function givenEntries(given: unknown, name = "entries"): GivenEntries | undefined {
  if (given instanceof Map) return byPrefix([...given.keys()], (key) => given.get(key), name);
  if (isIterable(given)) return listed(Array.isArray(given) ? given : [...given], name);
  if (!isRecord(given)) return undefined;
  return byPrefix(Object.keys(given), (key) => given[String(key)], name);
}

/** True for a plain object of any realm. A promise is none: it has no members, and would pass for an empty set. */
export function isRecord(given: unknown): given is JsonObject {
  if (!isObject(given)) return false;
  const parent: unknown = Object.getPrototypeOf(given);
  return parent === null || Object.getPrototypeOf(parent) === null;
}

/** The text of a parsed prefix; anything else as it is. */
export function prefixText(given: unknown): unknown {
  return given instanceof Prefix ? given.toString() : given;
}

/** Puts the places to which entries of a prefix file were sent into a member: the engine keeps nothing under a symbol. */
export function withSentMembers(entries: unknown): unknown {
  if (Array.isArray(entries))
    return entries.map((one) => (isPair(one) ? [one[0], withSentMember(one[1])] : withSentMember(one)));
  if (!isRecord(entries) || !someMember(entries, (entry) => sentIn(entry) !== undefined)) return entries;
  return Object.fromEntries(Object.entries(entries).map(([prefix, entry]) => [prefix, withSentMember(entry)]));
}

function withSentMember(entry: unknown): unknown {
  const sent = sentIn(entry);
  return sent === undefined ? entry : { ...(entry as object), sent };
}

function isIterable(given: unknown): given is Iterable<unknown> {
  return typeof given === "object" && given !== null && Symbol.iterator in given;
}

function byPrefix(keys: readonly unknown[], contentOf: (key: unknown) => unknown, name: string): GivenEntries {
  return {
    spellings: keys.some((key) => key instanceof Prefix) ? keys.map(prefixText) : keys,
    content: (index) => contentOf(keys[index]),
    path: (index) => `${name}[${JSON.stringify(keys[index])}]`,
  };
}

function listed(elements: readonly unknown[], name: string): GivenEntries {
  const isPlain = elements.every((element) => typeof element === "string");
  return {
    spellings: isPlain ? elements : elements.map(spellingOf),
    content: (index) => (isPlain ? 1 : contentOf(elements[index])),
    path: (index) => `${name}[${index}]`,
  };
}

function spellingOf(element: unknown): unknown {
  if (element instanceof Prefix) return element.toString();
  if (isPair(element)) return prefixText(element[0]);
  return isObject(element) ? prefixText(element.prefix) : element;
}

function contentOf(element: unknown): unknown {
  if (isPair(element)) return element[1];
  if (!isObject(element) || element instanceof Prefix) return 1;
  const { prefix: _, spelling: __, ...content } = membersOf(element);
  const { value, ...note } = content;
  return Object.keys(note).length === 0 ? (value === undefined ? 1 : value) : content;
}

function isPair(element: unknown): element is readonly [unknown, unknown] {
  return Array.isArray(element) && element.length === 2;
}
