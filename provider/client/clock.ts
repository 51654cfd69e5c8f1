import { setTimeout as sleep } from "node:timers/promises";

/** The longest time of a timer, in milliseconds. Node runs a longer timer at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Time as an argument: clients, writers and the deployment share one, and tests bring their own. */
export interface Clock {
  /**
   * Milliseconds since a fixed moment, never adjusted: for durations and deadlines. The real clock counts from the start
   * of the machine, so that processes can compare times; after a restart it may be lower than before.
   */
  monotonic(): number;
  /** Milliseconds since 1970 by the machine's calendar. Only for dates: expiry, audit, HTTP dates. */
  wall(): number;
  /** A time-out: calls `run` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** A pause. Ends early, by resolving or rejecting, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A pause that never fails: it ends early when the signal aborts, and after the longest time of a timer. */
export function pause(clock: Pick<Clock, "sleep">, ms: number, signal?: AbortSignal): Promise<void> {
  return clock.sleep(Math.min(Math.max(0, ms), LONGEST_TIMER_MS), signal).catch(() => undefined);
}

/** Resolves once the signal has aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Adds a callback to `waiting` and waits for its call. @throws the signal's reason if it aborts first */
export function waitForCall(waiting: Set<() => void>, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      waiting.delete(proceed);
      signal?.removeEventListener("abort", leave);
      settle();
    };
    const proceed = () => end(resolve);
    const leave = () => end(() => reject(signal?.reason));
    waiting.add(proceed);
    signal?.addEventListener("abort", leave, { once: true });
  });
}

export const systemClock: Clock = {
  monotonic: () => Number(process.hrtime.bigint() / 1000n) / 1000,
  wall: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};
