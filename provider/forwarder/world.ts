import { type Clock, systemClock } from "../client/clock";

/** Everything that the forwarder takes from its surroundings, so that tests can hand in their own. */
export interface ForwarderWorld {
  /** Milliseconds since 1970, for timestamps only: this clock jumps when somebody sets it. */
  wall(): number;
  /**
   * Milliseconds of a clock that never goes back and that all processes of a machine share until it restarts. After a
   * restart it may be lower than before, which is how `elapsedSince` can never say too much.
   */
  now(): number;
  /** Calls back once after `ms`; returns what cancels it. */
  timer(run: () => void, ms: number): () => void;
  /** From 0 up to 1, for jitter and for names that must differ. */
  random(): number;
}

/** The real clocks, timers and randomness. */
export const systemWorld: ForwarderWorld = {
  wall: Date.now,
  now: systemClock.monotonic,
  timer: (run, ms) => systemClock.after(ms, run),
  random: Math.random,
};

/** The clock of a world, as the package's client takes it. */
export function clockOf(world: ForwarderWorld): Clock {
  return {
    monotonic: () => world.now(),
    wall: () => world.wall(),
    after: (ms, run) => world.timer(run, ms),
    sleep: (ms, signal) => pause(world, ms, signal),
  };
}

/**
 * At least how long ago `then` was on the clock of {@link ForwarderWorld.now}, also in an earlier process. Where the
 * machine was started since, the clock began anew at 0: the difference is then less than the truth, never more.
 */
export function elapsedSince(then: number, now: number): number {
  return Math.max(0, now - then);
}

/** Waits for `ms`; resolves early when the signal aborts. */
export function pause(world: Pick<ForwarderWorld, "timer">, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = world.timer(end, Math.max(0, ms));
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** Exponential, from `first` to at most `longest`, between half and the whole of it, so that many do not come back at once. */
export function growingPause(failures: number, first: number, longest: number, random: () => number): number {
  return Math.min(longest, first * 2 ** Math.min(30, failures - 1)) * (0.5 + random() / 2);
}
