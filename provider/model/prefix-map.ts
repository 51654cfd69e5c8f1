import type { ListedValue } from "./entry-value";
import { type CanonicalPrefix, Prefix } from "./prefix";

/** The content of a prefix-set: canonical prefix to value. Nested prefixes stand side by side. */
export type PrefixMap = ReadonlyMap<CanonicalPrefix, number>;

/** What a node lists as the content of a set: as {@link PrefixMap}, with the values that others wrote as they are. */
export type ListedMap = ReadonlyMap<CanonicalPrefix, ListedValue>;

/** What turns one {@link PrefixMap} into another. The three maps never share a prefix. */
export interface Difference<V = number> {
  /** Prefixes that only the new map holds, with their value. */
  readonly insert: ReadonlyMap<CanonicalPrefix, V>;
  /** Prefixes that both hold with different values. */
  readonly change: ReadonlyMap<CanonicalPrefix, { readonly from: V; readonly to: V }>;
  /** Prefixes that only the old map holds, with the value they had. */
  readonly remove: ReadonlyMap<CanonicalPrefix, V>;
}

/** The difference that makes `wanted` out of `observed`; `apply(observed, difference(observed, wanted))` is `wanted`. */
export function difference<V = number>(
  observed: ReadonlyMap<CanonicalPrefix, V>,
  wanted: ReadonlyMap<CanonicalPrefix, V>,
): Difference<V> {
  const insert = new Map<CanonicalPrefix, V>();
  const change = new Map<CanonicalPrefix, { from: V; to: V }>();
  const remove = new Map<CanonicalPrefix, V>();
  for (const [prefix, to] of wanted) {
    const from = observed.get(prefix);
    if (from === undefined) insert.set(prefix, to);
    else if (from !== to) change.set(prefix, { from, to });
  }
  for (const [prefix, value] of observed) {
    if (!wanted.has(prefix)) remove.set(prefix, value);
  }
  return { insert, change, remove };
}

/** The map that results when `delta` is carried out on `observed`. */
export function apply(observed: PrefixMap, delta: Difference): PrefixMap {
  const result = new Map(observed);
  for (const prefix of delta.remove.keys()) result.delete(prefix);
  for (const [prefix, value] of delta.insert) result.set(prefix, value);
  for (const [prefix, { to }] of delta.change) result.set(prefix, to);
  return result;
}

/** True when the difference holds nothing. */
export function isEmpty(delta: Difference<unknown>): boolean {
  return delta.insert.size + delta.change.size + delta.remove.size === 0;
}

/** True when both maps hold the same prefixes with the same values, in whatever order. */
export function equal(a: ListedMap, b: ListedMap): boolean {
  if (a.size !== b.size) return false;
  for (const [prefix, value] of a) if (b.get(prefix) !== value) return false;
  return true;
}

/** The difference in three numbers, as messages show it: `+3 -1 ~2`. */
export function summary(delta: Difference<unknown>): string {
  return `+${delta.insert.size} -${delta.remove.size} ~${delta.change.size}`;
}

/** The same entries in the order of {@link Prefix.compare}. */
export function sorted<V>(map: ReadonlyMap<CanonicalPrefix, V>): Map<CanonicalPrefix, V> {
  const v4: { key: number; prefix: CanonicalPrefix; value: V }[] = [];
  const v6: { key: string; prefix: CanonicalPrefix; value: V }[] = [];
  for (const [prefix, value] of map) {
    const key = Prefix.sortKey(prefix);
    if (typeof key === "number") v4.push({ key, prefix, value });
    else v6.push({ key, prefix, value });
  }
  v4.sort((a, b) => a.key - b.key);
  v6.sort((a, b) => (a.key < b.key ? -1 : 1));
  const result = new Map<CanonicalPrefix, V>();
  for (const { prefix, value } of v4) result.set(prefix, value);
  for (const { prefix, value } of v6) result.set(prefix, value);
  return result;
}
