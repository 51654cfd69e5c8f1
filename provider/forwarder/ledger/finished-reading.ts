import type { Mark } from "../../model/mark";
import { SIZES } from "../defaults";
import { detailsOf, numbersOf, Reading } from "../reading/reading";
import { EVENTS, type MarkEvent } from "../record/events";
import { keyOf } from "../record/mark-key";
import { type RowChunk, RowWriter, ruleFinder } from "../record/rows";
import { inSlices } from "../slices";
import type { ArrivedList, TakenOver } from "./protocol";
import type { TableState } from "./table-state";

/** How a reading is compared. */
export interface ReadingMode {
  /** The number of this reading; another one each time. */
  readonly number: number;
  readonly records: "changes" | "all";
  /** The table's baseline begins anew with this reading. */
  readonly reset: boolean;
}

/** A list of a table that was read and compared: the rows that its transaction writes. */
export class FinishedReading {
  private constructor(
    readonly table: TableState,
    readonly list: ArrivedList,
    readonly reset: boolean,
    private readonly listed: number,
    private readonly changes: RowWriter,
    private readonly seen: RowWriter | undefined,
    /** All of the new baseline, where it is due to be written whole. */
    readonly whole: readonly RowChunk[] | undefined,
  ) {}

  /** Compares in slices. A comparison that fails half-way leaves a baseline in memory that is good for nothing. */
  static async of(
    table: TableState,
    list: ArrivedList,
    marks: readonly Mark[],
    { number, records, reset }: ReadingMode,
  ): Promise<FinishedReading> {
    const ruleOf = ruleFinder(list.rules);
    const changes = new RowWriter(ruleOf);
    const all = records === "all";
    const seen = all || list.snapshot ? new RowWriter(ruleOf) : undefined;
    let whole: readonly RowChunk[] | undefined;
    if (all) await inSlices(addAll(marks, seen));
    else {
      if (reset) changes.addTable("reset");
      const baseline = reset ? table.fresh() : await table.marks();
      const { listed: last } = table;
      const elapsed = last === undefined || reset ? 0 : Math.max(0, list.now - last);
      await inSlices(new Reading({ baseline, changes, ...(seen && { seen }) }, number).compare(marks, elapsed));
      if (!reset) whole = await table.wholeWhenDue(changes.finish());
    }
    return new FinishedReading(table, list, reset, marks.length, changes, seen, whole);
  }

  /** What goes into the spool. */
  get rows(): readonly RowChunk[] {
    return [...this.changes.finish(), ...(this.seen?.finish() ?? [])];
  }

  /** What it changed in the baseline. */
  get changed(): readonly RowChunk[] {
    return this.changes.finish();
  }

  /** What is said of it once it is on the disk. */
  takenOver(bytes: number): TakenOver {
    const counts = EVENTS.map((_, index) => (this.changes.counts[index] ?? 0) + (this.seen?.counts[index] ?? 0));
    const events = EVENTS.flatMap((event, index): [MarkEvent, number][] =>
      counts[index] ? [[event, counts[index]]] : [],
    );
    return {
      listed: this.listed,
      keyedPlaces: this.list.habits.keyedPlaces ?? new Set(),
      events: Object.fromEntries(events),
      records: counts.reduce((sum, count) => sum + count, 0),
      bytes,
    };
  }
}

function* addAll(marks: readonly Mark[], seen: RowWriter | undefined): Generator<void> {
  for (const [index, mark] of marks.entries()) {
    if (index % SIZES.rowsASlice === SIZES.rowsASlice - 1) yield;
    seen?.add("seen", keyOf(mark), ...numbersOf(mark), detailsOf(mark));
  }
}
