import { isRecord } from "../../model/given-entries";
import { formatPrefix } from "../address";
import { type EntriesLike, type PrefixEntries, type PrefixEntry, spellingsOf } from "../entries";
import { aggregateTable } from "./aggregate";
import { PrefixTable } from "./table";

/** Options of {@link excludePrefixes}. */
export interface ExcludeOptions {
  /**
   * Treatment of an entry that is wider than an excluded prefix: `true` (default) splits it into the fewest prefixes
   * that leave the excluded one out, `false` drops it as a whole.
   */
  readonly split?: boolean;
}

/**
 * Returns the entries without some prefixes: no address of these is covered any more, and the longest match of every other
 * address keeps its content. A /8 without one address becomes 24 entries; `{ split: false }` drops it instead.
 *
 * @throws {TypeError} for an entry, a prefix or an option that is none.
 *
 * @example
 * ```ts
 * excludePrefixes({ "192.0.2.0/24": 2 }, ["192.0.2.0/26"]);
 * // { "192.0.2.64/26": { value: 2 }, "192.0.2.128/25": { value: 2 } }
 * ```
 */
export function excludePrefixes(
  entries: EntriesLike,
  prefixes: EntriesLike,
  options: ExcludeOptions = {},
): PrefixEntries {
  return cut(entries, prefixes, readSplit(options) ? "outside" : "untouched");
}

function readSplit(options: ExcludeOptions): boolean {
  if (!isRecord(options)) throw new TypeError("The options are not an object.");
  const unknown = Object.keys(options).find((name) => name !== "split");
  if (unknown !== undefined) throw new TypeError(`There is no option \`${unknown}\`.`);
  const { split = true } = options;
  if (typeof split !== "boolean") throw new TypeError("The option `split` is neither true nor false.");
  return split;
}

/**
 * Returns the entries within some prefixes: the longest match of every address of these keeps its content, and no other
 * address is covered.
 *
 * @throws {TypeError} for an entry or a prefix that is none.
 *
 * @example
 * ```ts
 * intersectPrefixes({ "192.0.2.0/24": 2, "198.51.100.0/24": 1 }, ["192.0.2.0/25"]);    // { "192.0.2.0/25": { value: 2 } }
 * ```
 */
export function intersectPrefixes(entries: EntriesLike, prefixes: EntriesLike): PrefixEntries {
  return cut(entries, prefixes, "inside");
}

type Keep = "inside" | "outside" | "untouched";

function cut(entries: EntriesLike, prefixes: EntriesLike, keep: Keep): PrefixEntries {
  const result: PrefixEntries = {};
  const tables = PrefixTable.of(entries);
  // Merged regions: none contains another, and no entry is split in vain.
  const others = PrefixTable.of(spellingsOf(prefixes, "prefixes"), "prefixes").map(aggregateTable);
  for (const [index, table] of tables.entries()) {
    const regions = others[index] as PrefixTable;
    new Cutter(table, regions, keep, result).visit(0, 0, table.size, 0, regions.size, undefined);
  }
  return result;
}

/** Walks the common binary trie of two tables; opens only nodes that have entries of both. */
class Cutter {
  /** The address of the current node. */
  private readonly node: Uint32Array;

  constructor(
    private readonly entries: PrefixTable,
    private readonly regions: PrefixTable,
    private readonly keep: Keep,
    private readonly result: PrefixEntries,
  ) {
    this.node = new Uint32Array(entries.words);
  }

  /**
   * Visits the node of `depth` bits that holds the entries `[i, end)` and the regions `[k, stop)`. `inherited` is the narrowest
   * entry above, if it is to be kept.
   */
  visit(depth: number, i: number, end: number, k: number, stop: number, inherited: PrefixEntry | undefined): void {
    const { entries, regions, keep } = this;
    const isWhole = k === stop || regions.length[k] === depth;
    const hasOwn = i < end && entries.length[i] === depth;
    if (isWhole) {
      if ((k === stop) === (keep === "inside")) return;
      if (inherited && !hasOwn) this.result[formatPrefix(this.node, depth)] = inherited;
      for (let index = i; index < end; index++) this.result[entries.prefix(index)] = entries.entry(index);
      return;
    }
    const own = hasOwn ? (keep === "untouched" ? undefined : entries.entry(i)) : inherited;
    const first = hasOwn ? i + 1 : i;
    if (first === end && own === undefined) return;
    const middle = entries.middle(first, end, depth);
    const border = regions.middle(k, stop, depth);
    this.visit(depth + 1, first, middle, k, border, own);
    this.turn(depth);
    this.visit(depth + 1, middle, end, border, stop, own);
    this.turn(depth);
  }

  /** Goes from one half of the node to the other. */
  private turn(depth: number): void {
    const word = depth >>> 5;
    this.node[word] = (this.node[word] as number) ^ (0x80000000 >>> (depth & 31));
  }
}
