import { type EntriesLike, endOf, type PrefixEntries } from "../entries";
import { fewestEntries } from "./optimal";
import { PrefixTable } from "./table";

/**
 * Returns the fewest entries with the same meaning. Two halves of a prefix with equal value, reason, ticket and expiry are
 * merged; an entry is dropped if the next wider one has the same content; the prevailing content of a prefix can become one
 * entry below the others. The longest match of every address keeps its content, also after some entries have expired, and no
 * other address is covered. Only with an expiry or a note of `block --now` can more entries be left than necessary.
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

/** As {@link aggregatePrefixes}, for a table, which it may change. */
export function aggregateTable(table: PrefixTable): PrefixTable {
  const merged = mergeEqual(table);
  const fewest = fewestEntries(merged);
  // A new entry around entries with an expiry may allow merging them.
  return fewest.size < merged.size ? aggregateTable(fewest) : merged;
}

/** Merges entries with equal content, if no other is in between. */
function mergeEqual(table: PrefixTable): PrefixTable {
  const kept = new Uint8Array(table.size).fill(1);
  const isBlocked = mergeHalves(table, kept);
  dropRepeated(table, kept);
  if (!kept.includes(0)) return table;
  const fewer = table.compacted(kept);
  // An entry between two halves and their prefix may be gone now.
  return isBlocked && fewer.size < table.size ? mergeEqual(fewer) : fewer;
}

/**
 * Walks the table as a trie, and closes a prefix after its last entry. When a right half closes, its left half is the last of
 * its length that closed; if both have equal content, the left one becomes their prefix. The table stays in order, since a
 * prefix begins where its left half does.
 *
 * @returns true if halves stay because an entry for both of them expires later.
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
      table.widen(left);
      close(left);
    } else if (content[outer] === content[right] || endOf(table.entry(right)) >= endOf(table.entry(outer))) {
      // Its halves hide it for all of its addresses until it expires.
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
}

/** Drops entries whose next wider one has the same content. */
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
