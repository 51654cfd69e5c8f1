import { type EntriesLike, eachEntry, type PrefixEntries, parsePrefixAt } from "../entries";

/**
 * Merges entries. Of a prefix that occurs several times, the last entry counts, as with `{ ...a, ...b }`, but in whatever
 * spelling.
 *
 * @throws {TypeError} for an entry that is none.
 *
 * @example
 * ```ts
 * mergeEntries(readPrefixFile("drop_v4.json"), { "192.0.2.0/24": { value: 2, reason: "ours" } });
 * ```
 */
export function mergeEntries(...entries: readonly EntriesLike[]): PrefixEntries {
  const result: PrefixEntries = {};
  for (const [index, given] of entries.entries()) {
    eachEntry(given, `entries[${index}]`, (path, spelling, content) => {
      result[parsePrefixAt(path, spelling).toString()] = content;
    });
  }
  return result;
}
