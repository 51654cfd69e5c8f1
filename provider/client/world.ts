import { type Clock, systemClock } from "./clock";
import type { Dispatcher } from "./http";
import { type NodeMemories, processMemories } from "./node-memory";

/** Everything that a client takes from its surroundings, so that tests can hand in their own. */
export interface World extends Clock {
  /** From 0 up to 1, for the jitter of pauses. */
  random(): number;
  /** An undici dispatcher (a proxy agent, a mock) in place of the client's own; the client does not close it. */
  readonly dispatcher?: Dispatcher;
  /** What is remembered of nodes, and the pace of their lists of marks. Default: one memory for the whole process. */
  readonly memories: NodeMemories;
}

/** The real clock, timers and randomness. */
export const systemWorld: World = {
  ...systemClock,
  random: Math.random,
  memories: processMemories,
};
