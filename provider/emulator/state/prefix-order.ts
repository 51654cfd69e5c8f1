import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import type { PrefixMap } from "../../model/prefix-map";

/** What a prefix is sorted by: numbers (IPv4) come before texts (IPv6), both in the order of `Prefix.compare`. */
type SortKey = number | string;

interface Row {
  readonly key: SortKey;
  readonly prefix: CanonicalPrefix;
}

/**
 * The order of prefixes in a set. It keeps what it sorted: a sort after a few changes reads the key of new prefixes only and
 * compares each of the others once.
 */
export class PrefixOrder {
  private rows: readonly Row[] = [];
  /** Prefixes that came since the last sort. */
  private readonly added: Set<CanonicalPrefix>;

  constructor(prefixes: Iterable<CanonicalPrefix> = []) {
    this.added = new Set(prefixes);
  }

  /** Takes in a prefix of the set. */
  add(prefix: CanonicalPrefix): void {
    this.added.add(prefix);
  }

  /** Forgets a prefix that left the set. */
  delete(prefix: CanonicalPrefix): void {
    this.added.delete(prefix);
  }

  /** A copy of the entries in order; each prefix of them was added. */
  sort(entries: PrefixMap): PrefixMap {
    const rows = this.rows.filter(({ prefix }) => entries.has(prefix) && !this.added.has(prefix));
    for (const prefix of this.added) rows.push({ key: sortKey(prefix), prefix });
    this.rows = rows.sort(compare);
    this.added.clear();
    const sorted = new Map<CanonicalPrefix, number>();
    for (const { prefix } of rows) sorted.set(prefix, entries.get(prefix) as number);
    return sorted;
  }
}

function sortKey(text: CanonicalPrefix): SortKey {
  const { family, bits, length } = Prefix.fromCanonical(text);
  if (family === 4) return Number(bits) * 64 + length;
  return bits.toString(16).padStart(32, "0") + length.toString(16).padStart(2, "0");
}

function compare({ key: a }: Row, { key: b }: Row): number {
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  if (typeof b === "number") return 1;
  return a < b ? -1 : Number(a > b);
}
