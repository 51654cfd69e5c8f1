import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as immediate } from "node:timers/promises";
import { pause } from "../client/clock";
import { SIZES, TIMES } from "./defaults";
import type { ForwarderWorld } from "./world";

let last: Promise<void> = Promise.resolve();

/**
 * A turn of the event loop for the caller alone. Work on many records asks for one after each slice, and work that may become due in
 * many places at once, such as fifty answers that begin to arrive, before it begins. So the loop stops for one slice at a time, and
 * sockets, timers and `/metrics` have their turn, however many nodes, sinks and tables there are.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => immediate());
  return last;
}

/** Runs work that yields after each slice. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}

/** Runs `work` on one slice of the records after the other, and gathers what it answers. */
export async function inSlicesOf<T, Result>(records: readonly T[], work: (slice: readonly T[]) => Result) {
  const results: Result[] = [];
  for (let start = 0; start < records.length; start += SIZES.recordsASlice) {
    await nextTurn();
    results.push(work(records.slice(start, start + SIZES.recordsASlice)));
  }
  return results;
}

/** Writes records out, each as a text, a slice at a time. */
export async function written<T>(records: readonly T[], text: (record: T) => string): Promise<string> {
  return (await inSlicesOf(records, (slice) => slice.map(text).join(""))).join("");
}

/** Measures the longest stop of the event loop in each second, in seconds, until the signal aborts. */
export async function watchStops(world: ForwarderWorld, signal: AbortSignal, observe: (seconds: number) => void) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  while (!signal.aborted) {
    await pause(world, TIMES.loopDelayEveryMs, signal);
    observe(delay.max / 1e9);
    delay.reset();
  }
  delay.disable();
}
