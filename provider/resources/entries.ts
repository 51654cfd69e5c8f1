import type { z } from "zod";
import {
  type EntryNote,
  expiresSchema,
  formatNote,
  isEntryValue,
  type ListedValue,
  MAX_VALUE,
  parseNote,
  type SentTo,
  sentSchema,
} from "../model/entry";
import { givenEntries, NO_ENTRIES } from "../model/given-entries";
import { hasUnknown, UNKNOWN } from "../model/json";
import { type CanonicalPrefix, type HostBits, Prefix, PrefixError } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { firstIssue, objectError, schema, zod } from "../model/schema";

/** The value of an entry. */
export const valueSchema = schema(() =>
  zod()
    .number({ error: "is not a number" })
    .int("is not an integer")
    .min(0, "is negative: values are integers from 0 to 4294967295")
    .max(MAX_VALUE, "is too large: values are integers from 0 to 4294967295"),
);

/** Note of an entry. */
export const noteShape = schema(() => ({
  reason: zod().string({ error: "is not a text" }).optional(),
  ticket: zod().string({ error: "is not a text" }).optional(),
  expires: expiresSchema().optional(),
  sent: sentSchema().optional(),
}));

const entrySchema = schema(() =>
  zod().strictObject({ value: valueSchema().optional(), ...noteShape() }, { error: objectError() }),
);

/** Entries and notes of a set: two flat maps, which the engine can compare key by key. */
export interface HeldEntries {
  /** Canonical prefix to value; a value may be the unknown marker in a preview. */
  readonly entries: ListedMap;
  /** Canonical prefix to note, as text; only entries that have one. */
  readonly notes: ReadonlyMap<CanonicalPrefix, string>;
}

/** Before a resource has put anything into its set. */
export const NOTHING_HELD: HeldEntries = { entries: new Map(), notes: new Map() };

/** The argument `entries` in its normal form. */
export interface NormalEntries extends HeldEntries {
  /** Prefixes whose time has come, which are not wanted any more, with that time. */
  readonly expired: ReadonlyMap<CanonicalPrefix, string>;
  /** Sentences that fail the check, each with the position. */
  readonly problems: readonly string[];
  /** Sentences for people that change nothing. */
  readonly warnings: readonly string[];
}

/**
 * Turns `entries` as people write it into flat maps. `undefined` when a prefix is still unknown.
 * Expired entries are no entries, but keep their notes: by them the next check knows that they are no news.
 *
 * @param options `held`: what the set holds by the state. A value that others wrote is let through where it is the one
 * that is held: with `ignoreChanges` the engine hands the state's own entries in. `at`: the set as `sent` calls it; of a group by node.
 */
export function normaliseEntries(
  given: unknown,
  options: {
    hostBits?: HostBits | undefined;
    now: number;
    held?: ListedMap;
    at?: string | ReadonlyMap<string, string> | undefined;
  },
): NormalEntries | undefined {
  if (given === UNKNOWN) return undefined;
  const list = givenEntries(given);
  if (list === undefined) {
    return { ...NOTHING_HELD, expired: new Map(), problems: [`entries: ${NO_ENTRIES}.`], warnings: [] };
  }
  if (list.spellings.some(hasUnknown)) return undefined;
  const entries = new Map<CanonicalPrefix, ListedValue>();
  // Most are in canonical form and without a note, so that one map has all that there is to know of them.
  const spellings = new Map<CanonicalPrefix, unknown>();
  const noted = new Map<CanonicalPrefix, NonNullable<Content["note"]>>();
  const problems: string[] = [];
  const warnings: string[] = [];
  for (let index = 0; index < list.spellings.length; index++) {
    const spelling = list.spellings[index];
    const path = () => list.path(index);
    try {
      const prefix = parseAt(path, spelling, options.hostBits);
      const { value, note } = readContent(path, list.content(index), options.held?.get(prefix));
      const earlier = entries.get(prefix);
      if (earlier === undefined) {
        entries.set(prefix, value);
        if (spelling !== prefix) spellings.set(prefix, spelling);
        if (note) noted.set(prefix, note);
        continue;
      }
      const same = `${path()}: ${JSON.stringify(spelling)}`;
      const one = JSON.stringify(spellings.get(prefix) ?? prefix);
      if (earlier === value) warnings.push(`${same} says the same as ${one} and is merged with it.`);
      else {
        problems.push(
          `${same} and ${one} are the same prefix ${prefix} with different values (${value} and ${earlier}): keep one of them.`,
        );
      }
    } catch (error) {
      if (!(error instanceof ArgumentProblem)) throw error;
      problems.push(error.message);
    }
  }
  const notes = new Map<CanonicalPrefix, string>();
  const expired = new Map<CanonicalPrefix, string>();
  for (const [prefix, note] of noted) {
    const { expires } = note;
    const isOver = expires !== undefined && isExpired(expires, options.now);
    if (isOver) {
      expired.set(prefix, expires);
      entries.delete(prefix);
    }
    const text = formatNote({ ...note, sent: undefined, ...(isOver && sentTo(note, options.at)) });
    if (text !== undefined) notes.set(prefix, text);
  }
  return { entries, notes, expired, problems, warnings };
}

