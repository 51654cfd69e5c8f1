import type { Prefix } from "../provider/model/prefix";

// Buckets by the leading bits: an address block of a registry or of an organisation falls in few of them, so most of
// the 10 000 entries of a set are answered by one look-up of an empty bucket.
const LEADING = { 4: 8, 6: 16 } as const;
const TOTAL = { 4: 32, 6: 128 } as const;

/** A few prefixes with a value each, asked about very many prefixes. */
export class PrefixTable<V> {
  private readonly rows: { readonly prefix: Prefix; readonly value: V }[] = [];
  private readonly buckets = { 4: new Map<number, number[]>(), 6: new Map<number, number[]>() };

  constructor(rows: Iterable<readonly [Prefix, V]>) {
    for (const [prefix, value] of rows) this.rows.push({ prefix, value });
    // Longest first, so that the first match is the most specific one.
    this.rows.sort((a, b) => b.prefix.length - a.prefix.length);
    this.rows.forEach(({ prefix }, row) => {
      const first = leading(prefix);
      const count = 2 ** Math.max(0, LEADING[prefix.family] - prefix.length);
      const buckets = this.buckets[prefix.family];
      for (let bucket = first; bucket < first + count; bucket++) {
        const rows = buckets.get(bucket);
        if (rows) rows.push(row);
        else buckets.set(bucket, [row]);
      }
    });
  }

  static of(prefixes: Iterable<Prefix>): PrefixTable<Prefix> {
    return new PrefixTable([...prefixes].map((prefix) => [prefix, prefix]));
  }

  get isEmpty(): boolean {
    return this.rows.length === 0;
  }

  /** The value of the most specific row that contains `prefix`. */
  covering(prefix: Prefix): V | undefined {
    for (const row of this.candidates(prefix)) if (row.prefix.contains(prefix)) return row.value;
    return undefined;
  }

  /** The values of all rows that share an address with `prefix`, in either direction of containment, longest first. */
  overlapping(prefix: Prefix): V[] {
    const found: V[] = [];
    for (const row of this.candidates(prefix)) if (row.prefix.overlaps(prefix)) found.push(row.value);
    return found;
  }

  private candidates(prefix: Prefix): readonly { readonly prefix: Prefix; readonly value: V }[] {
    if (prefix.length < LEADING[prefix.family]) return this.rows;
    const bucket = this.buckets[prefix.family].get(leading(prefix));
    return bucket === undefined ? [] : bucket.map((row) => this.rows[row] as { prefix: Prefix; value: V });
  }
}

function leading(prefix: Prefix): number {
  return Number(prefix.bits >> BigInt(TOTAL[prefix.family] - LEADING[prefix.family]));
}
