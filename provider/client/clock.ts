import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds: the longest time that a timer takes. One of a longer time ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Time as an argument: clients, writers and the deployment share one, and tests bring their own. */
export interface Clock {
  /**
   * Milliseconds since some moment; never set back and never set forward. Durations and deadlines are measured with it.
   * The real one counts from the start of the machine, so that processes can compare theirs; after a restart it may be
   * lower than before.
   */
  monotonic(): number;
  /** Milliseconds since 1970, as the machine's calendar says. Only where a date is meant: expiry, audit, HTTP dates. */
  wall(): number;
  /** A time-out: calls `run` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** A pause. Ends early, by resolving or rejecting, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A pause that never fails: it ends early when the signal aborts. */
export function pause(clock: Pick<Clock, "sleep">, ms: number, signal?: AbortSignal): Promise<void> {
  return clock.sleep(Math.max(0, ms), signal).catch(() => undefined);
}

/** Joins those who wait, until it is called. @throws the signal's reason when it aborts first */
export function called(waiting: Set<() => void>, signal?: AbortSignal): Promise<void> {
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

/** The clocks and timers of Node. */
export const systemClock: Clock = {
  monotonic: () => Number(process.hrtime.bigint() / 1000n) / 1000,
  wall: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};
