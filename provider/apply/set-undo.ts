import type { NodeSet, ObservedSet } from "../client/node-set";
import type { CanonicalPrefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import type { Changes, Planned } from "./set-operation";
import { Staging } from "./set-staging";

/** The changes of the operations that have no refused entry. */
export function withoutRefused(plans: readonly Planned[], merged: Changes, refused: Staging["refused"]): Changes {
  const kept = new Set<CanonicalPrefix>();
  for (const plan of plans) {
    if (!plan.ok || [...plan.value.put.keys()].some((prefix) => refused.has(prefix))) continue;
    for (const prefix of [...plan.value.put.keys(), ...plan.value.remove]) kept.add(prefix);
  }
  return {
    ...merged,
    put: new Map([...merged.put].filter(([prefix]) => kept.has(prefix))),
    remove: new Set([...merged.remove].filter((prefix) => kept.has(prefix))),
  };
}

/** An old list may have hidden applied entries, whose removal is staged now: those that a new list shows are inserted once more. */
export async function restageHidden(
  set: NodeSet,
  before: ObservedSet,
  { deleted }: Staging,
  merged: Changes,
): Promise<void> {
  const hidden = [...deleted].filter((prefix) => !before.has(prefix) && !isIn(merged, prefix));
  if (hidden.length === 0) return;
  const listed = await set.observe();
  await new Staging(set, listed).restage(hidden.filter((prefix) => listed.has(prefix)));
}

/** After a failed removal, takes staged removals of remaining entries back, if the node permits. Returns those that are. */
export async function undoRemovals(
  set: NodeSet,
  plans: readonly Planned[],
  { maybeStaged }: Staging,
  listed: ObservedSet,
): Promise<readonly CanonicalPrefix[]> {
  const prefixes = plans.flatMap((plan) => (plan.ok && plan.operation.isDelete ? [...plan.value.remove] : []));
  const present = prefixes.filter((prefix) => maybeStaged.has(prefix) && listed.has(prefix));
  try {
    if (present.length > 0) await new Staging(set, listed).restage(present);
    return present;
  } catch {
    // The node does not answer; the next group of this process tries again, and the message says what to do.
    return [];
  }
}

export function isIn({ put, remove }: Changes, prefix: CanonicalPrefix): boolean {
  return put.has(prefix) || remove.has(prefix);
}

/**
 * Content of the node in a list after a failure. An entry that was inserted and never deleted counts as it was before: the list may
 * show it as staged. The next run then knows that a listed entry only needs a commit.
 */
export function knownOf(
  before: ObservedSet,
  listed: ObservedSet | undefined,
  { maybeStaged, deleted }: Staging,
): ListedMap {
  if (!listed) return before.values;
  const known = new Map(listed.values);
  for (const prefix of maybeStaged) {
    if (deleted.has(prefix)) continue;
    const value = before.values.get(prefix);
    if (value === undefined) known.delete(prefix);
    else known.set(prefix, value);
  }
  return known;
}
