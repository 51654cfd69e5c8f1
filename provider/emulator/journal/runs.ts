import type { Run } from "../answer-types";
import { JOURNAL } from "../defaults";
import { type CommitRecord, commitCounts } from "../state/commit-record";
import type { JournalEntry } from "./entry";

export type { Run } from "../answer-types";

type Counted = { -readonly [Member in keyof Run]: Run[Member] };

/**
 * Assigns requests to runs. A request with a label belongs to the run of that label. One without belongs to the run that was
 * begun with a label, else to the last one, or after `pause` idle real milliseconds to a new one.
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

  /** Assigns further requests without a label to another run: that of the label, or a new one. */
  begin(label?: string): Run {
    this.current = label === undefined ? this.add() : this.labelledRun(label);
    return { ...this.current };
  }

  /** The label of the run for a request without a label. */
  get begun(): string | undefined {
    return this.current?.label;
  }

  has(label: string): boolean {
    return this.labelled.has(label);
  }

  /** The run of an arriving request. */
  enter(time: string, label?: string): Pick<Run, "run" | "label"> {
    const run = label === undefined ? this.unlabelled() : this.labelledRun(label);
    run.from ??= time;
    run.requests += 1;
    this.inProgress += 1;
    return { run: run.run, ...(run.label !== undefined && { label: run.label }) };
  }

  /** Counts the end of a request; called once for each that entered. */
  leave(entry: Pick<JournalEntry, "run" | "status" | "refused">): void {
    this.inProgress -= 1;
    this.lastEnd = this.elapsed();
    const counted = this.kept.get(entry.run);
    if (counted && (entry.status === undefined || isRefused(entry))) counted.failed += 1;
  }

  /** Counts a start or stop that took effect, whatever becomes of its answer. */
  took({ run, op }: Pick<JournalEntry, "run" | "op">): void {
    const counted = this.kept.get(run);
    if (counted && op === "start") counted.starts += 1;
    if (counted && op === "stop") counted.stops += 1;
  }

  /** Counts an applied commit. */
  commit(run: number, record: CommitRecord): void {
    const counted = this.kept.get(run);
    if (!counted) return;
    counted.commits += 1;
    const { inserted, removed, changed } = commitCounts(record);
    counted.inserted += inserted;
    counted.removed += removed;
    counted.changed += changed;
  }

  /** Removes all runs; the next one has the next number. */
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

/** True if an answer refuses its request: by its status, or by its text in a dialect whose errors have another one. */
export function isRefused({ status = 0, refused = false }: Pick<JournalEntry, "status" | "refused">): boolean {
  return refused || status >= 400;
}
