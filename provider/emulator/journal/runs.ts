import { JOURNAL } from "../defaults";
import { type CommitRecord, commitCounts } from "../state/commit-record";
import type { JournalEntry } from "./entry";

/** Requests that belong together: those between two pauses, or those with one label. Plain JSON. */
export interface Run {
  /** Counts from 1 and never repeats. */
  readonly run: number;
  /** Name that a client or a test gave it. */
  readonly label?: string;
  /** Virtual time of its first request, ISO 8601; absent before that. */
  readonly from?: string;
  /** Requests to either API. */
  readonly requests: number;
  /** Requests that were answered with a status of 400 or more, or not at all. */
  readonly failed: number;
  /** Commits that were applied, and what all of them together did. */
  readonly commits: number;
  /** Entries that the commits added. */
  readonly inserted: number;
  /** Entries that the commits took out. */
  readonly removed: number;
  /** Entries that the commits gave another value. */
  readonly changed: number;
  /** Starts and stops of signaling that were answered with a success. */
  readonly starts: number;
  /** See `starts`. */
  readonly stops: number;
}

/** The same while it is counted. */
type Counted = { -readonly [Member in keyof Run]: Run[Member] };

/**
 * Sorts requests into runs. A request with a label belongs to the run of that label, pauses or not. One without belongs to the run
 * that was begun by name, else to the last one, or to a new one after `pause` idle milliseconds of the machine's clock.
 */
export class Runs {
  private readonly kept = new Map<number, Counted>();
  private readonly labelled = new Map<string, number>();
  private next = 1;
  /** The run of requests without a label. */
  private current: Counted | undefined;
  private inProgress = 0;
  private lastEnd = 0;

  constructor(
    private readonly pause: number,
    private readonly elapsed: () => number,
  ) {}

  list(): Run[] {
    return [...this.kept.values()].map((run) => ({ ...run }));
  }

  /** From now on requests without a label belong to another run: that of the label, or a new one. */
  begin(label?: string): Run {
    this.current = label === undefined ? this.add() : this.labelledRun(label);
    return { ...this.current };
  }

  /** The label of the run that a request without one would belong to. */
  get begun(): string | undefined {
    return this.current?.label;
  }

  has(label: string): boolean {
    return this.labelled.has(label);
  }

  /** The run that an arriving request belongs to. */
  enter(time: string, label?: string): Pick<Run, "run" | "label"> {
    const run = label === undefined ? this.unlabelled() : this.labelledRun(label);
    run.from ??= time;
    run.requests += 1;
    this.inProgress += 1;
    return { run: run.run, ...(run.label !== undefined && { label: run.label }) };
  }

  /** Is called once for each request that entered. */
  leave({ run, op, status }: Pick<JournalEntry, "run" | "op" | "status">): void {
    this.inProgress -= 1;
    this.lastEnd = this.elapsed();
    const counted = this.kept.get(run);
    if (!counted) return;
    if (status === undefined || status >= 400) counted.failed += 1;
    else if (op === "start") counted.starts += 1;
    else if (op === "stop") counted.stops += 1;
  }

  /** Counts a commit that was applied. */
  commit(run: number, record: CommitRecord): void {
    const counted = this.kept.get(run);
    if (!counted) return;
    counted.commits += 1;
    const { inserted, removed, changed } = commitCounts(record);
    counted.inserted += inserted;
    counted.removed += removed;
    counted.changed += changed;
  }

  /** Forgets all runs; the next one has the next number. */
  clear(): void {
    this.kept.clear();
    this.labelled.clear();
    this.current = undefined;
  }

  private unlabelled(): Counted {
    const { current } = this;
    const paused = this.inProgress === 0 && this.elapsed() - this.lastEnd >= this.pause;
    const ended = current && paused && current.label === undefined && current.requests > 0;
    if (current && !ended && this.kept.has(current.run)) return current;
    this.current = this.add();
    return this.current;
  }

  private labelledRun(label: string): Counted {
    const begun = this.kept.get(this.labelled.get(label) ?? 0);
    if (begun) return begun;
    const run = this.add(label);
    this.labelled.set(label, run.run);
    return run;
  }

  private add(label?: string): Counted {
    const counts = { requests: 0, failed: 0, commits: 0, inserted: 0, removed: 0, changed: 0, starts: 0, stops: 0 };
    const run: Counted = { run: this.next, ...(label !== undefined && { label }), ...counts };
    this.next += 1;
    this.kept.set(run.run, run);
    const [oldest] = this.kept.values();
    if (this.kept.size <= JOURNAL.runs || !oldest) return run;
    this.kept.delete(oldest.run);
    if (oldest.label !== undefined) this.labelled.delete(oldest.label);
    return run;
  }
}
