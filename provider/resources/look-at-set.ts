import { UnexpectedResponse } from "../client/errors";
import type { Runtime } from "../deployment/runtime";
import type { Foresight, LookedAt } from "../engine/handler";
import { refusedList } from "../messages/remedy";
import type { ListedValue } from "../model/entry";
import { messageOf } from "../model/errors";
import type { CanonicalPrefix } from "../model/prefix";
import { type ListedMap, NOTHING } from "../model/prefix-map";
import type { OnDestroy } from "../reconcile/arguments";
import { type Drift, differing, restoresText } from "../reconcile/drift";
import type { LookedSet, ResourceSet } from "./resource-set";

/** Entries of the state that an `up` restores, given the result of the look. */
export function lookAgain({ set, refused }: LookedSet, known: ListedMap, desired: ListedMap): LookedAt {
  if (refused) set.report({ kind: "unreadable", reason: refused.message, usesState: true });
  const lost = set.lost(known, desired);
  return lost ? { restores: set.listed(restoresText(lost, desired)), hasValues: lost.different.size > 0 } : {};
}

/**
 * Tries a create against the result of the look: a preview fails where the `up` would.
 *
 * @param plan Throws if something is in the way.
 */
export function lookNew(
  { advice }: Pick<Runtime, "advice">,
  { set, refused }: LookedSet,
  foresight: Foresight,
  plan: () => void,
): LookedAt {
  const fails = (why: string) => ({
    problems: [["up would fail.", why, ...advice.of(WITHOUT_LOOK)].join(" ")],
  });
  if (refused) {
    // Another resource may make a set that the node does not know; wrong credentials and unknown answers stay as they are.
    const isLasting = refused.outcome === "refused" || refused instanceof UnexpectedResponse;
    const isCertain = foresight === "answer" || (foresight === "entries" && isLasting && !refusedList(refused));
    if (isCertain) return fails(`${set.at} ${set.url} now: ${refused.message}`);
    // The check of a resource that is foreseen has reported it.
    if (foresight === "nothing") set.report({ kind: "unreadable", reason: refused.message, usesState: false });
  }
  if (foresight === "nothing") return {};
  try {
    plan();
    return {};
  } catch (error) {
    return fails(messageOf(error));
  }
}

const WITHOUT_LOOK = 'Without this look: packetfilter:detectDrift "off".';

/**
 * Reports what a create or an update does to the entries that a killed one has sent.
 *
 * @param observed The list of the write, which reports only what the look did not; by default that of the look.
 */
export function reportSent(
  set: ResourceSet,
  sent: ReadonlySet<CanonicalPrefix>,
  desired: ListedMap,
  observed?: ListedMap,
): void {
  const { observedInLook: looked } = set;
  const news = [...sent].filter((prefix) => !observed || looked?.has(prefix) !== true);
  if (news.length === 0) return;
  const left = news.filter((prefix) => !set.desired.has(prefix));
  if (left.length > 0) set.report({ kind: "interrupted", prefixes: left });
  const there = new Map(news.map((prefix) => [prefix, (observed ?? looked)?.get(prefix) as ListedValue]));
  const entries = differing({ different: there }, desired).filter(
    ({ value, desired }) => desired !== undefined && desired !== value,
  );
  if (entries.length > 0) set.report({ kind: "foreign", outcome: "changes", entries });
}

/** Reports lost entries, which this run restores. */
export function reportMissing(set: ResourceSet, lost: Drift, desired: ListedMap): void {
  const entries = differing(lost, desired);
  if (lost.missing.length > 0) set.report({ kind: "missing", prefixes: lost.missing });
  if (entries.length > 0) set.report({ kind: "different", entries, isIgnored: false });
}

/** Arguments of a set that say what becomes of entries of others. */
interface Declaring {
  readonly entries: ListedMap;
  readonly onDestroy: OnDestroy;
}

/** Entries of others that a create or an update meets. */
export interface Found {
  /** Entries that are there as declared. */
  readonly shared: readonly CanonicalPrefix[];
  /** Entries that are taken into the state, unchanged. */
  readonly adopted: ListedMap;
  /** Entries of `block --now`, or at another address, that are changed. */
  readonly changed?: ListedMap;
}

export const NOTHING_FOUND: Found = { shared: [], adopted: NOTHING };

/** Those that the look did not see so: its entries have been reported. */
export function notLooked(
  { observedInLook: listed }: ResourceSet,
  { shared, adopted, changed = NOTHING }: Found,
): Found {
  const isNews = ([prefix, value]: readonly [CanonicalPrefix, ListedValue]) => listed?.get(prefix) !== value;
  return {
    shared: shared.filter((prefix) => listed?.has(prefix) !== true),
    adopted,
    changed: new Map([...changed].filter(isNews)),
  };
}

/** Reports, in the preview and when it is done, entries of others that a create or an update meets. */
export function reportMet(
  set: ResourceSet,
  inputs: Declaring,
  { shared, adopted, changed }: Found,
  isPlanned: boolean,
): void {
  const { entries: desired, onDestroy } = inputs;
  if (shared.length > 0) set.report({ kind: "alreadyThere", prefixes: shared, isPlanned, onDestroy });
  const entriesOf = (found: ListedMap) => differing({ different: found }, desired);
  if (adopted.size > 0) set.report({ kind: "adopted", entries: entriesOf(adopted), of: "set", isPlanned, onDestroy });
  if (changed && changed.size > 0) set.report({ kind: "foreign", outcome: "changes", entries: entriesOf(changed) });
}
