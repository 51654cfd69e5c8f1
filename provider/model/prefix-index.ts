import type { Prefix } from "./prefix";

/**
 * Finds the prefixes that cover a given one in a few look-ups, whatever their number: it has one hash table per prefix length
 * that occurs.
 *
 * @example
 * ```ts
 * const index = PrefixIndex.of([Prefix.parse("198.51.100.0/24")]);
 * index.longestMatch(Prefix.parse("198.51.100.7"))?.toString();    // "198.51.100.0/24"
 * ```
 */
export class PrefixIndex<V = Prefix> {
  private readonly tables = { 4: new Map<number, Map<bigint, V>>(), 6: new Map<number, Map<bigint, V>>() };
  private readonly lengths: { 4: number[]; 6: number[] } = { 4: [], 6: [] };

  static of(prefixes: Iterable<Prefix>): PrefixIndex<Prefix> {
    const index = new PrefixIndex<Prefix>();
    for (const prefix of prefixes) index.set(prefix, prefix);
    return index;
  }

  /** Adds a prefix, or replaces its value. */
  set(prefix: Prefix, value: V): this {
    let table = this.tables[prefix.family].get(prefix.length);
    if (!table) {
      table = new Map();
      this.tables[prefix.family].set(prefix.length, table);
      this.lengths[prefix.family] = [...this.tables[prefix.family].keys()].sort((a, b) => b - a);
    }
    table.set(networkOf(prefix, prefix.length), value);
    return this;
  }

  /** The value of the longest prefix that contains `prefix` (longest-prefix match), itself included. */
  longestMatch(prefix: Prefix): V | undefined {
    for (const match of this.covering(prefix)) return match;
    return undefined;
  }

  /** The values of all prefixes that contain `prefix`, itself included, the longest first. */
  *covering(prefix: Prefix): Generator<V, void> {
    for (const length of this.lengths[prefix.family]) {
      if (length > prefix.length) continue;
      const value = this.tables[prefix.family].get(length)?.get(networkOf(prefix, length));
      if (value !== undefined) yield value;
    }
  }
}

/**
 * The first `length` bits as a number. V8 hashes a bigint by its low 64 bits: with the host bits still there, all IPv6
 * prefixes of 64 bits and shorter would fall into one bucket.
 */
function networkOf({ family, bits }: Prefix, length: number): bigint {
  return bits >> BigInt((family === 4 ? 32 : 128) - length);
}

/** Pairs of which one contains the other, without comparing all with all. */
export function overlaps(entries: readonly Prefix[], others: readonly Prefix[]): [entry: Prefix, other: Prefix][] {
  const pairs: [Prefix, Prefix][] = [];
  const byOther = PrefixIndex.of(others);
  for (const entry of entries) {
    for (const other of byOther.covering(entry)) pairs.push([entry, other]);
  }
  const byEntry = PrefixIndex.of(entries);
  for (const other of others) {
    for (const entry of byEntry.covering(other)) if (!entry.equals(other)) pairs.push([entry, other]);
  }
  return pairs;
}
