import type { CanonicalPrefix } from "../../model/prefix";
import type { CloudSignalingInputs, CloudSignalingState } from "./state";

/** What an update starts, keeps and stops. */
export interface SignalingPlan {
  /** To be started, unless they are active. */
  readonly added: readonly CanonicalPrefix[];
  /** Ours, and wanted as before: nothing is asked about them. */
  readonly kept: readonly CanonicalPrefix[];
  /** Not wanted any more. */
  readonly removed: readonly CanonicalPrefix[];
  /** Those of them that this resource started, or may have started. */
  readonly leaving: readonly CanonicalPrefix[];
  /** Everything that this resource started, or may have started. */
  readonly mayBeOurs: ReadonlySet<CanonicalPrefix>;
}

/** @param moved true when the receiver is reached at another address than before, and may be another one */
export function planUpdate(
  { prefixes: before, started, unsettled }: CloudSignalingState,
  { prefixes: wanted }: CloudSignalingInputs,
  moved: boolean,
): SignalingPlan {
  const mayBeOurs = new Set([...started, ...unsettled]);
  const added = moved || unsettled.length > 0 ? wanted : wanted.filter((prefix) => !before.includes(prefix));
  const kept = started.filter((prefix) => wanted.includes(prefix) && !added.includes(prefix));
  const removed = [...new Set([...before, ...started, ...unsettled])].filter((prefix) => !wanted.includes(prefix));
  const leaving = removed.filter((prefix) => mayBeOurs.has(prefix));
  return { added, kept, removed, leaving, mayBeOurs };
}

/** What may be stopped of the prefixes that leave: by `stops` what this resource started, everything, or nothing. */
export function stoppable(
  stops: CloudSignalingInputs["stops"],
  leaving: readonly CanonicalPrefix[],
  started: readonly CanonicalPrefix[],
): readonly CanonicalPrefix[] {
  if (stops === "none") return [];
  return stops === "all" ? leaving : leaving.filter((prefix) => started.includes(prefix));
}
