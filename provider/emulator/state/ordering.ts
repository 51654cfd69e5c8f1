import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import type { PrefixMap } from "../../model/prefix-map";
import { LIGHT_SLICE, SLICE, type SlicedWork } from "../time/slices";

/** What a prefix is sorted by: numbers (IPv4) come before texts (IPv6), both in the order of `Prefix.compare`. */
type SortKey = number | string;

/** Entries in the order of prefixes. Never changed: whoever reads it in steps reads one state of the set. */
export interface Ordering {
  readonly map: PrefixMap;
  /** Of the entries of `map`, in their order. */
  readonly keys: readonly SortKey[];
}

/** The ordering of no entries. */
export const NOTHING: Ordering = { map: new Map(), keys: [] };

interface Row {
  readonly key: SortKey;
  readonly text: CanonicalPrefix;
  readonly value: number;
}

/**
 * The ordering that results from `base` when each of `changed` gets its value, or none with `undefined`. Costs a comparison
 * an entry of `base`, and sorting of what changed.
 */
export function* reorder(
  base: Ordering,
  changed: ReadonlyMap<CanonicalPrefix, number | undefined>,
): SlicedWork<Ordering> {
  const added = yield* sortedRows(changed);
  const [map, keys]: [Map<CanonicalPrefix, number>, SortKey[]] = [new Map(), []];
  let next = 0;
  const put = ({ key, text, value }: Row) => {
    map.set(text, value);
    keys.push(key);
  };
  let at = 0;
  for (const [text, value] of base.map) {
    const key = base.keys[at] as SortKey;
    at += 1;
    if (at % LIGHT_SLICE === 0) yield;
    for (let row = added[next]; row && compare(row.key, key) < 0; row = added[next]) {
      put(row);
      next += 1;
      if (next % LIGHT_SLICE === 0) yield;
    }
    if (!changed.has(text)) put({ key, text, value });
  }
  for (; next < added.length; next += 1) {
    put(added[next] as Row);
    if (next % LIGHT_SLICE === 0) yield;
  }
  return { map, keys };
}

/** Those that have a value, sorted: short runs first, which are then merged two by two. */
function* sortedRows(changed: ReadonlyMap<CanonicalPrefix, number | undefined>): SlicedWork<Row[]> {
  let runs: Row[][] = [];
  let run: Row[] = [];
  for (const [text, value] of changed) {
    if (value !== undefined) run.push({ key: sortKey(text), text, value });
    if (run.length < SLICE) continue;
    runs.push(run.sort((a, b) => compare(a.key, b.key)));
    run = [];
    yield;
  }
  runs.push(run.sort((a, b) => compare(a.key, b.key)));
  while (runs.length > 1) {
    const merged: Row[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge(left: Row[], right: Row[]): SlicedWork<Row[]> {
  if (right.length === 0) return left;
  const result: Row[] = [];
  let [a, b] = [0, 0];
  while (a < left.length || b < right.length) {
    const [first, second] = [left[a], right[b]];
    const isLeft = second === undefined || (first !== undefined && compare(first.key, second.key) < 0);
    result.push((isLeft ? first : second) as Row);
    if (isLeft) a += 1;
    else b += 1;
    if (result.length % LIGHT_SLICE === 0) yield;
  }
  return result;
}

function sortKey(text: CanonicalPrefix): SortKey {
  const { family, bits, length } = Prefix.fromCanonical(text);
  if (family === 4) return Number(bits) * 64 + length;
  return bits.toString(16).padStart(32, "0") + length.toString(16).padStart(2, "0");
}

function compare(a: SortKey, b: SortKey): number {
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  if (typeof b === "number") return 1;
  return a < b ? -1 : Number(a > b);
}
