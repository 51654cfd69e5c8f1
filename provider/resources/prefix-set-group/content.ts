import type { ListedValue } from "../../model/entry";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";

/** Notes of entries, as texts. */
type Notes = ReadonlyMap<CanonicalPrefix, string>;

/** Where a node differs from what it should hold: the value that it holds, or `null` for an entry that it lacks. */
export type Differences = ReadonlyMap<CanonicalPrefix, ListedValue | null>;

/** What a set holds, or should hold. */
export interface Content {
  readonly entries: ListedMap;
  readonly notes: Notes;
}

/**
 * What all nodes hold with what one of them declares over it. An entry of its own that has expired is wanted there no
 * more, whatever the others hold: it has a note and no value.
 */
export function overridden(common: Content, own: Content | undefined): Content {
  if (own === undefined || own.entries.size + own.notes.size === 0) return common;
  const entries = new Map(common.entries);
  const notes = new Map(common.notes);
  for (const prefix of own.notes.keys()) entries.delete(prefix);
  for (const prefix of own.entries.keys()) notes.delete(prefix);
  for (const [prefix, value] of own.entries) entries.set(prefix, value);
  for (const [prefix, note] of own.notes) notes.set(prefix, note);
  return { entries, notes };
}

/** What a node holds that differs so from what it should hold. */
export function differing(entries: ListedMap, differences: Differences | undefined): ListedMap {
  if (differences === undefined) return entries;
  const held = new Map(entries);
  for (const [prefix, value] of differences) {
    if (value === null) held.delete(prefix);
    else held.set(prefix, value);
  }
  return held;
}

/** {@link differing}, backwards. Of equal maps nothing is made. */
export function differencesOf(entries: ListedMap, held: ListedMap): Differences {
  const differences = new Map<CanonicalPrefix, ListedValue | null>();
  if (entries === held) return differences;
  for (const [prefix, value] of entries) {
    const found = held.get(prefix);
    if (found !== value) differences.set(prefix, found ?? null);
  }
  if (held.size + differences.size === entries.size) return differences;
  for (const [prefix, value] of held) if (!entries.has(prefix)) differences.set(prefix, value);
  return differences;
}
