import type { ListedValue } from "./entry";
import { type CanonicalPrefix, Prefix } from "./prefix";

/** The content of a prefix-set: canonical prefix to value. Nested prefixes are separate entries. */
export type PrefixMap = ReadonlyMap<CanonicalPrefix, number>;

/** Content of a set in a node's list: a {@link PrefixMap} with the values of others unchanged. */
export type ListedMap = ReadonlyMap<CanonicalPrefix, ListedValue>;

/** The same in order: see {@link sorted}. */
export type OrderedPrefixes<V = number> = readonly (readonly [prefix: CanonicalPrefix, value: V])[];

/** Content of an empty set: one object, so that {@link madeOnce} compares equal nodes with it once. */
export const NOTHING: ListedMap = new Map();

/** Prefixes without values, as active signalings are: each has the same one. */
export function mapOf(prefixes: Iterable<CanonicalPrefix>): ListedMap {
  return new Map([...prefixes].map((prefix) => [prefix, 1]));
}

/** Changes that turn one {@link PrefixMap} into another. The three maps never share a prefix. */
export interface Difference<V = number> {
  /** Prefixes that only the new map holds, with their value. */
  readonly insert: ReadonlyMap<CanonicalPrefix, V>;
  /** Prefixes that both hold with different values. */
  readonly change: ReadonlyMap<CanonicalPrefix, { readonly from: V; readonly to: V }>;
  /** Prefixes that only the old map holds, with the value they had. */
  readonly remove: ReadonlyMap<CanonicalPrefix, V>;
}

/** The difference that makes `wanted` out of `observed`. */
export function difference<V = number>(
  observed: ReadonlyMap<CanonicalPrefix, V>,
  desired: ReadonlyMap<CanonicalPrefix, V>,
): Difference<V> {
  const insert = new Map<CanonicalPrefix, V>();
  const change = new Map<CanonicalPrefix, { from: V; to: V }>();
  const remove = new Map<CanonicalPrefix, V>();
  // By `forEach`: in a new process a loop over ten thousand pairs takes several times as long.
  desired.forEach((to, prefix) => {
    const from = observed.get(prefix);
    if (from === undefined) insert.set(prefix, to);
    else if (from !== to) change.set(prefix, { from, to });
  });
  observed.forEach((value, prefix) => {
    if (!desired.has(prefix)) remove.set(prefix, value);
  });
  return { insert, change, remove };
}

/** As {@link difference}, computed once for maps that many sets share. */
export const sharedDifference = madeOnce((observed: ListedMap, desired: ListedMap) =>
  difference<ListedValue>(observed, desired),
);

/** True for a difference without changes. */
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

/** Which of two words of a 64-bit number in memory is the high one: 1 on nearly every machine. */
const HIGH = new Uint8Array(new Uint32Array([1]).buffer)[0] as 0 | 1;

/** Low bits of a sort key, for the index of an entry: room for 67 million. */
const PLACE_BITS = 26;

/**
 * The entries in the order of {@link Prefix.compare}. IPv4 is sorted as 64-bit numbers of address, length and place: that
 * takes a third of the time of a comparison by function, which counts where a set has hundreds of thousands.
 */
export function sorted<V>(map: ReadonlyMap<CanonicalPrefix, V>): OrderedPrefixes<V> {
  const entries = [...map];
  const keys = new BigUint64Array(entries.length);
  const words = new Uint32Array(keys.buffer);
  const v6: { key: string; entry: [CanonicalPrefix, V] }[] = [];
  let v4 = 0;
  let place = 0;
  for (const entry of entries) {
    const key = Prefix.sortKey(entry[0]);
    if (typeof key === "string") v6.push({ key, entry });
    else {
      words[2 * v4 + HIGH] = key / 64;
      words[2 * v4 + 1 - HIGH] = (key % 64) * 2 ** PLACE_BITS + place;
      v4 += 1;
    }
    place += 1;
  }
  keys.subarray(0, v4).sort();
  const ordered: [CanonicalPrefix, V][] = [];
  for (let at = 0; at < v4; at += 1) {
    const low = words[2 * at + 1 - HIGH] as number;
    ordered.push(entries[low % 2 ** PLACE_BITS] as [CanonicalPrefix, V]);
  }
  v6.sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const { entry } of v6) ordered.push(entry);
  return ordered;
}

/** Results, by the objects that they were made of. */
type Made = WeakMap<object, unknown>;

/**
 * Remembers the results of a function by its arguments, which must not change. Nodes with equal content share one object, so
 * that results are computed once for all of them. Results for objects that are out of use are released.
 *
 * @example
 * ```ts
 * const keysOf = madeOnce((map: ReadonlyMap<string, number>) => [...map.keys()]);
 * keysOf(map) === keysOf(map);   // true
 * ```
 */
export function madeOnce<K extends readonly [object, ...object[]], R>(make: (...of: K) => R): (...of: K) => R {
  const all: Made = new WeakMap();
  return (...of) => {
    let made = all;
    for (const key of of.slice(0, -1)) {
      const next = (made.get(key) as Made | undefined) ?? new WeakMap();
      made.set(key, next);
      made = next;
    }
    const last = of[of.length - 1] as object;
    if (!made.has(last)) made.set(last, make(...of));
    return made.get(last) as R;
  };
}
