import type { CanonicalPrefix } from "../../model/prefix";
import type { CloudSignalingInputs, CloudSignalingState } from "./state";

/**
 * Plans the prefixes that an update starts, keeps and stops.
 *
 * @param moved true when the receiver is reached at another address than before, and may be another one
 * @param lost prefixes that the look of this run saw no longer active
 */
export function planUpdate(
  { prefixes: before, started, unsettled }: CloudSignalingState,
  { prefixes: desired }: CloudSignalingInputs,
  moved: boolean,
  lost: readonly CanonicalPrefix[] = [],
) {
  /** Prefixes that this resource started, or may have started. */
  const mayBeOurs: ReadonlySet<CanonicalPrefix> = new Set([...started, ...unsettled]);
  /** Prefixes to start, unless they are active. */
  const added =
    moved || unsettled.length > 0
      ? desired
      : desired.filter((prefix) => !before.includes(prefix) || lost.includes(prefix));
  /** Own prefixes that are still wanted. */
  const kept = started.filter((prefix) => desired.includes(prefix) && !added.includes(prefix));
  /** Prefixes that are no longer wanted. */
  const removed = [...new Set([...before, ...started, ...unsettled])].filter((prefix) => !desired.includes(prefix));
  /** Removed prefixes that this resource started, or may have started. */
  const leaving = removed.filter((prefix) => mayBeOurs.has(prefix));
  return { added, kept, removed, leaving, mayBeOurs };
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
