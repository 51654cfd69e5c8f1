import type { World } from "../../../client/world";
import type { Environment } from "../../environment-credentials";

/** Surroundings of a check. */
export interface CheckWorld {
  readonly world: Pick<World, "after" | "sleep" | "monotonic" | "dispatcher">;
  /** Of a command. */
  readonly env: Environment;
  /** Ends the check. */
  readonly signal: AbortSignal;
}

/** A check that nodes did not pass. */
export interface Unpassed {
  /** Those that did not pass; all of a wave where that cannot be told. */
  readonly nodes: readonly string[];
  /** Why, as half a sentence. */
  readonly reason: string;
}

/** Subject of a check, and its time limit. */
export interface CheckedWave {
  readonly nodes: readonly string[];
  /** The set's url. */
  readonly set: string;
  readonly timeoutMs: number;
  /** True where it is not tried again. */
  readonly isOnce?: boolean;
}