/** The value that `block --now` put in, and of a group the nodes at which it did. */
function sentTo(
  { sent: all = {} }: NonNullable<Content["note"]>,
  at: string | ReadonlyMap<string, string> = "",
): Pick<EntryNote, "sent" | "at"> {
  if (typeof at === "string") return { sent: all[at] };
  const [sent] = [...at.values()].flatMap((place) => all[place] ?? []);
  return sent === undefined ? {} : { sent, at: [...at].flatMap(([node, place]) => (all[place] === sent ? node : [])) };
}

/** Content of one element of `entries`. */
interface Content {
  readonly value: ListedValue;
  readonly note?: (Omit<EntryNote, "sent"> & { readonly sent?: SentTo | undefined }) | undefined;
}

/**
 * Entries that `block --now` put into the set, with their values, and that have expired or were taken out of the prefix file
 * since. Each once: an entry in the notes of the state was dealt with before, and is another writer's if it is there again.
 *
 * @param node Of a group: the node that it is asked for.
 */
export function withdrawnOf(
  notes: NormalEntries["notes"],
  before: NormalEntries["notes"],
  node?: unknown,
): Map<CanonicalPrefix, number> {
  const withdrawn = new Map<CanonicalPrefix, number>();
  for (const [prefix, note] of notes) {
    const { sent, at }: EntryNote = note === before.get(prefix) ? {} : parseNote(note);
    if (sent !== undefined && (!at || (typeof node === "string" && at.includes(node)))) withdrawn.set(prefix, sent);
  }
  return withdrawn;
}

/** True when the time has come. An unknown or absent time has not. */
export function isExpired(expires: string | undefined, now: number): boolean {
  return expires !== undefined && expires !== UNKNOWN && Date.parse(expires) <= now;
}

/** A problem with an argument, as a sentence that begins with its path. */
class ArgumentProblem extends Error {}

/** Result of the work; the message of an error of this kind goes to the problems, any other error is thrown on. */
export function noting<T>(
  problems: string[],
  work: () => T,
  kind: new (...args: never[]) => Error = ArgumentProblem,
): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof kind)) throw error;
    problems.push(error.message);
    return undefined;
  }
}

/** Parses a prefix of an argument; the message begins with where it stands. */
export function parseAt(path: () => string, spelling: unknown, hostBits?: HostBits): CanonicalPrefix {
  if (typeof spelling !== "string") throw new ArgumentProblem(`${path()}: is not a text with a prefix in it.`);
  try {
    return Prefix.canonical(spelling, hostBits ? { hostBits } : {});
  } catch (error) {
    if (error instanceof PrefixError) throw new ArgumentProblem(`${path()}: ${error.message}`);
    throw error;
  }
}

/** @param held The value by the state: where that is what is given, nothing more is asked of it. */
function readContent(path: () => string, content: unknown, held: ListedValue | undefined): Content {
  if (content === UNKNOWN) return { value: UNKNOWN };
  if (content !== undefined && content === held) return { value: held };
  // Ten thousand plain numbers are usual, and a schema for each of them is a third of the time of a check.
  if (isEntryValue(content)) return { value: content };
  if (content === null || typeof content !== "object") {
    return { value: parseWith(valueSchema(), `${path()}: the value`, content) };
  }
  const members = Object.entries(content);
  const unknown = Object.fromEntries(members.filter(([, member]) => member === UNKNOWN));
  const checkable = Object.fromEntries(members.filter(([, member]) => member !== UNKNOWN));
  const { value = 1, ...note } = { ...parseWith(entrySchema(), path(), checkable), ...unknown };
  return { value, note };
}

function parseWith<T>(schema: z.ZodType<T>, path: string, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { place, message } = firstIssue(result.error, path);
  throw new ArgumentProblem(`${place} ${message}.`);
}
