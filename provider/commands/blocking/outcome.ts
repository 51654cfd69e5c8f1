import type { NowTarget } from "./common";

/** Final state of one target. */
export interface Outcome extends NowTarget {
  /** `"not all"`: done except for `problems`. `"unknown"`: entries may be staged or applied. */
  readonly outcome: "done" | "not all" | "not sent" | "unknown";
  /** Number of changed entries. */
  readonly changed: number;
  readonly problems: readonly string[];
  /** Reason of an early end, in words that several targets share. */
  readonly reason?: string;
  /** Sentence for a single target. */
  readonly done?: string;
  /** True if the same command may finish it. */
  readonly isPassing: boolean;
}
