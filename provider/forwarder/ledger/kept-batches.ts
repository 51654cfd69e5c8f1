import { z } from "zod";
import type { Store } from "./store";

/** A row of `missed`: a batch that a sink is not to get. */
export const missedRow = z.object({ seq: z.number(), sink: z.string() });

/**
 * The batches on the disk, each with the number of sinks that have still to take it. A batch is removed when its last sink has it,
 * even if older ones wait: a dead sink keeps its own batches only.
 */
export class KeptBatches {
  /** Bytes of all of them. */
  bytes = 0;
  private readonly batches = new Map<number, { readonly bytes: number; readers: number }>();
  /** No sink needs them any more. */
  private done: number[] = [];
  /** Some sink has missed a batch. */
  private hasMissed = false;

  constructor(private readonly store: Store) {}

  /** Notes one that is on the disk. */
  add(seq: number, bytes: number, readers: number): void {
    this.batches.set(seq, { bytes, readers });
    this.bytes += bytes;
    if (readers === 0) this.done.push(seq);
  }

  /** A sink has taken one, or is not to get it any more. */
  readonly release = (seq: number): void => {
    const batch = this.batches.get(seq);
    if (batch && --batch.readers === 0) this.done.push(seq);
  };

  get hasDone(): boolean {
    return this.done.length > 0;
  }

  /** Those that are to be removed now. */
  takeDone(): readonly number[] {
    const { done } = this;
    this.done = [];
    return done;
  }

  /** Takes back batches whose removal did not happen. */
  giveBack(done: readonly number[]): void {
    this.done = this.done.concat(done);
  }

  /** Within a transaction. */
  remove(done: readonly number[]): void {
    for (const [first, last] of runsOf(done)) {
      this.store.run("DELETE FROM batches WHERE seq BETWEEN ? AND ?", first, last);
      if (this.hasMissed) this.store.run("DELETE FROM missed WHERE seq BETWEEN ? AND ?", first, last);
    }
  }

  /** After the transaction. */
  forget(done: readonly number[]): void {
    for (const seq of done) {
      this.bytes -= this.batches.get(seq)?.bytes ?? 0;
      this.batches.delete(seq);
    }
  }

  /** Within a transaction: sinks that are not to get a batch, also not after a restart. */
  keepMissed(seq: number, sinks: readonly string[]): void {
    this.hasMissed ||= sinks.length > 0;
    for (const sink of sinks) this.store.run("INSERT INTO missed (seq, sink) VALUES (?, ?)", seq, sink);
  }

  /** The sinks that miss a batch, by its number. */
  missed(): ReadonlyMap<number, ReadonlySet<string>> {
    const missed = missedBy(this.store.all(missedRow, "SELECT seq, sink FROM missed"));
    this.hasMissed = missed.size > 0;
    return missed;
  }
}

/** Rows of `missed` by the number of the batch. */
export function missedBy(rows: readonly z.infer<typeof missedRow>[]): ReadonlyMap<number, ReadonlySet<string>> {
  const missed = new Map<number, Set<string>>();
  for (const { seq, sink } of rows) missed.set(seq, (missed.get(seq) ?? new Set()).add(sink));
  return missed;
}

/** The first and the last of each row of numbers without a gap. */
function runsOf(numbers: readonly number[]): (readonly [first: number, last: number])[] {
  const runs: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run[1] + 1 === number) run[1] = number;
    else runs.push([number, number]);
  }
  return runs;
}
