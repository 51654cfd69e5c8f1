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
import { givenEntries, isRecord, NO_ENTRIES } from "../model/given-entries";
import { hasUnknown, type JsonObject, membersOf, sameJson, UNKNOWN } from "../model/json";
import { type CanonicalPrefix, type HostBits, Prefix, PrefixError } from "../model/prefix";
import { type ListedMap, NOTHING } from "../model/prefix-map";
import { prefixIn } from "../model/readable";
import { firstIssue, objectError, schema, zod } from "../model/schema";

export const valueSchema = schema(() =>
  zod()
    .number({ error: "is not a number" })
    .int("is not an integer")
    .min(0, "is negative: values are integers from 0 to 4294967295")
    .max(MAX_VALUE, "is too large: values are integers from 0 to 4294967295"),
);

export const noteShape = schema(() => ({
  reason: zod().string({ error: "is not a text" }).optional(),
  ticket: zod().string({ error: "is not a text" }).optional(),
  expires: expiresSchema().optional(),
  sent: sentSchema().optional(),
}));

const entrySchema = schema(() =>
  zod().strictObject({ value: valueSchema().optional(), ...noteShape() }, { error: objectError() }),
);

/** Entries and notes of a set: two flat maps, so that the engine compares them key by key. */
export interface HeldEntries {
  /** Canonical prefix to value; a value may be the unknown marker in a preview. */
  readonly entries: ListedMap;
  /** Canonical prefix to note, as text. */
  readonly notes: ReadonlyMap<CanonicalPrefix, string>;
}

/** Content before the first write. */
export const NOTHING_HELD: HeldEntries = { entries: NOTHING, notes: new Map() };

/** The argument `entries` in its normal form. */
export interface NormalEntries extends HeldEntries {
  /** Expired prefixes with their times; they are no longer wanted. */
  readonly expired: ReadonlyMap<CanonicalPrefix, string>;
  /** Values with which `block --now` inserted the others. They belong to no state. */
  readonly sent: ReadonlyMap<CanonicalPrefix, SentTo>;
  /** Faults that fail the check, as sentences with the position. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** The argument, if it is an object with these entries and nothing else: an object of ten thousand members is costly to make. */
  readonly flat?: JsonObject | undefined;
}

/**
 * Turns the argument `entries` into flat maps; `undefined` while a prefix is unknown. Expired entries are left out, but keep
 * their notes, so that the next check does not report them again.
 *
 * @param options `held`: entries by the state. A held value is accepted even if it is invalid: with `ignoreChanges` the engine
 * passes the entries of the state. `any`: all values have passed a check. `at`: name of the set in `sent`, for a group by node.
 */
export function normaliseEntries(
  given: unknown,
  options: {
    hostBits?: HostBits | undefined;
    now: number;
    held?: ListedMap | "any";
    at?: string | ReadonlyMap<string, string> | undefined;
  },
): NormalEntries | undefined {
  if (given === UNKNOWN) return undefined;
  const list = givenEntries(given);
  if (list === undefined) {
    return {
      ...NOTHING_HELD,
      expired: new Map(),
      sent: new Map(),
      problems: [`entries: ${NO_ENTRIES}.`],
      warnings: [],
    };
  }
  if (list.spellings.some(hasUnknown)) return undefined;
  const entries = new Map<CanonicalPrefix, ListedValue>();
  // Most entries are canonical and have no note, so that the first map is enough.
  const spellings = new Map<CanonicalPrefix, unknown>();
  const noted = new Map<CanonicalPrefix, NonNullable<Content["note"]>>();
  const problems: string[] = [];
  const warnings: string[] = [];
  let isFlat = isRecord(given);
  list.spellings.forEach((spelling, index) => {
    const path = () => list.path(index);
    try {
      const prefix = parseAt(path, spelling, options.hostBits);
      const content = list.content(index);
      const { value, note } = readContent(path, content, options.held === "any" ? content : options.held?.get(prefix));
      if (spelling !== prefix || value !== content) isFlat = false;
      const earlier = entries.get(prefix);
      if (earlier === undefined) {
        entries.set(prefix, value);
        if (spelling !== prefix) spellings.set(prefix, spelling);
        if (note) noted.set(prefix, note);
        return;
      }
      const same = `${path()}: ${JSON.stringify(spelling)}`;
      const one = JSON.stringify(spellings.get(prefix) ?? prefix);
      const notes = [noted.get(prefix) ?? {}, note ?? {}] as const;
      const isSame = sameJson(...notes) || hasUnknown(notes);
      if (earlier === value && isSame) warnings.push(`${same} says the same as ${one} and is merged with it.`);
      else {
        const what = earlier === value ? "notes (reason, ticket or expires)" : `values (${value} and ${earlier})`;
        problems.push(`${same} and ${one} are the same prefix ${prefix} with different ${what}: keep one of them.`);
      }
    } catch (error) {
      if (!(error instanceof ArgumentProblem)) throw error;
      problems.push(error.message);
    }
  });
  const notes = new Map<CanonicalPrefix, string>();
  const expired = new Map<CanonicalPrefix, string>();
  const sent = new Map<CanonicalPrefix, SentTo>();
  for (const [prefix, note] of noted) {
    const { expires } = note;
    const isOver = expires !== undefined && isExpired(expires, options.now);
    if (isOver) {
      expired.set(prefix, expires);
      entries.delete(prefix);
    } else if (note.sent) sent.set(prefix, note.sent);
    const text = formatNote({ ...note, sent: undefined, ...(isOver && sentTo(note, options.at)) });
    if (text !== undefined) notes.set(prefix, text);
  }
  const flat = isFlat && problems.length === 0 ? membersOf(given) : undefined;
  return { entries, notes, expired, sent, problems, warnings, flat };
}

