import type { OtherValue } from "../messages/events";
import { valuesOf } from "../messages/sentences/words";
import type { ListedValue } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";
import { type ListedMap, madeOnce, sorted } from "../model/prefix-map";
import { count, some } from "../model/text";
import { compareSet, verdictOf } from "./three-way";

/** The computed argument that shows restored entries in a preview: a text that the check makes of the look. No output has it. */
export const RESTORES = "restores";

/** Declared entries that are not there as the state says. */
export interface Drift {
  readonly missing: readonly CanonicalPrefix[];
  /** Entries with another value, and that value. */
  readonly different: ReadonlyMap<CanonicalPrefix, ListedValue>;
}

/** Lost entries, in order: those that the program declares as the state has them. */
const lossesOf = madeOnce((observed: ListedMap, known: ListedMap, desired: ListedMap): Drift => {
  const { missing, different } = compareSet(observed, known, desired);
  const lost = new Map(missing.map((prefix) => [prefix, 1]));
  return {
    // Entries that the engine hands over come in the order of their texts.
    missing: sorted(lost).map(([prefix]) => prefix),
    different: new Map(different.map((prefix) => [prefix, observed.get(prefix) as ListedValue])),
  };
});

/** Entries that an `up` restores. `left` are other values that the program ignores; a missing entry is a loss all the same. */
export function driftOf(
  observed: ListedMap,
  known: ListedMap,
  desired: ListedMap,
  ignores: (prefix: CanonicalPrefix) => boolean,
): Drift & { readonly left: readonly CanonicalPrefix[] } {
  const { missing, different } = lossesOf(observed, known, desired);
  const isLeft = (prefix: CanonicalPrefix) => verdictOf("different", { ignored: ignores(prefix) }) === "leave";
  const left = [...different.keys()].filter(isLeft);
  if (left.length === 0) return { missing, different, left };
  return { missing, different: new Map([...different].filter(([prefix]) => !left.includes(prefix))), left };
}

export function sizeOf({ missing, different }: Drift): number {
  return missing.length + different.size;
}

/** Entries with another value than the declared one. */
export function differing({ different }: Pick<Drift, "different">, desired: ListedMap): OtherValue[] {
  return [...different].map(([prefix, value]) => ({ prefix, value, desired: desired.get(prefix) }));
}

/** Text of a preview about restored entries: their number, and the first few. */
export function restoresText(lost: Drift, desired: ListedMap): string {
  const values = valuesOf(differing(lost, desired));
  const parts = [
    lost.missing.length > 0
      ? `${count(lost.missing.length, "missing entry", "missing entries")}: ${some(lost.missing)}`
      : [],
    values.length > 0 ? `${count(values.length, "other value")}: ${some(values)}` : [],
  ];
  return parts.flat().join("; ");
}
