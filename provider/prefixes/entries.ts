import { expiresSchema, isEntryValue, MAX_VALUE, type SentTo, sentSchema } from "../model/entry";
import { type CanonicalPrefix, Prefix, PrefixError } from "../model/prefix";
import { firstIssue, objectError, schema, zod } from "../model/schema";

/** What a set holds for a prefix: its value, and what people write beside it. Immutable, since entries share it. */
export interface PrefixEntry {
  /** Integer from 0 to 2³²−1. */
  readonly value: number;
  /** Why the entry exists. */
  readonly reason?: string;
  /** Reference into another system, for example `INC-4711`. */
  readonly ticket?: string;
  /** ISO 8601 time with zone, after which the entry is no longer wanted. */
  readonly expires?: string;
  /**
   * Where `block --now` put the entry itself: address of the node and url of the set to the value. Once the entry has
   * expired, a `PrefixSet` or `PrefixSetEntry` there removes it even if no `up` has seen it before.
   */
  readonly sent?: SentTo;
}

/** Canonical prefix to what it holds: the `entries` of a `PrefixSet`. */
export type PrefixEntries = Record<string, PrefixEntry>;

/** Entries as people write them: what a `PrefixSet` takes, without Outputs. */
export type EntriesLike =
  | readonly string[]
  | Readonly<Record<string, number | { readonly [K in keyof PrefixEntry]?: PrefixEntry[K] | undefined }>>;

/** What an entry may say beside its prefix. */
const entrySchema = schema(() => {
  const z = zod();
  const text = z.string({ error: "is not a text" });
  return z.strictObject(
    {
      value: z.unknown().refine(isEntryValue, `is not an integer from 0 to ${MAX_VALUE}`).optional(),
      reason: text.optional(),
      ticket: text.optional(),
      expires: expiresSchema().optional(),
      sent: sentSchema().optional(),
    },
    { error: objectError("is neither a number nor an object") },
  );
});

/** True for a time that says its zone. */
export function isExpiry(time: unknown): boolean {
  return expiresSchema().safeParse(time).success;
}

/** True for what says where an entry was put. */
export function isSentTo(given: unknown): given is SentTo {
  return sentSchema().safeParse(given).success;
}

const byValue = new Map<number, PrefixEntry>();

/** An entry that says nothing but its value: one object for all of them, or a million lines would need a million. */
export function plainEntry(value: number): PrefixEntry {
  let entry = byValue.get(value);
  if (!entry) {
    // Values that count something could be as many as entries.
    if (byValue.size > 1_000) byValue.clear();
    entry = Object.freeze({ value });
    byValue.set(value, entry);
  }
  return entry;
}

/** An entry without members that say nothing. */
export function makeEntry(
  value: number,
  { reason, ticket, expires, sent }: { [K in keyof Omit<PrefixEntry, "value">]?: PrefixEntry[K] | undefined },
): PrefixEntry {
  if (!reason && !ticket && !expires && !sent) return plainEntry(value);
  return Object.freeze({
    value,
    ...(reason && { reason }),
    ...(ticket && { ticket }),
    ...(expires && { expires }),
    ...(sent && { sent }),
  });
}

/**
 * Calls `visit` for each entry as people write it, and with what names it in messages.
 * @throws {TypeError} naming the entry whose content is wrong; prefixes are not looked at.
 */
export function eachEntry(
  given: EntriesLike,
  argument: string | undefined,
  visit: (path: () => string, spelling: unknown, content: PrefixEntry) => void,
): void {
  const name = argument ?? "entries";
  if (isArray(given)) {
    const content = plainEntry(1);
    for (let index = 0; index < given.length; index++) visit(() => `${name}[${index}]`, given[index], content);
    return;
  }
  requireMap(given, name);
  for (const spelling of Object.keys(given)) {
    const path = () => `${name}[${JSON.stringify(spelling)}]`;
    visit(path, spelling, contentOf(path, given[spelling]));
  }
}

/**
 * The prefixes of entries of which the content does not matter.
 * @throws {TypeError} for what is no entries; prefixes are not looked at.
 */
export function spellingsOf(given: EntriesLike, argument: string): readonly string[] {
  if (isArray(given)) return given;
  requireMap(given, argument);
  return Object.keys(given);
}

/** A text has characters, and a Map, a Set or a promise no members: each would be taken for entries that it does not hold. */
function requireMap(given: unknown, name: string): void {
  if (isPlain(given)) return;
  throw new TypeError(`\`${name}\` is neither an array of prefixes nor an object with prefixes as keys.`);
}

/** True for an object that is written as `{ … }` or was parsed, in whatever realm. */
export function isPlain(given: unknown): given is object {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return false;
  const parent: unknown = Object.getPrototypeOf(given);
  return parent === null || Object.getPrototypeOf(parent) === null;
}

/** As `Array.isArray`, which does not tell a readonly array from an object. */
function isArray(given: EntriesLike): given is readonly string[] {
  return Array.isArray(given);
}

/** @throws {TypeError} naming the place. */
export function parsePrefixAt(path: () => string, spelling: unknown): Prefix {
  if (typeof spelling !== "string") throw new TypeError(`\`${path()}\` is not a text with a prefix in it.`);
  try {
    return Prefix.fromCanonical(spelling as CanonicalPrefix);
  } catch (error) {
    if (error instanceof PrefixError) throw new TypeError(`\`${path()}\`: ${error.message}`, { cause: error });
    throw error;
  }
}

function contentOf(path: () => string, content: unknown): PrefixEntry {
  if (isEntry(content)) return content;
  if (isEntryValue(content)) return plainEntry(content);
  const result = entrySchema().safeParse(typeof content === "number" ? { value: content } : content);
  if (!result.success) {
    const { place, message } = firstIssue(result.error, path());
    throw new TypeError(`\`${place}\` ${message}.`);
  }
  const { value = 1, ...note } = result.data;
  return makeEntry(value, note);
}

/** True for what {@link makeEntry} made, and all that looks the same: a schema for each of a million takes seconds. */
function isEntry(content: unknown): content is PrefixEntry {
  if (typeof content !== "object" || content === null || !Object.isFrozen(content)) return false;
  let hasValue = false;
  for (const [name, part] of Object.entries(content)) {
    if (name === "value") hasValue = isEntryValue(part);
    else if (name === "expires") {
      if (!isExpiry(part)) return false;
    } else if (name === "sent") {
      if (!isSentTo(part)) return false;
    } else if ((name !== "reason" && name !== "ticket") || typeof part !== "string") return false;
  }
  return hasValue;
}
