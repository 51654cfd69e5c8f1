import { setTimeout as pause } from "node:timers/promises";
import type { Dispatcher } from "./http";

/** Everything that a client takes from its surroundings, so that tests can hand in their own. */
export interface World {
  /** Milliseconds since 1970. */
  now(): number;
  /** Pause between tries. Ends early, by resolving or rejecting, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `ms`; returns what cancels it. Time-outs are made of it. */
  timer(run: () => void, ms: number): () => void;
  /** From 0 up to 1, for the jitter of pauses. */
  random(): number;
  /** An undici dispatcher (a proxy agent, a mock) in place of the client's own; the client does not close it. */
  readonly dispatcher?: Dispatcher;
  /** Longer answers are refused unread. Default: 128 MiB, which is more than two million marks. */
  readonly maxResponseBytes: number;
}

const MIB = 1024 * 1024;

/** The real clock, timers and randomness. */
export const systemWorld: World = {
  // Unlike Date.now, it never jumps when somebody sets the machine's clock, so deadlines hold.
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) => pause(ms, undefined, { signal }),
  timer: (run, ms) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
  maxResponseBytes: 128 * MIB,
};
