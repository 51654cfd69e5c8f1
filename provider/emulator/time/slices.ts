import { setImmediate } from "node:timers/promises";

/**
 * Work that can be put down: at each `yield` other work may come between. What it changes becomes visible only at its end,
 * in one step, so that nobody sees a half.
 */
export type SlicedWork<T> = Generator<void, T, void>;

/** Steps of a slice that parse, format or check something: a few milliseconds of them. */
export const SLICE = 500;

/** Steps of a slice that only move what is there: the same time. */
export const LIGHT_SLICE = 4_000;

/** Does the work to its end. */
export function atOnce<T>(work: SlicedWork<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/**
 * Does the work slice by slice and lets the event loop turn in between. Work that fits into one slice is done when this
 * returns, without a promise.
 *
 * @param turn What waiting for other work is. Default: one turn of the event loop.
 */
export function inSlices<T>(work: SlicedWork<T>, turn: () => Promise<unknown> = () => setImmediate()): T | Promise<T> {
  const first = work.next();
  return first.done ? first.value : rest(work, turn);
}

async function rest<T>(work: SlicedWork<T>, turn: () => Promise<unknown>): Promise<T> {
  for (;;) {
    await turn();
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Goes on with a result: at once, or when it is there. */
export function whenDone<T, R>(result: T | Promise<T>, next: (value: T) => R): R | Promise<R> {
  return result instanceof Promise ? result.then(next) : next(result);
}

/** One after the other: work begins when all that was given before has ended, at once when there is none. */
export class Line {
  private last: Promise<unknown> | undefined;

  /** True while some work is under way or waits. */
  get isBusy(): boolean {
    return this.last !== undefined;
  }

  run<T>(work: () => T | Promise<T>): T | Promise<T> {
    const result = this.last ? this.last.then(work, work) : work();
    if (!(result instanceof Promise)) return result;
    const done = () => {
      if (this.last === result) this.last = undefined;
    };
    this.last = result;
    result.then(done, done);
    return result;
  }
}
