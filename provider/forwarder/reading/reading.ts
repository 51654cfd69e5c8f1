import type { MarkKey } from "../record/mark-key";
import { furtherKey } from "../record/mark-key";
import type { RowWriter } from "../record/rows";
import { ROWS_A_SLICE } from "../slices";
import type { Baseline } from "./baseline";
import type { Details } from "./listed-mark";

/** Lifetimes are whole seconds, so one that has a second left may have run out. */
const ROUNDING_MS = 1_000;

/** What a reading is compared with, and how. */
export interface Comparison {
  readonly baseline: Baseline;
  /** Rows of what changed. */
  readonly changes: RowWriter;
  /** Rows of all that is listed, where they are wanted. */
  readonly seen?: RowWriter;
}

/**
 * One list of a table on its way in: compares each mark with the last reading that was taken over, and takes its place in
 * the baseline at once. A reading that fails half-way leaves a baseline that is good for nothing: it is loaded again.
 *
 * - new: `added`; also one that was reported as expired and is active again
 * - another value, status or id: `changed`; else a lifetime that rose: `renewed`
 * - a status that says so: `expired`, once; all else of that mark is silence
 * - not listed any more: `expired` when its last lifetime had run out, else `gone`, with its last id and value
 */
export class Reading {
  constructor(
    private readonly comparison: Comparison,
    /** The number of this reading; another one each time. */
    private readonly number: number,
  ) {}

  /** One mark of the list. */
  take(listed: MarkKey, id: number, value: number, lifetime: number, details: Details | undefined): void {
    const { baseline, changes, seen } = this.comparison;
    let key = listed;
    let row = baseline.row(key);
    if (row !== undefined && baseline.readingOf(row) === this.number) {
      // Listed twice, as a node may do whose marks are by rule, too.
      key = furtherKey(listed, id);
      row = baseline.row(key);
      if (row !== undefined && baseline.readingOf(row) === this.number) return;
    }
    seen?.add("seen", key, id, value, lifetime, details);
    if (row === undefined) {
      const fresh = baseline.add(key, this.number);
      changes.add("added", key, id, value, lifetime, details);
      baseline.found(fresh, this.number, id, value, lifetime);
      if (details) baseline.speak(fresh, details, false);
      return;
    }
    const spoken = baseline.spokenOf(row);
    const expired = isExpired(details?.status);
    if (expired) {
      if (!spoken?.ended) changes.add("expired", key, id, value, lifetime, details);
    } else if (spoken?.ended) {
      changes.add("added", key, id, value, lifetime, details);
    } else if (
      !Object.is(baseline.values[row], value) ||
      !Object.is(baseline.ids[row], id) ||
      spoken?.status !== details?.status ||
      !sameDigits(spoken?.exact, details?.exact)
    ) {
      changes.add("changed", key, id, value, lifetime, details);
    } else if (lifetime > baseline.listedLifetime(row)) {
      changes.add("renewed", key, id, value, lifetime, details);
    }
    baseline.found(row, this.number, id, value, lifetime);
    if (details || spoken) baseline.speak(row, details, expired);
  }

  /**
   * After the last mark: what was not listed is gone. Yields after each slice of the baseline.
   *
   * @param elapsed Milliseconds since the last reading, at least.
   */
  *finish(elapsed: number): Generator<void> {
    const { baseline, changes } = this.comparison;
    let count = 0;
    for (const [key, row] of baseline.entries()) {
      if (++count % ROWS_A_SLICE === 0) yield;
      if (baseline.readingOf(row) === this.number) continue;
      const spoken = baseline.spokenOf(row);
      if (!spoken?.ended) {
        const [id, value, lifetime] = baseline.numbersOf(row);
        const ranOut = isExpired(spoken?.status) || lifetime * 1_000 - ROUNDING_MS <= elapsed;
        const details = spoken && { ...(spoken.exact && { exact: spoken.exact }) };
        const event = ranOut ? "expired" : "gone";
        changes.add(event, key, id, value, Number.NaN, details?.exact ? details : undefined);
      }
      baseline.remove(key);
    }
  }
}

/** True for a status that says that a mark has ended. */
export function isExpired(status: string | undefined): boolean {
  return status !== undefined && status.toLowerCase() === "expired";
}

function sameDigits(
  before: Readonly<Record<string, string>> | undefined,
  now: Readonly<Record<string, string>> | undefined,
): boolean {
  // A lifetime or an age that runs down in long digits is no change, either.
  return before?.value === now?.value && before?.id === now?.id;
}
