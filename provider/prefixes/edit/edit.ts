import type { CanonicalPrefix } from "../../model/prefix";
import { prefixIn } from "../../model/readable";

/** Change of a prefix: given members are written, `null` removes one, others stay. */
export interface EntryChange {
  readonly value?: number | undefined;
  readonly reason?: string | undefined;
  readonly ticket?: string | undefined;
  readonly expires?: string | null | undefined;
  /** Places where it was put, as `formatSent` writes them. */
  readonly sent?: string | null | undefined;
}

/** Changes by prefix; `undefined` removes the prefix from the file. */
export type Edit = ReadonlyMap<CanonicalPrefix, EntryChange | undefined>;

/** Error for published lists and other documents without a place for your own entries. */
export function notEditable(): Error {
  return new Error(
    "This file is neither an object or map with prefixes as keys nor an array of prefixes: name a file of your own, and let the program merge both (mergeEntries).",
  );
}

/** Access to the items of a document, and their change. */
export interface Items<T> {
  prefixOf(item: T): unknown;
  changed(item: T, change: EntryChange): T;
  added(prefix: CanonicalPrefix, change: EntryChange): T;
  /** Called for each item, with the one in its place; `undefined`: it is removed. */
  passed?(item: T, now: T | undefined): void;
}

/** The items after an edit: kept ones, changed or not, then new ones. Only the first spelling of a prefix takes the change. */
export function edited<T>(items: readonly T[], changes: Edit, how: Items<T>): T[] {
  const open = new Map(changes);
  const kept = items.flatMap((item): T[] => {
    const prefix = prefixIn(how.prefixOf(item))?.toString();
    if (prefix === undefined || !changes.has(prefix)) {
      how.passed?.(item, item);
      return [item];
    }
    const change = open.get(prefix);
    open.delete(prefix);
    const now = change && how.changed(item, change);
    how.passed?.(item, now);
    return now === undefined ? [] : [now];
  });
  return [...kept, ...[...open].flatMap(([prefix, change]) => (change ? [how.added(prefix, change)] : []))];
}
