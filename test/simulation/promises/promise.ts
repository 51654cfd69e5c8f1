import type { RunRecord, World } from "../simulation";
import type { Claim } from "./model";

/** One run, and the facts before it, by which a promise is judged. */
export interface Case {
  readonly world: World;
  readonly record: RunRecord;
  /** Declarations of the stack's program before this run, and now. */
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
