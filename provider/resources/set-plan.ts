import type { SetPlan } from "../batch/set-operation";
import type { ListedValue } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";

/** What may be asked of keys that are known: the entries that resources want, or hold. */
export interface KnownPrefixes {
  has(prefix: CanonicalPrefix): boolean;
}

/** What an operation on a set starts from. */
export interface Intent {
  /** What the state says the set held; empty for a new resource. */
  readonly known: ListedMap;
  /** What the program wants. */
  readonly desired: ListedMap;
  /** Prefixes whose last write ended without a known result. */
  readonly unsettled: ReadonlySet<CanonicalPrefix>;
  /** What resources of this deployment want in the set, this one included. */
  readonly wanted: KnownPrefixes;
  /** True when the node is reached at another address than before, and may be another machine. */
  readonly moved?: boolean;
  /** What `block --now` put there and is not wanted any more, with its values. */
  readonly withdrawn?: ListedMap;
}

/** Of what `block --now` put into a set and is not wanted any more what that still holds so, and that no resource of this deployment wants. */
export function stillThere(withdrawn: ListedMap, observed: ListedMap, wanted: KnownPrefixes): Set<CanonicalPrefix> {
  const isThere = ([prefix, value]: [CanonicalPrefix, ListedValue]) =>
    observed.get(prefix) === value && !wanted.has(prefix);
  return new Set([...withdrawn].filter(isThere).map(([prefix]) => prefix));
}

/**
 * The plan of an update: every wanted prefix is there afterwards, and of the others only those go that the state knows.
 * A value that another writer changed is left alone unless the program changes it too, since no preview showed that.
 */
export function planUpdate(observed: ListedMap, intent: Intent): SetPlan {
  const { known, desired, unsettled, wanted, moved, withdrawn = new Map() } = intent;
  const put = new Map<CanonicalPrefix, ListedValue>();
  for (const [prefix, value] of desired) {
    const isForeignChange = observed.has(prefix) && observed.get(prefix) !== value && known.get(prefix) === value;
    if (!isForeignChange || moved || unsettled.has(prefix)) put.set(prefix, value);
  }
  const remove = stillThere(withdrawn, observed, wanted);
  for (const prefix of [...known.keys(), ...unsettled]) {
    if (!desired.has(prefix) && !wanted.has(prefix)) remove.add(prefix);
  }
  // Not in the state, and in the list all the same: on a node that lists staged entries, a run that was killed may have
  // staged it without a commit. A commit alone makes sure.
  const isNew = ([prefix, value]: [CanonicalPrefix, ListedValue]) => known.get(prefix) !== value;
  const shown = [...put].filter((entry) => isNew(entry) && observed.get(entry[0]) === entry[1]);
  const gone = [...remove].filter((prefix) => !observed.has(prefix));
  return { put, remove, unsettled, shown: new Set([...shown.map(([prefix]) => prefix), ...gone]) };
}
