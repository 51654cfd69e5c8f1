import { setImmediate as immediate } from "node:timers/promises";

/** Rows of a table that are gone through before others have their turn: about a millisecond. */
export const ROWS_A_SLICE = 2_000;
/** Records that are written out before others have their turn: a few milliseconds in the widest format. */
export const RECORDS_A_SLICE = 200;
/** Bytes of a body that are read before others have their turn. */
export const BYTES_A_SLICE = 65_536;

let last: Promise<void> = Promise.resolve();

/**
 * A turn of the event loop for the caller alone. Whoever works on many records asks for one after each slice: so the loop
 * stops for one slice at a time, however many sinks and tables are at work, and sockets, timers and `/metrics` come between.
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
