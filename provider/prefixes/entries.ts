import {
  expiresSchema,
  isEntryValue,
  type ListedValue,
  MAX_VALUE,
  NO_SENT,
  parseSent,
  SENT,
  sentIn,
} from "../model/entry";
import { type EntriesOf, type GivenEntries, givenEntries, NO_ENTRIES } from "../model/given-entries";
import { type CanonicalPrefix, Prefix, PrefixError } from "../model/prefix";
import { firstIssue, objectError, schema, zod } from "../model/schema";

/** Content of a set for a prefix: value and note. Immutable, since entries share it. */
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
   * Places where `block --now` inserted the entry, as in `sent` of the file: value, url of the set and addresses of nodes. Once
   * the entry has expired, a `PrefixSet` or `PrefixSetEntry` there removes it even if no `up` has seen it. Spread and merged
   * entries keep it; JSON, outputs of a stack and Outputs of the program do not have it.
   */
  readonly [SENT]?: string;
}

/** Content by canonical prefix: the `entries` of a `PrefixSet`. */
export type PrefixEntries = Record<string, PrefixEntry>;

/** Members of an entry beside its prefix, in files and in lists of nodes. */
type EntryContent = { readonly [K in keyof Omit<PrefixEntry, "value">]?: PrefixEntry[K] | undefined } & {
  /** Integer from 0 to 2³²−1; default 1. */
  readonly value?: ListedValue | undefined;
  /** Places where `block --now` inserted the entry. Default: none. */
  readonly sent?: string | undefined;
};

/** Entries of a `PrefixSet` without Outputs: prefixes, entries, or a record or Map by prefix; the results of lists included. */
export type EntriesLike = EntriesOf<EntryContent>;

/** Members of an entry beside its prefix. */
const entrySchema = schema(() => {
  const z = zod();
  const text = z.string({ error: "is not a text" });
  return z.strictObject(
    {
      value: z.unknown().refine(isEntryValue, `is not an integer from 0 to ${MAX_VALUE}`).optional(),
      reason: text.optional(),
      ticket: text.optional(),
      expires: expiresSchema().optional(),
      sent: z.string({ error: NO_SENT }).refine(isSent, NO_SENT).optional(),
    },
    { error: objectError("is neither a number nor an object") },
  );
});

/** The time after which an entry is no longer wanted, in milliseconds since 1970; infinite for entries without an expiry. */
export function endOf({ expires }: Pick<PrefixEntry, "expires">): number {
  return expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires);
}

/**
 * The later one of two entries of one prefix, unless it alone has expired: what is over hides nothing.
 *
 * @param now Milliseconds since 1970.
 */
export function laterOf(earlier: PrefixEntry, later: PrefixEntry, now: number): PrefixEntry {
  return endOf(later) <= now && endOf(earlier) > now ? earlier : later;
}

/** True for an ISO 8601 time with zone. */
export function isExpiry(time: unknown): boolean {
  return expiresSchema().safeParse(time).success;
}

/** True for a text with the places of `block --now`. */
export function isSent(given: unknown): given is string {
  return typeof given === "string" && parseSent(given) !== undefined;
}

const byValue = new Map<number, PrefixEntry>();

/** An entry with a value only. Entries with equal values share one object, since a list may have a million of them. */
export function plainEntry(value: number): PrefixEntry {
  let entry = byValue.get(value);
  if (!entry) {
    // There may be as many values as entries.
    if (byValue.size > 1_000) byValue.clear();
    entry = Object.freeze({ value });
    byValue.set(value, entry);
  }
  return entry;
}

/** Makes an entry, without empty members. */
export function makeEntry(value: number, { reason, ticket, expires, sent }: Omit<EntryContent, "value">): PrefixEntry {
  if (!reason && !ticket && !expires && !sent) return plainEntry(value);
  return Object.freeze({
    value,
    ...(reason && { reason }),
    ...(ticket && { ticket }),
    ...(expires && { expires }),
    ...(sent && { [SENT]: sent }),
  });
}

/** Entries as given, of which no prefix is checked. */
interface ReadEntries extends GivenEntries {
  /** @throws {TypeError} naming an entry with wrong content. */
  content(index: number): PrefixEntry;
}

/**
 * Reads entries one by one, without an object for each of a million.
 * @throws {TypeError} for a value that cannot be entries
 */
export function readEntries(given: EntriesLike, argument = "entries"): ReadEntries {
  const { spellings, content, path } = read(given, argument);
  // Most entries share one content, which is frozen and so judged once.
  let last: PrefixEntry | undefined;
  return {
    spellings,
    path,
    content(index) {
      const one = content(index);
      if (last === undefined || one !== last) last = contentOf(() => path(index), one);
      return last;
    },
  };
}

/**
 * The prefixes of entries, not checked.
 * @throws {TypeError} for a value that cannot be entries
 */
export function spellingsOf(given: EntriesLike, argument: string): readonly string[] {
  return read(given, argument).spellings as readonly string[];
}

function read(given: EntriesLike, name: string): GivenEntries {
  const read = givenEntries(given, name);
  if (read) return read;
  throw new TypeError(`\`${name}\` ${NO_ENTRIES}.`);
}

/** The prefix of an entry. @throws {TypeError} naming the place. */
export function prefixAt({ spellings, path }: GivenEntries, index: number): Prefix {
  const spelling = spellings[index];
  if (typeof spelling !== "string") throw new TypeError(`\`${path(index)}\` is not a text with a prefix in it.`);
  try {
    return Prefix.fromCanonical(spelling as CanonicalPrefix);
  } catch (error) {
    if (error instanceof PrefixError) throw new TypeError(`\`${path(index)}\`: ${error.message}`, { cause: error });
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
  return makeEntry(value, { sent: sentIn(content), ...note });
}

/** True for results of {@link makeEntry} and equal objects: applying the schema to a million of them takes seconds. */
function isEntry(content: unknown): content is PrefixEntry {
  if (typeof content !== "object" || content === null || !Object.isFrozen(content)) return false;
  let hasValue = false;
  for (const [name, part] of Object.entries(content)) {
    if (name === "value") hasValue = isEntryValue(part);
    else if (name === "expires") {
      if (!isExpiry(part)) return false;
    } else if ((name !== "reason" && name !== "ticket") || typeof part !== "string") return false;
  }
  return hasValue;
}
