import { formatDuration } from "../../client/pauses";
import { type CliIo, repeatedly } from "../cli-io";
import { readTimeout } from "../time-spans";

/** Default of `--timeout` for a command that changes nodes at once, in milliseconds. */
export const COMMAND_MS = 15_000;

class TimedOut extends Error {
  override readonly name = "TimedOut";

  constructor(ms: number) {
    super(`no answer within ${formatDuration(ms)} (--timeout)`);
  }
}

/** End of a whole command. */
export interface Deadline {
  readonly ms: number;
  /** Aborts when the time is over, or when the process is asked to end: nothing is sent from then on. */
  readonly stop: AbortSignal;
  close(): void;
}

/** Counts from the start of the process. @throws {UsageError} for a wrong span */
export function deadlineOf(
  timeout: string | undefined,
  { stop, elapsed = () => 0, every = repeatedly }: CliIo,
): Deadline {
  const ms = timeout === undefined ? COMMAND_MS : readTimeout(timeout);
  const end = new AbortController();
  const close = every(Math.max(0, ms - elapsed()), () => end.abort(new TimedOut(ms)));
  return { ms, stop: AbortSignal.any([stop, end.signal]), close };
}

/** Reason why nothing more was sent. */
export function stopReason({ reason }: AbortSignal): string {
  return reason instanceof TimedOut ? reason.message : "interrupted before it answered";
}
