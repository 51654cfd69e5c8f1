import { MarkStream } from "../reading/mark-stream";
import { Reading } from "../reading/reading";
import { EVENTS, type MarkEvent } from "../record/events";
import { type RowChunk, RowWriter, ruleFinder } from "../record/rows";
import { BYTES_A_SLICE, inSlices, nextTurn } from "../slices";
import type { Begin, TakenOver } from "./protocol";
import type { TableState } from "./table-state";

/** How a reading is compared. */
export interface ReadingMode {
  /** The number of this reading; another one each time. */
  readonly number: number;
  readonly records: "changes" | "all";
  /** The table's baseline begins anew with this reading. */
  readonly reset: boolean;
}

/** A list of a table on its way in, from its first byte to the rows that are to be taken over. */
export class OpenReading {
  /** Marks in the list; known at its end. */
  listed = 0;
  /** All of the new baseline, where it is due to be written whole. */
  whole: readonly RowChunk[] | undefined;

  private constructor(
    readonly table: TableState,
    readonly begin: Begin,
    readonly reset: boolean,
    private readonly changes: RowWriter,
    private readonly seen: RowWriter | undefined,
    private readonly comparison: Reading | undefined,
    private readonly stream: MarkStream,
  ) {}

  static async open(table: TableState, begin: Begin, { number, records, reset }: ReadingMode): Promise<OpenReading> {
    const ruleOf = ruleFinder(begin.rules);
    const changes = new RowWriter(ruleOf);
    const all = records === "all";
    const seen = all || begin.snapshot ? new RowWriter(ruleOf) : undefined;
    if (reset && !all) changes.addTable("reset");
    const baseline = all ? undefined : reset ? table.fresh() : await table.marks();
    const comparison = baseline && new Reading({ baseline, changes, ...(seen && { seen }) }, number);
    const take: Reading["take"] = comparison
      ? (...mark) => comparison.take(...mark)
      : (key, id, value, lifetime, details) => seen?.add("seen", key, id, value, lifetime, details);
    const { answers } = begin;
    const habits = { ...(answers && { answers }), keyedPlaces: table.keyedPlaces };
    const stream = new MarkStream(begin.table.type, take, habits);
    return new OpenReading(table, begin, reset, changes, seen, comparison, stream);
  }

  /** The next bytes of the body. @throws {ShapeError} for what is no mark. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += BYTES_A_SLICE) {
      if (at > 0) await nextTurn();
      this.stream.write(bytes.subarray(at, at + BYTES_A_SLICE));
    }
  }

  /** The body is whole: what it does not list is gone. @throws {ShapeError | ListRefused} when it is no list. */
  async end(now: number): Promise<void> {
    this.listed = this.stream.end();
    if (!this.comparison) return;
    const { listed: last } = this.table;
    const elapsed = last === undefined || this.reset ? 0 : Math.max(0, now - last);
    await inSlices(this.comparison.finish(elapsed));
    if (!this.reset) this.whole = await this.table.wholeWhenDue(this.changes.finish());
  }

  /** What goes into the spool. */
  get rows(): readonly RowChunk[] {
    return [...this.changes.finish(), ...(this.seen?.finish() ?? [])];
  }

  /** What it changed in the baseline. */
  get changed(): readonly RowChunk[] {
    return this.comparison ? this.changes.finish() : [];
  }

  /** What is said of it once it is on the disk. */
  takenOver(bytes: number): TakenOver {
    const counts = EVENTS.map((_, index) => (this.changes.counts[index] ?? 0) + (this.seen?.counts[index] ?? 0));
    const events = EVENTS.flatMap((event, index): [MarkEvent, number][] =>
      counts[index] ? [[event, counts[index]]] : [],
    );
    return {
      listed: this.listed,
      plain: this.stream.plain,
      events: Object.fromEntries(events),
      records: counts.reduce((sum, count) => sum + count, 0),
      bytes,
    };
  }
}
