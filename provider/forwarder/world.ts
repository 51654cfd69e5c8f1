import { type Clock, systemClock } from "../client/clock";

/** Everything that the forwarder takes from its surroundings, so that tests can hand in their own. */
export interface ForwarderWorld extends Clock {
  /** From 0 up to 1, for jitter and for names that must differ. */
  random(): number;
}

/** The real clocks, timers and randomness. */
export const systemWorld: ForwarderWorld = { ...systemClock, random: Math.random };
