/** Entries of a set, and their notes. */
interface Content<P, V, N> {
  readonly entries: ReadonlyMap<P, V>;
  readonly notes: ReadonlyMap<P, N>;
}

/**
 * Entries of a group with the overrides of one node. An expired override has a note and no value: the node is not to hold the
 * entry, whatever the others hold.
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

/** Entries of a node that differ from the declared ones; `null` for a missing entry. */
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
