import type { ObservedSet } from "../client/node-set";
import type { ListedValue } from "../model/entry-value";
import type { CanonicalPrefix } from "../model/prefix";
import { difference, type ListedMap } from "../model/prefix-map";
import { some } from "../model/text";
import type { Planned } from "./set-operation";

/** What a group of operations changes together. */
export interface Changes {
  readonly put: Map<CanonicalPrefix, ListedValue>;
  readonly remove: Set<CanonicalPrefix>;
  /** True: a commit follows even if nothing is sent, since what the list shows may be staged only. */
  readonly isShown?: boolean;
}

/** One set of changes from all plans: a prefix that any operation wants is not removed, and a change that the node shows already is not sent. */
export function merge(plans: readonly Planned[], before: ObservedSet): Changes {
  const put = new Map<CanonicalPrefix, ListedValue>();
  const remove = new Set<CanonicalPrefix>();
  const wanted = new Set<CanonicalPrefix>();
  for (const plan of plans) {
    if (!plan.ok) continue;
    for (const [prefix, value] of plan.value.put) {
      wanted.add(prefix);
      if (before.values.get(prefix) !== value || plan.value.unsettled?.has(prefix)) put.set(prefix, value);
    }
  }
  for (const plan of plans) {
    if (!plan.ok) continue;
    const isSentAnyway = (prefix: CanonicalPrefix) =>
      (plan.operation.isDelete && before.values.size > 0) || plan.value.unsettled?.has(prefix) === true;
    for (const prefix of plan.value.remove) {
      if (!wanted.has(prefix) && (before.has(prefix) || isSentAnyway(prefix))) remove.add(prefix);
    }
  }
  // An empty list does not prove that what a delete removes is gone: a run before may have staged the removal, and a node
  // may list what is staged. A commit, and the list after it, do.
  const isUnproved = (plan: Planned) => plan.operation.isDelete === true && before.values.size === 0;
  const isShown = plans.some(
    (plan) => plan.ok && ((plan.value.shown?.size ?? 0) > 0 || (plan.value.remove.size > 0 && isUnproved(plan))),
  );
  return { put, remove, isShown };
}

/** True when there is nothing to send and nothing to commit. */
export function isNothing(changes: Changes): boolean {
  return sizeOf(changes) === 0 && changes.isShown !== true;
}

/** What of these changes a list does not show. */
export function missing(
  changes: { put: ListedMap; remove: ReadonlySet<CanonicalPrefix> },
  observed: ObservedSet,
): CanonicalPrefix[] {
  const absent = [...changes.put].filter(([prefix, value]) => observed.values.get(prefix) !== value);
  const present = [...changes.remove].filter((prefix) => observed.has(prefix) && !changes.put.has(prefix));
  return [...absent.map(([prefix]) => prefix), ...present];
}

/** How many prefixes are changed. */
function sizeOf(changes: Changes): number {
  return changes.put.size + changes.remove.size;
}

/** What changed from one list to another that is not our doing: `appeared: 192.0.2.0/24; vanished: …`, or nothing. */
export function doneByOthers(before: ListedMap, after: ListedMap, merged: Changes): string {
  const { insert, remove, change } = difference(before, after);
  const named = (verb: string, map: ReadonlyMap<CanonicalPrefix, unknown>) => {
    const foreign = [...map.keys()].filter((prefix) => !merged.put.has(prefix) && !merged.remove.has(prefix));
    return foreign.length === 0 ? [] : [`${verb}: ${some(foreign)}`];
  };
  return [...named("appeared", insert), ...named("vanished", remove), ...named("changed", change)].join("; ");
}
