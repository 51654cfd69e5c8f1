import { type SetPlan, shownAlready } from "../apply/set-operation";
import type { ListedValue } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";
import { type ListedMap, madeOnce } from "../model/prefix-map";

/** Prefixes that resources want or own. */
export interface KnownPrefixes {
  has(prefix: CanonicalPrefix): boolean;
}

/** Start of an operation on a set. */
export interface Intent {
  /** Entries of the set by the state; empty for a new resource. */
  readonly known: ListedMap;
  /** Entries that the program declares. */
  readonly desired: ListedMap;
  /** Prefixes whose last write ended without a known result. */
  readonly unsettled: ReadonlySet<CanonicalPrefix>;
  /** Entries that resources of this deployment declare in the set, this one included. */
  readonly declared: KnownPrefixes;
  /** True when the node is reached at another address than before, and may be another machine. */
  readonly moved: boolean;
  /** Entries of `block --now` that are no longer wanted, with their values. */
  readonly withdrawn: ListedMap;
  /** Entries that the look of this run saw and the preview showed; absent without a look. */
  readonly observed?: ListedMap | undefined;
  /** Entries whose other values a refresh found, and so the preview showed. */
  readonly found?: KnownPrefixes | undefined;
  /** True for an entry whose changes the program ignores; by default it ignores none. */
  readonly ignores?: (prefix: CanonicalPrefix) => boolean;
}

/** Withdrawn entries that the set still holds with that value, and that no resource of this deployment wants. */
export function stillThere(withdrawn: ListedMap, observed: ListedMap, desired: KnownPrefixes): Set<CanonicalPrefix> {
  const isThere = ([prefix, value]: [CanonicalPrefix, ListedValue]) =>
    observed.get(prefix) === value && !desired.has(prefix);
  return new Set([...withdrawn].filter(isThere).map(([prefix]) => prefix));
}

/**
 * Plans an update: it inserts every wanted prefix, and removes only prefixes of the state. A value that another writer changed
 * stays, unless the program changes it too or a look or refresh saw it: no preview showed its change.
 */
export function planUpdate(observed: ListedMap, intent: Intent): SetPlan {
  const {
    known,
    desired,
    unsettled,
    declared,
    moved,
    withdrawn,
    observed: seen,
    found,
    ignores = () => false,
  } = intent;
  const { lost, dropped, listed } = compared(observed, known, desired);
  const isSeen = (prefix: CanonicalPrefix) =>
    seen ? seen.has(prefix) && seen.get(prefix) === observed.get(prefix) : found?.has(prefix) === true;
  const isLeft = (prefix: CanonicalPrefix) =>
    !unsettled.has(prefix) && observed.has(prefix) && (ignores(prefix) || !isSeen(prefix));
  const left = moved ? [] : lost.filter(isLeft);
  const put = left.length === 0 ? desired : without(desired, left);
  const remove = stillThere(withdrawn, observed, declared);
  for (const prefix of [...dropped, ...unsettled]) {
    if (!desired.has(prefix) && !declared.has(prefix)) remove.add(prefix);
  }
  // An unsettled insert that the list shows needs only a commit; one of an entry that the state knows may follow a removal.
  const isShown = new Set(listed);
  const again = unsettled.size === 0 ? unsettled : new Set([...unsettled].filter((prefix) => !isShown.has(prefix)));
  const restored = moved ? [] : lost.filter((prefix) => observed.has(prefix) && put.has(prefix));
  return {
    ...{ put, remove, unsettled: again, listed: isShown },
    ...(restored.length > 0 && { restored: new Set(restored) }),
  };
}

/** Comparison of list, state and program for a set: shared by nodes that hold the same. */
const compared = madeOnce((observed: ListedMap, known: ListedMap, desired: ListedMap) => {
  const all = [...desired];
  const isLost = ([prefix, value]: [CanonicalPrefix, ListedValue]) =>
    observed.get(prefix) !== value && known.get(prefix) === value;
  // A node that lists staged entries may show one that a killed run has only staged. A commit makes sure.
  const isNew = ([prefix, value]: [CanonicalPrefix, ListedValue]) => known.get(prefix) !== value;
  const isShown = (entry: [CanonicalPrefix, ListedValue]) => isNew(entry) && observed.get(entry[0]) === entry[1];
  return {
    /** Entries that another writer removed or changed, and the program does not. */
    lost: all.filter(isLost).map(([prefix]) => prefix),
    /** Entries of the state that the program no longer declares. */
    dropped: [...known.keys()].filter((prefix) => !desired.has(prefix)),
    listed: all.filter(isShown).map(([prefix]) => prefix),
  };
});

function without(entries: ListedMap, left: readonly CanonicalPrefix[]): ListedMap {
  const rest = new Map(entries);
  for (const prefix of left) rest.delete(prefix);
  return rest;
}

/** Start of a new entry. */
export interface NewEntry {
  /** Name of the set in messages. */
  readonly label: string;
  readonly prefix: CanonicalPrefix;
  readonly value: ListedValue;
  readonly onExisting: "fail" | "adopt";
  /** Entries that the state of this deployment holds already: they are not foreign. */
  readonly managed: KnownPrefixes;
  /** Those that a killed run of the resource sent. */
  readonly sent?: KnownPrefixes;
}

/**
 * Plans the create of an entry against the content of the set.
 *
 * @returns `found`: value of a foreign entry. With the wanted value a commit follows; another value stays as it is.
 * @throws {Error} if there is one with another value that may not be adopted: then nothing is sent
 */
export function planEntry(observed: ListedMap, { label, prefix, value, onExisting, managed, sent }: NewEntry) {
  const found = observed.get(prefix);
  const remove = new Set<CanonicalPrefix>();
  const put = new Map([[prefix, value]]);
  if (found === undefined || managed.has(prefix)) return { plan: { put, remove } };
  const listed = shownAlready(observed, put, managed);
  if (sent?.has(prefix)) return { plan: { put, remove, listed } };
  if (found === value) return { plan: { put, remove, listed }, found };
  if (onExisting === "adopt") return { plan: { put: new Map(), remove }, found };
  throw new Error(
    `${label} already holds ${prefix} with the value ${found}, not ${value}. Nothing was sent. Give the entry that value, or take it over with onExisting: "adopt".`,
  );
}
