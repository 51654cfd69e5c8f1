import type { SetPlan } from "../apply/set-operation";
import type { ListedValue } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";
import { type ListedMap, NOTHING } from "../model/prefix-map";
import { type Circumstances, compareSet, relationOf, type Verdict, verdictOf } from "./three-way";

/** Prefixes that resources want or own. */
export interface KnownPrefixes {
  has(prefix: CanonicalPrefix): boolean;
}

/** Facts by which a set is judged, other than its three contents. */
export interface SetFacts {
  /** Prefixes whose last write ended without a known result, or that a killed run sent. */
  readonly unsettled: KnownPrefixes;
  /** Entries that resources of this deployment declare in the set, this one included. */
  readonly declared: KnownPrefixes;
  /** Entries of `block --now` that are no longer wanted, with their values. */
  readonly withdrawn: ListedMap;
  /** True for an entry of the state whose time is over; by default none has a time. */
  readonly isOver?: (prefix: CanonicalPrefix) => boolean;
  /** True for an entry whose changes the program ignores; by default it ignores none. */
  readonly ignores?: (prefix: CanonicalPrefix) => boolean;
}

/** Start of an operation on a set. */
export interface Intent extends SetFacts {
  /** Entries of the set by the state; empty for a new resource. */
  readonly known: ListedMap;
  /** Entries that the program declares. */
  readonly desired: ListedMap;
  readonly unsettled: ReadonlySet<CanonicalPrefix>;
  /** True when the node is reached at another address than before, and may be another machine. */
  readonly moved: boolean;
  /** Entries that the look of this run saw and the preview showed; absent without a look. */
  readonly observed?: ListedMap | undefined;
  /** Entries whose other values a refresh found, and so the preview showed. */
  readonly found?: KnownPrefixes | undefined;
}

/** Contents that are compared. */
export interface Contents {
  readonly observed: ListedMap;
  readonly known: ListedMap;
  readonly desired: ListedMap;
}

/** Makes the judge of single prefixes of a set. @param more Circumstances that all prefixes share, or that depend on one. */
export function judgeOf(
  { observed, known, desired }: Contents,
  { unsettled, declared, withdrawn, isOver, ignores }: SetFacts,
  more: (prefix: CanonicalPrefix) => Circumstances = () => ({}),
): (prefix: CanonicalPrefix) => Verdict {
  return (prefix) => {
    const [listed, noted] = [observed.get(prefix), unsettled.has(prefix)];
    const isWithdrawn = listed !== undefined && withdrawn.get(prefix) === listed;
    return verdictOf(relationOf(listed, known.get(prefix), desired.get(prefix)), {
      noted,
      declared: declared.has(prefix),
      expired: isWithdrawn || isOver?.(prefix) === true,
      ignored: ignores?.(prefix) === true,
      ...more(prefix),
    });
  };
}

/** True if an `up` deletes such a prefix, which the program does not declare. */
export function isRemoved(verdict: Verdict): boolean {
  return verdict === "remove" || verdict === "expire" || verdict === "settle";
}

/**
 * Plans an update: it inserts every desired prefix, and removes only prefixes of the state. A value that another writer changed
 * stays, unless the program changes it too or a look or refresh saw it: no preview showed its change.
 */
export function planUpdate(observed: ListedMap, intent: Intent): SetPlan {
  const { known, desired, unsettled, moved, withdrawn, observed: looked, found } = intent;
  const { missing, different, dropped, present } = compareSet(observed, known, desired);
  const isObserved = (prefix: CanonicalPrefix) =>
    looked ? looked.has(prefix) && looked.get(prefix) === observed.get(prefix) : found?.has(prefix) === true;
  const judge = judgeOf({ observed, known, desired }, intent, (it) => ({ moved, unobserved: !isObserved(it) }));
  const left = different.filter((prefix) => ["leave", "keep"].includes(judge(prefix)));
  const put = left.length === 0 ? desired : without(desired, left);
  const remove = new Set<CanonicalPrefix>();
  const uncounted = new Set<CanonicalPrefix>();
  for (const prefix of [...withdrawn.keys(), ...dropped, ...unsettled]) {
    const verdict = desired.has(prefix) ? "none" : judge(prefix);
    if (isRemoved(verdict)) remove.add(prefix);
    if (verdict === "expire" || verdict === "settle") uncounted.add(prefix);
  }
  // An unsettled insert that the list shows needs only a commit; one of an entry that the state knows may follow a removal.
  const listed = new Set(present);
  const again = unsettled.size === 0 ? unsettled : new Set([...unsettled].filter((prefix) => !listed.has(prefix)));
  const restored = [...missing, ...different].filter((prefix) => judge(prefix) === "restore");
  return {
    ...{ put, remove, unsettled: again, listed },
    ...(uncounted.size > 0 && { uncounted }),
    ...(restored.length > 0 && { restored: new Set(restored) }),
  };
}

