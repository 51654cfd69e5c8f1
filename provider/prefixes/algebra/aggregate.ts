import type { EntriesLike, PrefixEntries } from "../entries";
import { fewestEntries } from "./optimal";
import { PrefixTable } from "./table";

/**
 * The same meaning in as few entries as can be: two halves with equal value, reason, ticket and expiry become the prefix
 * that they are the halves of, an entry goes whose next wider one says the same, and what most of a prefix says can become
 * one entry below the others. The longest match of every address says what it said before, also after some of the entries
 * have expired, no other address is covered, and there are never more entries than before. Only of entries with an expiry,
 * or with what `block --now` noted, more can be left than need be.
 *
 * @throws {TypeError} for an entry that is none.
 *
 * @example
 * ```ts
 * aggregatePrefixes(["192.0.2.0/25", "192.0.2.128/25", "192.0.2.7"]);    // { "192.0.2.0/24": { value: 1 } }
 * ```
 */
export function aggregatePrefixes(entries: EntriesLike): PrefixEntries {
  const result: PrefixEntries = {};
  for (const table of PrefixTable.of(entries)) {
    const fewer = aggregateTable(table);
    for (let index = 0; index < fewer.size; index++) result[fewer.prefix(index)] = fewer.entry(index);
  }
  return result;
}

/** The same for a table, which is used up. */
export function aggregateTable(table: PrefixTable): PrefixTable {
  const merged = mergeEqual(table);
  const fewest = fewestEntries(merged);
  // Another entry around them may let entries that end be merged.
  return fewest.size < merged.size ? aggregateTable(fewest) : merged;
}

/** Entries that say the same made one, wherever no other is in between. */
function mergeEqual(table: PrefixTable): PrefixTable {
  const kept = new Uint8Array(table.size).fill(1);
  const isBlocked = mergeHalves(table, kept);
  dropRepeated(table, kept);
  const indexes = new Uint32Array(kept.length);
  let size = 0;
  for (let index = 0; index < kept.length; index++) if (kept[index]) indexes[size++] = index;
  const fewer = table.pick(indexes.subarray(0, size));
  // What stood between two halves and the prefix that they make may be gone now.
  return isBlocked && fewer.size < table.size ? mergeEqual(fewer) : fewer;
}

/**
 * Walks the table as a trie, and closes a prefix once everything in it is behind. A right half that closes meets its left
 * half, the last one of its length that closed; where both say the same, the left one becomes both. That keeps the table
 * in order: a prefix begins where its left half does.
 *
 * @returns true when halves stay because an entry for both of them outlasts them.
 */
function mergeHalves(table: PrefixTable, kept: Uint8Array): boolean {
  let isBlocked = false;
  const { length, content } = table;
  const open: number[] = [];
  const closed = new Int32Array(table.bits + 1).fill(-1);
  for (let index = 0; index < table.size; index++) {
    for (let top = open.at(-1); top !== undefined && !table.contains(top, index); top = open.at(-1)) {
      open.pop();
      close(top);
    }
    open.push(index);
  }
  for (let top = open.pop(); top !== undefined; top = open.pop()) close(top);
  return isBlocked;

  function close(right: number): void {
    const own = length[right] as number;
    const left = closed[own] as number;
    if (!areHalves(left, right)) {
      closed[own] = right;
      return;
    }
    const outer = open.at(-1);
    if (outer === undefined || length[outer] !== own - 1) {
      kept[right] = 0;
      length[left] = own - 1;
      close(left);
    } else if (content[outer] === content[right] || outlives(right, outer)) {
      // Its halves say something else for every address of it, for as long as it lasts.
      content[outer] = content[right] as number;
      kept[left] = kept[right] = 0;
    } else {
      isBlocked = true;
      closed[own] = right;
    }
  }

  function areHalves(left: number, right: number): boolean {
    const own = length[right] as number;
    return (
      own > 0 &&
      left >= 0 &&
      left !== right &&
      kept[left] === 1 &&
      length[left] === own &&
      content[left] === content[right] &&
      table.bit(right, own - 1) === 1 &&
      table.bit(left, own - 1) === 0 &&
      table.agree(left, right, own - 1)
    );
  }

  function outlives(a: number, b: number): boolean {
    const [mine, other] = [table.entry(a).expires, table.entry(b).expires];
    return mine === undefined || (other !== undefined && Date.parse(other) <= Date.parse(mine));
  }
}

/** Drops what the next wider prefix says too. */
function dropRepeated(table: PrefixTable, kept: Uint8Array): void {
  const open: number[] = [];
  for (let index = 0; index < table.size; index++) {
    if (!kept[index]) continue;
    let top = open.at(-1);
    while (top !== undefined && !table.contains(top, index)) {
      open.pop();
      top = open.at(-1);
    }
    if (top !== undefined && table.content[top] === table.content[index]) kept[index] = 0;
    else open.push(index);
  }
}
