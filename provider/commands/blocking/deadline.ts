import { duration } from "../../client/retry";
import { type CliIo, repeatedly } from "../cli-io";
import { readTimeout } from "../time-spans";

/** Milliseconds that a command has which changes nodes at once, unless `--timeout` says otherwise. */
export const COMMAND_MS = 15_000;

/** Why a command gave up waiting. */
class TimedOut extends Error {
  override readonly name = "TimedOut";

  constructor(ms: number) {
    super(`no answer within ${duration(ms)} (--timeout)`);
  }
}

/** The time that a whole command has. */
export interface Deadline {
  readonly ms: number;
  /** Aborts when the time is over, or when the process is asked to end: nothing is sent from then on. */
  readonly stop: AbortSignal;
  /** Ends the wait. */
  close(): void;
}

/** Counted from the start of the process, as its caller counts. @throws {UsageError} for a span that is none */
export function deadlineOf(
  timeout: string | undefined,
  { stop, elapsed = () => 0, every = repeatedly }: CliIo,
): Deadline {
  const ms = timeout === undefined ? COMMAND_MS : readTimeout(timeout);
  const end = new AbortController();
  const close = every(Math.max(0, ms - elapsed()), () => end.abort(new TimedOut(ms)));
  return { ms, stop: AbortSignal.any([stop, end.signal]), close };
}

/** Why nothing more was sent, in the words of a result. */
export function stopReason({ reason }: AbortSignal): string {
  return reason instanceof TimedOut ? reason.message : "interrupted before it answered";
}