function without(entries: ListedMap, left: readonly CanonicalPrefix[]): ListedMap {
  const rest = new Map(entries);
  for (const prefix of left) rest.delete(prefix);
  return rest;
}

/** Start of a new resource. */
export interface NewContent {
  readonly desired: ListedMap;
  readonly exclusive: boolean;
  /** Entries in states of this deployment: they are not foreign. */
  readonly managed: KnownPrefixes;
  /** Entries that resources of this deployment declare in the set; by default those of this one. */
  readonly declared?: KnownPrefixes;
  /** Entries that a killed run of the resource sent: they are not foreign either, and leave if they are not declared. */
  readonly sent?: ReadonlySet<CanonicalPrefix>;
  /** Entries of `block --now` that are no longer wanted, with their values. */
  readonly withdrawn?: ListedMap;
}

/**
 * Plans a create: it inserts every desired prefix, and leaves foreign entries as they are.
 *
 * @returns `undeclared` and `otherValue`: entries in the way, with their values; `shared`: entries that are there as declared
 */
export function planNew(
  observed: ListedMap,
  { desired, exclusive, managed, declared = desired, sent = new Set(), withdrawn = NOTHING }: NewContent,
) {
  const { present, occupied, foreign } = compareSet(observed, NOTHING, desired);
  const more = (prefix: CanonicalPrefix) => ({ isNew: true, partial: !exclusive, owned: managed.has(prefix) });
  const judge = judgeOf({ observed, known: NOTHING, desired }, { unsettled: sent, declared, withdrawn }, more);
  const those = (prefixes: readonly CanonicalPrefix[], verdict: Verdict) =>
    prefixes.filter((prefix) => judge(prefix) === verdict);
  const valued = (prefixes: readonly CanonicalPrefix[]): ReadonlyMap<CanonicalPrefix, ListedValue> =>
    new Map(prefixes.map((prefix) => [prefix, observed.get(prefix) as ListedValue]));
  const otherValue = valued(those(occupied, "refuse"));
  const remove = new Set(
    [...withdrawn.keys(), ...sent].filter((prefix) => !desired.has(prefix) && isRemoved(judge(prefix))),
  );
  const shared = those(present, "take over");
  const listed = new Set([...shared, ...those(present, "settle")]);
  const put = otherValue.size === 0 ? desired : without(desired, [...otherValue.keys()]);
  const plan: SetPlan = { put, remove, uncounted: remove, listed };
  return { plan, undeclared: valued(exclusive ? those(foreign, "refuse") : []), otherValue, shared };
}

/** Start of a new entry. */
export interface NewEntry extends Omit<NewContent, "desired" | "exclusive"> {
  /** Name of the set in messages. */
  readonly label: string;
  readonly prefix: CanonicalPrefix;
  readonly value: ListedValue;
  readonly onExisting: "fail" | "adopt";
}

/**
 * Plans the create of an entry against the content of the set.
 *
 * @returns `found`: value of a foreign entry. With the desired value a commit follows; another value stays as it is.
 * @throws {Error} if there is one with another value that may not be adopted: then nothing is sent
 */
export function planEntry(observed: ListedMap, { label, prefix, value, onExisting, ...about }: NewEntry) {
  const { plan, otherValue, shared } = planNew(observed, {
    ...about,
    desired: new Map([[prefix, value]]),
    exclusive: false,
  });
  const found = otherValue.get(prefix) ?? (shared.length > 0 ? value : undefined);
  if (found === undefined) return { plan };
  if (found === value || onExisting === "adopt") return { plan, found };
  throw new Error(
    `${label} already holds ${prefix} with the value ${found}, not ${value}. Nothing was sent. Give the entry that value, or take it over with onExisting: "adopt".`,
  );
}
