/** What a set holds, and what is written beside it. */
interface Content<P, V, N> {
  readonly entries: ReadonlyMap<P, V>;
  readonly notes: ReadonlyMap<P, N>;
}

/**
 * What all nodes of a group hold with what one of them declares over it. An entry of its own that has expired is wanted
 * there no more, whatever the others hold: it has a note and no value.
 */
export function overridden<P, V, N>(common: Content<P, V, N>, own: Content<P, V, N> | undefined): Content<P, V, N> {
  if (own === undefined || own.entries.size + own.notes.size === 0) return common;
  const entries = new Map(common.entries);
  const notes = new Map(common.notes);
  for (const prefix of own.notes.keys()) entries.delete(prefix);
  for (const prefix of own.entries.keys()) notes.delete(prefix);
  for (const [prefix, value] of own.entries) entries.set(prefix, value);
  for (const [prefix, note] of own.notes) notes.set(prefix, note);
  return { entries, notes };
}

/** What a node holds that differs so from what it should hold; `null` is of an entry that it lacks. */
export function differing<P, V>(
  entries: ReadonlyMap<P, V>,
  differences: ReadonlyMap<P, V | null> | undefined,
): ReadonlyMap<P, V> {
  if (differences === undefined) return entries;
  const held = new Map(entries);
  for (const [prefix, value] of differences) {
    if (value === null) held.delete(prefix);
    else held.set(prefix, value);
  }
  return held;
}
