import type { RunRecord, World } from "../simulation";
import type { Claim } from "./model";

/** What a promise is judged by: one run, and what was before it. */
export interface Case {
  readonly world: World;
  readonly record: RunRecord;
  /** What the stack's program declared before this run, and what it declares now. */
  readonly before: readonly Claim[];
  readonly now: readonly Claim[];
}

/** A promise as an invariant. */
export interface Promised {
  /** Its number in the documentation's list. */
  readonly number: number;
  readonly name: string;
  /** Judged after each run. @returns sentences about what is broken */
  readonly judge: (given: Case) => readonly string[];
}
