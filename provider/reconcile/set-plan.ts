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
  /** Unsettled prefixes that are only sent again: another value at the node is another writer's; by default none. */
  readonly staged?: KnownPrefixes;
  /** Entries that resources of this deployment declare in the set, this one included. */
  readonly declared: KnownPrefixes;
  /** Entries of `block --now` that are no longer wanted, with their values. */
  readonly withdrawn: ListedMap;
  /** Declared entries that `block --now` inserted, with its values; by default none. */
  readonly blocked?: ListedMap;
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
  /** Entries in states of this deployment: they are not foreign. */
  readonly managed: KnownPrefixes;
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
  { unsettled, staged, declared, withdrawn, blocked = NOTHING, isOver, ignores }: SetFacts,
  more: (prefix: CanonicalPrefix) => Circumstances = () => ({}),
): (prefix: CanonicalPrefix) => Verdict {
  return (prefix) => {
    const listed = observed.get(prefix);
    const isWithdrawn = listed !== undefined && withdrawn.get(prefix) === listed;
    const relation = relationOf(listed, known.get(prefix), desired.get(prefix));
    return verdictOf(relation, {
      noted: unsettled.has(prefix) && !(relation === "different" && staged?.has(prefix) === true),
      blocked: listed !== undefined && blocked.get(prefix) === listed,
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

/** Entries that a plan meets where the program declares them. */
export interface Met {
  /** Entries with another value, which the plan leaves as they are. */
  readonly otherValue: ListedMap;
  /** Entries that are there as declared. */
  readonly shared: readonly CanonicalPrefix[];
  /** Entries of `block --now`, or at another address, with other values, which the plan changes. */
  readonly changed: ListedMap;
}

/**
 * Plans an update: it inserts every desired prefix, and removes only prefixes of the state. A value that another writer changed
 * stays, unless the program changes it too or a look or refresh saw it: no preview showed its change. What the program adds meets
 * entries of others as in {@link planNew}.
 */
export function planUpdate(observed: ListedMap, intent: Intent): Met & { readonly plan: SetPlan } {
  const { known, desired, unsettled, moved, withdrawn, managed, observed: looked, found } = intent;
  const { missing, different, dropped, present, occupied } = compareSet(observed, known, desired);
  const isObserved = (prefix: CanonicalPrefix) =>
    looked ? looked.has(prefix) && looked.get(prefix) === observed.get(prefix) : found?.has(prefix) === true;
  const owned = (prefix: CanonicalPrefix) => !known.has(prefix) && managed.has(prefix);
  const more = (it: CanonicalPrefix) => ({ moved, owned: owned(it), unobserved: !isObserved(it) });
  const judge = judgeOf({ observed, known, desired }, intent, more);
  const otherValue = valued(
    observed,
    occupied.filter((prefix) => judge(prefix) === "refuse"),
  );
  const left = [...different.filter((prefix) => ["leave", "keep"].includes(judge(prefix))), ...otherValue.keys()];
  const put = left.length === 0 ? desired : without(desired, left);
  const remove = new Set<CanonicalPrefix>();
  const uncounted = new Set<CanonicalPrefix>();
  for (const prefix of [...withdrawn.keys(), ...dropped, ...unsettled]) {
    const verdict = desired.has(prefix) ? "none" : judge(prefix);
    if (isRemoved(verdict)) remove.add(prefix);
    if (verdict === "expire" || verdict === "settle") uncounted.add(prefix);
  }
  // An unsettled insert that the list shows needs only a commit; one of an entry that the state knows may follow a removal.
  // Of an entry that stays with another value, a commit takes back what a killed run staged.
  const kept = left.filter((prefix) => unsettled.has(prefix));
  const listed = new Set([...present.filter((prefix) => judge(prefix) !== "none"), ...kept]);
  const again = unsettled.size === 0 ? unsettled : new Set([...unsettled].filter((prefix) => !listed.has(prefix)));
  const restored = [...missing, ...different].filter((prefix) => judge(prefix) === "restore");
  const plan: SetPlan = {
    ...{ put, remove, unsettled: again, listed },
    ...(uncounted.size > 0 && { uncounted }),
    ...(restored.length > 0 && { restored: new Set(restored) }),
  };
  const isTaken = (prefix: CanonicalPrefix) => !known.has(prefix) && judge(prefix) === "take over";
  const isBlocked = (prefix: CanonicalPrefix) => intent.blocked?.has(prefix) === true && judge(prefix) === "change";
  const ofBlock = valued(observed, occupied.filter(isBlocked));
  if (!moved) return { plan, otherValue, shared: present.filter(isTaken), changed: ofBlock };
  // At another address, everything that is there was there before.
  const there = compareSet(observed, NOTHING, desired);
  const isOthers = (prefix: CanonicalPrefix) => !unsettled.has(prefix);
  const shared = there.present.filter((prefix) => isOthers(prefix) && !managed.has(prefix));
  return { plan, otherValue, shared, changed: valued(observed, there.occupied.filter(isOthers)) };
}

function valued(observed: ListedMap, prefixes: readonly CanonicalPrefix[]): ListedMap {
  return new Map(prefixes.map((prefix) => [prefix, observed.get(prefix) as ListedValue]));
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
  /** As in {@link SetFacts}. */
  readonly blocked?: ListedMap | undefined;
}

/**
 * Plans a create: it inserts every desired prefix, and leaves foreign entries as they are.
 *
 * @returns `undeclared`: entries in the way that the program does not declare, with their values
 */
export function planNew(
  observed: ListedMap,
  {
    desired,
    exclusive,
    managed,
    declared = desired,
    sent = new Set(),
    withdrawn = NOTHING,
    blocked = NOTHING,
  }: NewContent,
): Met & { readonly plan: SetPlan; readonly undeclared: ListedMap } {
  const { present, occupied, foreign } = compareSet(observed, NOTHING, desired);
  const more = (prefix: CanonicalPrefix) => ({ isNew: true, partial: !exclusive, owned: managed.has(prefix) });
  const judge = judgeOf({ observed, known: NOTHING, desired }, { unsettled: sent, declared, withdrawn, blocked }, more);
  const those = (prefixes: readonly CanonicalPrefix[], verdict: Verdict) =>
    prefixes.filter((prefix) => judge(prefix) === verdict);
  const otherValue = valued(observed, those(occupied, "refuse"));
  const remove = new Set(
    [...withdrawn.keys(), ...sent].filter((prefix) => !desired.has(prefix) && isRemoved(judge(prefix))),
  );
  const shared = those(present, "take over");
  const listed = new Set([...shared, ...those(present, "settle")]);
  const put = otherValue.size === 0 ? desired : without(desired, [...otherValue.keys()]);
  const plan: SetPlan = { put, remove, uncounted: remove, listed };
  const undeclared = valued(observed, exclusive ? those(foreign, "refuse") : []);
  const changed = valued(
    observed,
    those(occupied, "change").filter((prefix) => blocked.has(prefix)),
  );
  return { plan, undeclared, otherValue, shared, changed };
}

/** An entry of its own. */
interface OneEntry {
  /** Name of the set in messages. */
  readonly label: string;
  readonly prefix: CanonicalPrefix;
  readonly value: ListedValue;
  readonly onExisting: "fail" | "adopt";
}

/** Start of a new entry. */
export interface NewEntry extends Omit<NewContent, "desired" | "exclusive">, OneEntry {}

/**
 * Plans the create of an entry against the content of the set.
 *
 * @throws {Error} as {@link foundEntry}
 */
export function planEntry(observed: ListedMap, { label, prefix, value, onExisting, ...about }: NewEntry) {
  const made = planNew(observed, { ...about, desired: new Map([[prefix, value]]), exclusive: false });
  const found = foundEntry(made, { label, prefix, value, onExisting });
  const { plan, changed } = made;
  return { plan, ...(changed.size > 0 && { changed }), ...(found !== undefined && { found }) };
}

/**
 * Value of the entry of another writer that a plan meets. With the desired value a commit follows; another value stays as it is.
 *
 * @throws {Error} if there is one with another value that may not be adopted: then nothing is sent
 */
export function foundEntry(
  { otherValue, shared }: Pick<Met, "otherValue" | "shared">,
  { label, prefix, value, onExisting }: OneEntry,
): ListedValue | undefined {
  const found = otherValue.get(prefix) ?? (shared.length > 0 ? value : undefined);
  if (found === undefined || found === value || onExisting === "adopt") return found;
  throw new Error(
    `${label} already holds ${prefix} with the value ${found}, not ${value}. Nothing was sent. Give the entry that value, or take it over with onExisting: "adopt".`,
  );
}
