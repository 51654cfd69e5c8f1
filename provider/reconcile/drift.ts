import type { ListedValue } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";
import { type ListedMap, madeOnce, sorted } from "../model/prefix-map";
import { count, some } from "../model/text";

/** The computed argument that shows restored entries in a preview: a text that the check makes of the look. No output has it. */
export const RESTORES = "restores";

/** Declared entries that are not there as the state says. */
export interface Drift {
  readonly missing: readonly CanonicalPrefix[];
  /** Entries with another value, and that value. */
  readonly different: ReadonlyMap<CanonicalPrefix, ListedValue>;
}

/** Lost entries, in order, that the program declares as the state has them: entries that it changes are sent anyway. */
export const missingOf = madeOnce((observed: ListedMap, known: ListedMap, desired: ListedMap): Drift => {
  const missing = new Map<CanonicalPrefix, ListedValue>();
  const different = new Map<CanonicalPrefix, ListedValue>();
  for (const [prefix, value] of desired) {
    const listed = observed.get(prefix);
    if (listed === value || known.get(prefix) !== value) continue;
    if (listed === undefined) missing.set(prefix, value);
    else different.set(prefix, listed);
  }
  // Entries that the engine hands over come in the order of their texts.
  return { missing: sorted(missing).map(([prefix]) => prefix), different };
});

/** The same without other values of entries whose changes the program ignores: a missing entry is a loss all the same. */
export function unignored({ missing, different }: Drift, ignores: (prefix: CanonicalPrefix) => boolean): Drift {
  return { missing, different: new Map([...different].filter(([prefix]) => !ignores(prefix))) };
}

export function sizeOf({ missing, different }: Drift): number {
  return missing.length + different.size;
}

/** `192.0.2.9/32 has the value 5, not 7` for each entry with another value. */
export function valuesOf({ different }: Drift, desired: ListedMap): string[] {
  return [...different].map(([prefix, value]) => `${prefix} has the value ${value}, not ${desired.get(prefix)}`);
}

/** Text of a preview about restored entries: their number, and the first few. */
export function restoresText(lost: Drift, desired: ListedMap): string {
  const values = valuesOf(lost, desired);
  const parts = [
    lost.missing.length > 0
      ? `${count(lost.missing.length, "missing entry", "missing entries")}: ${some(lost.missing)}`
      : [],
    values.length > 0 ? `${count(values.length, "other value")}: ${some(values)}` : [],
  ];
  return parts.flat().join("; ");
}
