import { type Clock, systemClock } from "../client/clock";

/** Everything that the forwarder takes from its surroundings, so that tests can hand in their own. */
export interface ForwarderWorld extends Clock {
  /** From 0 up to 1, for jitter and for names that must differ. */
  random(): number;
}

/** The real clocks, timers and randomness. */
export const systemWorld: ForwarderWorld = { ...systemClock, random: Math.random };

/**
 * At least how long ago `then` was on the clock of `Clock.monotonic`, also in an earlier process. Where the
 * machine was started since, the clock began anew at 0: the difference is then less than the truth, never more.
 */
export function elapsedSince(then: number, now: number): number {
  return Math.max(0, now - then);
}

/** Waits for `ms`; resolves early when the signal aborts. */
export function pause(world: Pick<Clock, "after">, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = world.after(Math.max(0, ms), end);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** Exponential, from `first` to at most `longest`, between half and the whole of it, so that many do not come back at once. */
export function growingPause(failures: number, first: number, longest: number, random: () => number): number {
  return Math.min(longest, first * 2 ** Math.min(30, failures - 1)) * (0.5 + random() / 2);
}
