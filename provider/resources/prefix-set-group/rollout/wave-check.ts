import type { World } from "../../../client/world";
import type { Runtime } from "../../../deployment/runtime";
import type { Environment } from "../../../settings/environment-credentials";

/** Surroundings of a check. */
export interface CheckWorld {
  readonly world: Pick<World, "after" | "sleep" | "monotonic" | "dispatcher">;
  /** Environment of a command. */
  readonly env: Environment;
  /** Ends the check. */
  readonly signal: AbortSignal;
  /** Credentials that the output of a command may repeat. */
  readonly credentials: readonly string[];
}

/** The surroundings of a check in a run. */
export function checkWorld({ shared, env, cancelled, settings }: Runtime): CheckWorld {
  return { world: shared.world, env, signal: cancelled, credentials: settings.knownCredentials() };
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
  /** True if there is only one try, in which no request waits long for its turn. */
  readonly isOnce?: boolean;
  /** True if that try asks for every node, however long it takes. */
  readonly asksAll?: boolean;
}
