import { SetWriteFailure } from "../../apply/set-operation";
import { RequestError } from "../../client";
import { messageOf } from "../../model/errors";
import type { NowTarget } from "./common";
import { stopReason } from "./deadline";

export interface Outcome extends NowTarget {
  /** `"not all"`: done except for `problems`. `"not sent"`: nothing was changed. `"unknown"`: entries may be staged or applied. */
  readonly outcome: "done" | "not all" | "not sent" | "unknown";
  readonly changed: number;
  readonly problems: readonly string[];
  /** Reason of an early end, in words that several targets share. */
  readonly reason?: string;
  /** Sentence for a single target. */
  readonly done?: string;
  /** True if the same command may finish it. */
  readonly isPassing: boolean;
}

/** The beginning of a target that was not finished. */
interface Begun {
  /** True if something may have been sent. */
  readonly isBegun: boolean;
  /** Number of entries that were changed and committed before. */
  readonly changed: number;
}

/** The end of a target that was not finished. */
export function unfinished(target: NowTarget, error: unknown, stop: AbortSignal, { isBegun, changed }: Begun): Outcome {
  const isUnknown = error instanceof SetWriteFailure || (isBegun && stop.aborted);
  const known = changed > 0 ? "not all" : "not sent";
  const failed = { ...target, outcome: isUnknown ? "unknown" : known, changed } as const;
  // One sentence covers all targets that ended early.
  if (stop.aborted) return { ...failed, problems: [], reason: stopReason(stop), isPassing: true };
  const request = requestErrorOf(error);
  const isPassing = request !== undefined && request.outcome !== "refused";
  return { ...failed, problems: [messageOf(error)], isPassing };
}

function requestErrorOf(error: unknown): RequestError | undefined {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof RequestError) return one;
  return undefined;
}
