import type { ObservedSet } from "../client/node-set";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { PrefixIndex } from "../model/prefix-index";
import { sharedDifference } from "../model/prefix-map";
import { some } from "../model/text";
import type { Changes } from "./set-operation";

/** Entries that a node lists in place of neighbours of which they consist, each with these neighbours. */
export type Aggregation = ReadonlyMap<CanonicalPrefix, readonly CanonicalPrefix[]>;

/**
 * Finds the entries that the node itself has made: each appeared with the commit, and consists of entries with the same value
 * that were sent or listed before and are not listed now.
 */
export function aggregatedIn(before: ObservedSet, after: ObservedSet, { put, remove }: Changes): Aggregation {
  const { insert, remove: vanished } = sharedDifference(before.values, after.values);
  const appeared = [...insert.keys()].filter((prefix) => !put.has(prefix));
  const made = new Map<CanonicalPrefix, CanonicalPrefix[]>();
  if (appeared.length === 0) return made;
  const wider = PrefixIndex.of(appeared.map((prefix) => Prefix.fromCanonical(prefix)));
  for (const [part, value] of [...put, ...vanished]) {
    const whole =
      after.has(part) || remove.has(part) ? undefined : wider.longestMatch(Prefix.fromCanonical(part))?.toString();
    if (whole !== undefined && insert.get(whole) === value) made.set(whole, [...(made.get(whole) ?? []), part]);
  }
  return new Map([...made].filter(([whole, parts]) => sizeOf(parts) === Prefix.fromCanonical(whole).size));
}

/** Number of addresses in prefixes, those of nested ones counted once. */
function sizeOf(parts: readonly CanonicalPrefix[]): bigint {
  const prefixes = [...new Set(parts)].map((part) => Prefix.fromCanonical(part)).sort(Prefix.compare);
  let size = 0n;
  let outer: Prefix | undefined;
  for (const prefix of prefixes) {
    if (outer?.contains(prefix)) continue;
    outer = prefix;
    size += prefix.size;
  }
  return size;
}

/** True if each of these prefixes is listed as a part of another entry. */
export function coversAll(made: Aggregation, prefixes: readonly CanonicalPrefix[]): boolean {
  const parts = partsOf(made);
  return parts.size > 0 && prefixes.every((prefix) => parts.has(prefix));
}

/** The entries that are listed as parts of others. */
export function partsOf(made: Aggregation): ReadonlySet<CanonicalPrefix> {
  return new Set([...made.values()].flat());
}

/** Sentences with the remedy: how a set is declared that its node aggregates. */
export function aggregationRemedy(made: Aggregation): string {
  const listed = [...made].map(([whole, parts]) => `${whole} in place of ${some(parts)}`);
  return `The node merges entries, and lists ${some(listed, 3)}: declare such entries aggregated (aggregatePrefixes).`;
}
