import { SetWriteFailure } from "../../apply/set-operation";
import { RequestError } from "../../client";
import { messageOf } from "../../model/errors";
import { stopReason } from "./deadline";

/** A target that was not finished. */
export class NotSent extends Error {
  override readonly name = "NotSent";

  constructor(
    message: string,
    /** `"not sent"`: nothing was changed. `"unknown"`: entries may be staged or applied. */
    readonly outcome: "not sent" | "unknown",
    /** True if the same command may succeed later. */
    readonly isPassing: boolean,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

/** The reason why a set was not finished. @param isBegun True if something may have been sent. */
export function notSent(error: unknown, label: string, stop: AbortSignal, isBegun: boolean): NotSent {
  const outcome = error instanceof SetWriteFailure || (isBegun && stop.aborted) ? "unknown" : "not sent";
  const failed = requestErrorOf(error);
  if (stop.aborted) return new NotSent(`${label}: ${stopReason(stop)}.`, outcome, true, error);
  const isPassing = failed !== undefined && failed.outcome !== "refused";
  return new NotSent(messageOf(error), outcome, isPassing, error);
}

function requestErrorOf(error: unknown): RequestError | undefined {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof RequestError) return one;
  return undefined;
}