/** The value that `block --now` wrote, for a group by node. */
function sentTo(
  { sent: all = {} }: NonNullable<Content["note"]>,
  at: string | ReadonlyMap<string, string> = "",
): Pick<EntryNote, "sent"> {
  if (typeof at === "string") return { sent: all[at] };
  const sent = [...at].flatMap(([node, place]) => (all[place] === undefined ? [] : [[node, all[place]] as const]));
  return sent.length > 0 ? { sent: Object.fromEntries(sent) } : {};
}

/** The value of a note at a node, where `block --now` wrote one. */
export function sentAt({ sent }: EntryNote, node: unknown): number | undefined {
  return typeof sent === "object" ? Object.entries(sent).find(([name]) => name === node)?.[1] : sent;
}

/** Content of one element of `entries`. */
interface Content {
  readonly value: ListedValue;
  readonly note?: (Omit<EntryNote, "sent"> & { readonly sent?: SentTo | undefined }) | undefined;
}

/**
 * Entries of `block --now` in the set, with their values, that have expired or left the prefix file since. Entries in the
 * notes of the state were removed before: if they are there again, another writer put them.
 *
 * @param node The node, for a group.
 */
export function withdrawnOf(
  notes: NormalEntries["notes"],
  before: NormalEntries["notes"],
  node?: unknown,
): Map<CanonicalPrefix, number> {
  const withdrawn = new Map<CanonicalPrefix, number>();
  for (const [prefix, note] of notes) {
    const sent = note === before.get(prefix) ? undefined : sentAt(parseNote(note), node);
    if (sent !== undefined) withdrawn.set(prefix, sent);
  }
  return withdrawn;
}

/** True if the time is over; an unknown or absent one is not. */
export function isExpired(expires: string | undefined, now: number): boolean {
  return expires !== undefined && expires !== UNKNOWN && Date.parse(expires) <= now;
}

/** Fault of an argument, as a sentence that begins with its path. */
class ArgumentProblem extends Error {}

/** Result of the work. The message of an error of this kind becomes a problem; other errors are thrown on. */
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

/** Parses a prefix of an argument; messages begin with its path. */
export function parseAt(path: () => string, spelling: unknown, hostBits?: HostBits): CanonicalPrefix {
  if (typeof spelling !== "string") throw new ArgumentProblem(`${path()}: is not a text with a prefix in it.`);
  try {
    return Prefix.canonical(spelling, hostBits ? { hostBits } : {});
  } catch (error) {
    if (!(error instanceof PrefixError)) throw error;
    const parts = spelling.trim().split(/[\s,;]+/);
    const areSeveral = parts.length > 1 && parts.every((part) => prefixIn(part, { hostBits: "mask" }));
    throw new ArgumentProblem(
      areSeveral
        ? `${path()}: one text holds ${parts.length} prefixes: write each as a text of its own.`
        : `${path()}: ${error.message}`,
    );
  }
}

/** @param held The value by the state, which is accepted unchecked. */
function readContent(path: () => string, content: unknown, held: unknown): Content {
  if (content === UNKNOWN) return { value: UNKNOWN };
  if (content === held && (typeof held === "number" || typeof held === "string")) return { value: held };
  // Ten thousand plain numbers are usual: a schema for each takes a third of the time of a check.
  if (isEntryValue(content)) return { value: content };
  if (content === null || typeof content !== "object") {
    return { value: parseWith(valueSchema(), `${path()}: the value`, content) };
  }
  // So are objects with a value alone.
  const { value: plain } = membersOf(content);
  if (isEntryValue(plain) && Object.keys(content).length === 1) return { value: plain };
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
