import { type EntriesLike, laterOf, type PrefixEntries, prefixAt, readEntries } from "../entries";

/**
 * Merges entries. Of a prefix that occurs several times, the last entry counts, as with `{ ...a, ...b }`, but in whatever
 * spelling. An entry that has expired hides no other one: it is in the result only where no other entry has its prefix.
 *
 * @throws {TypeError} for an entry that is none.
 *
 * @example
 * ```ts
 * mergeEntries(readPrefixFile("drop_v4.json"), { "192.0.2.0/24": { value: 2, reason: "ours" } });
 * ```
 */
export function mergeEntries(...entries: readonly EntriesLike[]): PrefixEntries {
  return mergeAt(Date.now(), entries);
}

/** As {@link mergeEntries}. @param now Milliseconds since 1970. */
export function mergeAt(now: number, entries: readonly EntriesLike[]): PrefixEntries {
  const result: PrefixEntries = {};
  for (const [index, given] of entries.entries()) {
    const read = readEntries(given, `entries[${index}]`);
    for (let at = 0; at < read.spellings.length; at++) {
      const content = read.content(at);
      const prefix = prefixAt(read, at).toString();
      const earlier = result[prefix];
      result[prefix] = earlier === undefined ? content : laterOf(earlier, content, now);
    }
  }
  return result;
}
