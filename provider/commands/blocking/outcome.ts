import type { NowTarget } from "./common";

/** State in which the set of one target was left. */
export interface Outcome extends NowTarget {
  /** `"not all"`: done but for what `problems` names. `"unknown"`: entries may be staged or applied. */
  readonly outcome: "done" | "not all" | "not sent" | "unknown";
  /** Number of entries changed. */
  readonly changed: number;
  /** Sentences about what is not as the command says. */
  readonly problems: readonly string[];
  /** Why it was given up, in words that several share. */
  readonly reason?: string;
  /** Sentence about it where it is the only one. */
  readonly done?: string;
  /** True where the same command may end it. */
  readonly isPassing: boolean;
}
