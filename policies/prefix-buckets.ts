import { outermost } from "../provider/model/coverage";
import type { Prefix } from "../provider/model/prefix";
import { embeddedIpv4 } from "../provider/model/prefix-embedded";

// Buckets by the leading bits: an address block of a registry or of an organisation falls in few of them, so most of
// the 10 000 entries of a set are answered by one look-up of an empty bucket.
const LEADING = { 4: 8, 6: 16 } as const;
const SHIFT = { 4: 24n, 6: 112n } as const;

interface Row<V> {
  readonly prefix: Prefix;
  readonly value: V;
}

/** A row that shares an address with a prefix. */
export interface Reached<V> {
  /** Value of the row. */
  readonly value: V;
  /** The IPv4 prefix embedded in an IPv6 prefix, if that one shares the address. */
  readonly embedded?: Prefix;
}

/**
 * A few prefixes, each with a value, for look-ups of very many prefixes in both directions of containment. The model's
 * `PrefixIndex` is for many prefixes and few look-ups, in one direction.
 */
export class PrefixBuckets<V> {
  private readonly rows: Row<V>[] = [];
  private readonly buckets = { 4: new Map<number, Row<V>[]>(), 6: new Map<number, Row<V>[]>() };

  constructor(rows: Iterable<readonly [Prefix, V]>) {
    for (const [prefix, value] of rows) this.rows.push({ prefix, value });
    // Longest first, so that the first match is the most specific one.
    this.rows.sort((a, b) => b.prefix.length - a.prefix.length);
    for (const row of this.rows) {
      const { prefix } = row;
      const first = leading(prefix);
      const count = 2 ** Math.max(0, LEADING[prefix.family] - prefix.length);
      const buckets = this.buckets[prefix.family];
      for (let bucket = first; bucket < first + count; bucket++) {
        const rows = buckets.get(bucket);
        if (rows) rows.push(row);
        else buckets.set(bucket, [row]);
      }
    }
  }

  static of(prefixes: Iterable<Prefix>): PrefixBuckets<Prefix> {
    return new PrefixBuckets([...prefixes].map((prefix) => [prefix, prefix]));
  }

  /** True if there are no rows. */
  get isEmpty(): boolean {
    return this.rows.length === 0;
  }

  /** The value of the most specific row that contains `prefix`. */
  covering(prefix: Prefix): V | undefined {
    for (const row of this.candidates(prefix)) if (row.prefix.contains(prefix)) return row.value;
    return undefined;
  }

  /** True when the rows together contain every address of `prefix`: two halves contain the whole. */
  covers(prefix: Prefix): boolean {
    if (this.covering(prefix) !== undefined) return true;
    const inside = this.candidates(prefix)
      .map((row) => row.prefix)
      .filter((row) => prefix.contains(row));
    return outermost(inside).reduce((missing, row) => missing - row.size, prefix.size) === 0n;
  }

  /** The values of all rows that share an address with `prefix`, in either direction of containment, longest first. */
  overlapping(prefix: Prefix): V[] {
    const found: V[] = [];
    for (const row of this.candidates(prefix)) if (row.prefix.overlaps(prefix)) found.push(row.value);
    return found;
  }

  /** As {@link overlapping}, and the rows that overlap the IPv4 prefixes embedded in an IPv6 prefix. */
  reaching(prefix: Prefix): Reached<V>[] {
    const direct = this.overlapping(prefix).map((value) => ({ value }));
    const embedded = embeddedIpv4(prefix).flatMap((ipv4) =>
      this.overlapping(ipv4).map((value) => ({ value, embedded: ipv4 })),
    );
    return [...direct, ...embedded];
  }

  private candidates(prefix: Prefix): readonly Row<V>[] {
    if (prefix.length < LEADING[prefix.family]) return this.rows;
    return this.buckets[prefix.family].get(leading(prefix)) ?? NONE;
  }
}

function leading(prefix: Prefix): number {
  return Number(prefix.bits >> SHIFT[prefix.family]);
}

const NONE: readonly never[] = [];
