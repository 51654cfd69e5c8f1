import { isRecord } from "../../model/given-entries";
import { formatPrefix } from "../address";
import { type EntriesLike, endOf, type PrefixEntries, type PrefixEntry, spellingsOf } from "../entries";
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

/** Entries of which some were cut. */
export type CutEntries = PrefixEntries & {
  /** Number of places where a longer-lived entry was kept and another one dropped. Not enumerable: it is not an entry. */
  readonly kept: number;
};

/**
 * Returns the entries without some prefixes: no address of these is covered any more, and the longest match of every other
 * address keeps its content, also after some entries have expired. A /8 without one address becomes 24 entries;
 * `{ split: false }` drops it instead.
 *
 * The rest of a wider entry can fall on the prefix of an entry that expires sooner. The wider one is kept there, with its
 * reason, and counted in `kept`: after the expiry of the other, the address would be uncovered.
 *
 * @throws {TypeError} for an entry, a prefix or an option that is none.
 *
 * @example
 * ```ts
 * excludePrefixes({ "192.0.2.0/24": 2 }, ["192.0.2.0/26"]);
 * // { "192.0.2.64/26": { value: 2 }, "192.0.2.128/25": { value: 2 } }
 * ```
 */
export function excludePrefixes(entries: EntriesLike, prefixes: EntriesLike, options: ExcludeOptions = {}): CutEntries {
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
 * address is covered. An entry that expires sooner is treated as by {@link excludePrefixes}.
 *
 * @throws {TypeError} for an entry or a prefix that is none.
 *
 * @example
 * ```ts
 * intersectPrefixes({ "192.0.2.0/24": 2, "198.51.100.0/24": 1 }, ["192.0.2.0/25"]);    // { "192.0.2.0/25": { value: 2 } }
 * ```
 */
export function intersectPrefixes(entries: EntriesLike, prefixes: EntriesLike): CutEntries {
  return cut(entries, prefixes, "inside");
}

/** Writes the prefixes of some tables without those of others. */
export function excludeFrom(tables: readonly PrefixTable[], others: readonly PrefixTable[], result: CutResult): void {
  cutTables(tables, others, "outside", result);
}

type Keep = "inside" | "outside" | "untouched";

/** Takes the prefixes that are left. */
export interface CutResult {
  /** A prefix of a table, which was not cut. */
  addFrom(table: PrefixTable, index: number): void;
  /** @param words The address, in words of 32 bits. */
  put(words: Uint32Array, length: number, entry: PrefixEntry): void;
}

function cut(entries: EntriesLike, prefixes: EntriesLike, keep: Keep): CutEntries {
  const result: PrefixEntries = {};
  const others = PrefixTable.of(spellingsOf(prefixes, "prefixes"), "prefixes");
  const kept = cutTables(PrefixTable.of(entries), others, keep, {
    addFrom: (table, index) => {
      result[table.prefix(index)] = table.entry(index);
    },
    put: (words, length, entry) => {
      result[formatPrefix(words, length)] = entry;
    },
  });
  return Object.defineProperty(result, "kept", { value: kept }) as CutEntries;
}

/** Returns the number of entries that were kept instead of others. */
function cutTables(
  tables: readonly PrefixTable[],
  others: readonly PrefixTable[],
  keep: Keep,
  result: CutResult,
): number {
  let kept = 0;
  for (const [index, table] of tables.entries()) {
    // Merged regions: none contains another, and no entry is split in vain.
    const regions = aggregateTable(others[index] as PrefixTable);
    kept += new Cutter(table, regions, keep, result).cut();
  }
  return kept;
}

/**
 * Walks the common binary trie of two tables; opens only nodes that have entries of both.
 *
 * A node inherits the rests of the entries above it that were cut: the narrowest first, each of which expires later than those
 * before it, since others are never the longest match.
 */
class Cutter {
  /** The address of the current node. */
  private readonly node: Uint32Array;
  private kept = 0;

  constructor(
    private readonly entries: PrefixTable,
    private readonly regions: PrefixTable,
    private readonly keep: Keep,
    private readonly result: CutResult,
  ) {
    this.node = new Uint32Array(entries.words);
  }

  /** Writes the result, and returns the number of entries that were kept instead of others. */
  cut(): number {
    this.visit(0, 0, this.entries.size, 0, this.regions.size, []);
    return this.kept;
  }

  /** Visits the node of `depth` bits that holds the entries `[i, end)` and the regions `[k, stop)`. */
  private visit(depth: number, i: number, end: number, k: number, stop: number, inherited: Rests): void {
    const { entries, regions, keep } = this;
    if (k === stop || regions.length[k] === depth) {
      if ((k === stop) !== (keep === "inside")) this.write(depth, i, end, inherited);
      return;
    }
    const hasOwn = i < end && entries.length[i] === depth;
    const own = keep === "untouched" ? inherited : this.withOwn(hasOwn ? entries.entry(i) : undefined, inherited);
    const first = hasOwn ? i + 1 : i;
    if (first === end && own.length === 0) return;
    const middle = entries.middle(first, end, depth);
    const border = regions.middle(k, stop, depth);
    this.visit(depth + 1, first, middle, k, border, own);
    this.turn(depth);
    this.visit(depth + 1, middle, end, border, stop, own);
    this.turn(depth);
  }

  private withOwn(own: PrefixEntry | undefined, inherited: Rests): Rests {
    return own === undefined ? inherited : [own, ...inherited.filter((rest) => endOf(rest) > endOf(own))];
  }

  /**
   * Writes a node that stays whole, with what it inherits. The rest that lives longest gets the prefix of the node, the others
   * its halves, so that each is the longest match in its time. One address has no halves.
   */
  private write(depth: number, i: number, end: number, inherited: Rests): void {
    const { entries } = this;
    const own = i < end && entries.length[i] === depth ? entries.entry(i) : undefined;
    const rests = own === undefined ? inherited : inherited.filter((rest) => endOf(rest) > endOf(own));
    const widest = rests.at(-1);
    if (widest === undefined) {
      for (let index = i; index < end; index++) this.result.addFrom(entries, index);
      return;
    }
    if (own !== undefined) this.kept++;
    this.result.put(this.node, depth, widest);
    const first = own === undefined ? i : i + 1;
    const narrower = rests.slice(0, -1);
    if (narrower.length === 0 || depth === entries.bits) {
      this.kept += narrower.length;
      for (let index = first; index < end; index++) this.result.addFrom(entries, index);
      return;
    }
    const middle = entries.middle(first, end, depth);
    this.write(depth + 1, first, middle, narrower);
    this.turn(depth);
    this.write(depth + 1, middle, end, narrower);
    this.turn(depth);
  }

  /** Goes from one half of the node to the other. */
  private turn(depth: number): void {
    const word = depth >>> 5;
    this.node[word] = (this.node[word] as number) ^ (0x80000000 >>> (depth & 31));
  }
}

type Rests = readonly PrefixEntry[];
