import type { World } from "../../../client/world";
import type { Environment } from "../../../settings/environment-credentials";

/** Surroundings of a check. */
export interface CheckWorld {
  readonly world: Pick<World, "after" | "sleep" | "monotonic" | "dispatcher">;
  /** Environment of a command. */
  readonly env: Environment;
  /** Ends the check. */
  readonly signal: AbortSignal;
}

/** A check that nodes did not pass. */
export interface Unpassed {
  /** Nodes that did not pass; all nodes of the wave if that is unknown. */
  readonly nodes: readonly string[];
  /** The reason, as half a sentence. */
  readonly reason: string;
}

/** Subject of a check, and its time limit. */
export interface CheckedWave {
  readonly nodes: readonly string[];
  /** The set's url. */
  readonly set: string;
  readonly timeoutMs: number;
  /** True if there is only one try. */
  readonly isOnce?: boolean;
}
