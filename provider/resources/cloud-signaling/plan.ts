import type { CanonicalPrefix } from "../../model/prefix";
import { mapOf } from "../../model/prefix-map";
import { compareSet } from "../../reconcile/three-way";
import type { CloudSignalingInputs, CloudSignalingState } from "./state";

/**
 * Plans the prefixes that an update starts, keeps and stops.
 *
 * @param active Prefixes that the look of this run saw active; by default those of the state
 */
export function planSignaling(
  { prefixes: before, started, unsettled }: CloudSignalingState,
  { prefixes: desired }: CloudSignalingInputs,
  active: Iterable<CanonicalPrefix> = before,
) {
  const { missing, present, new: lacks, dropped } = compareActive(active, before, desired);
  /** Prefixes that this resource started, or may have started. */
  const mayBeOurs: ReadonlySet<CanonicalPrefix> = new Set([...started, ...unsettled]);
  /** Prefixes to start, unless they are active. */
  const isStarted = new Set([...missing, ...present, ...lacks]);
  const added = unsettled.length > 0 ? desired : desired.filter((prefix) => isStarted.has(prefix));
  /** Own prefixes that are still wanted. */
  const kept = started.filter((prefix) => desired.includes(prefix) && !added.includes(prefix));
  /** Prefixes that are no longer wanted. */
  const more = [...started, ...unsettled].filter((prefix) => !desired.includes(prefix));
  const removed = [...new Set([...dropped, ...more])];
  /** Removed prefixes that this resource started, or may have started. */
  const leaving = removed.filter((prefix) => mayBeOurs.has(prefix));
  return { added, kept, removed, leaving, mayBeOurs };
}

/** Compares active prefixes as the entries of a set: each has the same value. */
export function compareActive(
  active: Iterable<CanonicalPrefix>,
  known: Iterable<CanonicalPrefix>,
  desired: Iterable<CanonicalPrefix>,
) {
  return compareSet(mapOf(active), mapOf(known), mapOf(desired));
}

/** Leaving prefixes that may be stopped: by `stops` those that this resource started, all, or none. */
export function stoppable(
  stops: CloudSignalingInputs["stops"],
  leaving: readonly CanonicalPrefix[],
  started: readonly CanonicalPrefix[],
): readonly CanonicalPrefix[] {
  if (stops === "none") return [];
  return stops === "all" ? leaving : leaving.filter((prefix) => started.includes(prefix));
}
