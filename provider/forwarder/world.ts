import { type Clock, pause, systemClock } from "../client/clock";

/** Everything that the forwarder takes from its surroundings, so that tests can pass their own. */
export interface ForwarderWorld extends Clock {
  /** From 0 up to 1, for jitter and for names that must differ. */
  random(): number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The real clocks, timers and randomness. */
export const forwarderWorld: ForwarderWorld = { ...systemClock, random: Math.random };

/** True if work ends within `ms`; otherwise it continues unobserved. @throws the error of the work. */
export async function endsWithin(clock: Pick<Clock, "sleep">, ms: number, work: Promise<unknown>): Promise<boolean> {
  const patience = new AbortController();
  try {
    return await Promise.race([work.then(() => true), pause(clock, ms, patience.signal).then(() => false)]);
  } finally {
    patience.abort();
  }
}
