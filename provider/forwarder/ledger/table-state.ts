import { z } from "zod";
import type { Mark } from "../../model/mark";
import { SIZES } from "../defaults";
import type { ArrivedList } from "../reading/arrived-list";
import { Baseline } from "../reading/baseline";
import { detailsOf, numbersOf, Reading } from "../reading/reading";
import { EVENTS, keyOf, type MarkEvent, type RowChunk, RowWriter, ruleFinder } from "../record/rows";
import { inSlices } from "../slices";
import { type TableName, tableKey } from "../table";
import { bytesOf, KeptBaseline, wholeRows } from "./kept-baseline";
import type { LedgerOptions, TakenOver } from "./protocol";
import type { Store } from "./store";

const tableSchema = z.object({ id: z.number(), epoch: z.number(), sequence: z.number(), bytes: z.number() });

/** Weight of the last reading in the usual size of one. */
const WEIGHT = 0.1;

/** A list of a table that was read and compared: what its transaction writes, and what is said of it then. */
export interface FinishedReading {
  readonly table: TableState;
  readonly list: ArrivedList;
  /** The baseline starts again with it. */
  readonly reset: boolean;
  /** Rows for the spool. */
  readonly rows: readonly RowChunk[];
  /** The rows are the whole table, regardless of earlier records. */
  readonly isWhole: boolean;
  /** Changes of the baseline. */
  readonly changes: readonly RowChunk[];
  /** All of the new baseline, where it is due to be written whole. */
  readonly whole: readonly RowChunk[] | undefined;
  readonly taken: Omit<TakenOver, "bytes">;
}

/** A table in the store, and its baseline in memory. */
export class TableState {
  readonly key: string;
  id = 0;
  epoch = 0;
  sequence = 0;
  /** Bytes that a reading usually adds to the spool. */
  usualBytes = 0;
  /** When the last reading ended, on the machine's clock. */
  private listed: number | undefined;
  /** Undefined: it is to be loaded, since there was none or the last reading failed half-way. */
  private baseline: Baseline | undefined;
  private readonly stored: KeptBaseline;
  /** True when the store lacks the last listed lifetimes: a lifetime that runs down is not a change. */
  private stale = false;

  constructor(
    private readonly store: Store,
    readonly name: TableName,
    /** The name of this run. */
    readonly run: string,
  ) {
    this.key = tableKey(name);
    this.stored = new KeptBaseline(store);
    this.reload();
  }

  /** Reads the state of the table from the store, after a failed transaction. */
  reload(): void {
    const sql = "SELECT id, epoch, sequence, bytes FROM tables WHERE name = ?";
    const row = this.store.get(tableSchema, sql, this.key);
    this.id = row?.id ?? 0;
    this.epoch = row?.epoch ?? 0;
    this.sequence = row?.sequence ?? 0;
    this.usualBytes = row?.bytes ?? 0;
    this.forget();
  }

  /** True when the store has a baseline to compare with. */
  get known(): boolean {
    return this.id !== 0;
  }

  /**
   * Compares a list with the baseline, in slices. After a failure the baseline in memory is unusable: call {@link forget}.
   *
   * @param number Of this reading; another one each time.
   * @param how With `isWanted` all of the table follows behind what changed in it.
   */
  async compare(
    number: number,
    list: ArrivedList,
    marks: readonly Mark[],
    { records, reset, isWanted }: Pick<LedgerOptions, "records"> & Readonly<Record<"reset" | "isWanted", boolean>>,
  ): Promise<FinishedReading> {
    const ruleOf = ruleFinder(list.rules);
    const changes = new RowWriter(ruleOf);
    const seen = new RowWriter(ruleOf);
    let whole: readonly RowChunk[] | undefined;
    if (records === "all") await inSlices(addAll(marks, "seen", seen));
    else {
      if (reset) {
        changes.addTable("reset");
        this.baseline = new Baseline();
      }
      const baseline = await this.marks();
      const elapsed = this.listed === undefined || reset ? 0 : Math.max(0, list.now - this.listed);
      const reading = new Reading(number, baseline, changes, list.snapshot ? seen : undefined);
      await inSlices(reading.compare(marks, elapsed));
      if (isWanted && !reset) {
        seen.addTable("reset");
        await inSlices(addAll(marks, "added", seen));
      }
      const bytes = bytesOf(changes.finish());
      if (!reset && this.stored.isWholeDue(bytes)) whole = await inSlices(wholeRows(baseline));
    }
    const counts = EVENTS.map(
      (event, index) => [event, (changes.counts[index] ?? 0) + (seen.counts[index] ?? 0)] as const,
    );
    const taken = {
      listed: marks.length,
      keyedPlaces: list.habits.keyedPlaces ?? new Set(),
      events: Object.fromEntries(counts.filter(([, count]) => count > 0)),
      records: changes.count + seen.count,
    };
    const rows = [...changes.finish(), ...seen.finish()];
    const isWhole = reset || isWanted || records === "all";
    return { table: this, list, reset, rows, isWhole, changes: changes.finish(), whole, taken };
  }

  /** The baseline, loaded when it is not there. */
  private async marks(): Promise<Baseline> {
    if (!this.baseline && this.known) {
      const { baseline, listed } = await inSlices(this.stored.load(this.id, this.listed));
      this.listed = listed;
      this.baseline = baseline;
    }
    this.baseline ??= new Baseline();
    return this.baseline;
  }

  /** The baseline in memory does not agree with the store any more. */
  forget(): void {
    this.baseline = undefined;
  }

  /** A reading was taken over. */
  taken(now: number): void {
    this.listed = now;
    this.stale = true;
    this.baseline?.allListed();
  }

  /** Within a transaction: a row for the table, at the epoch of a reading. */
  enter(epoch: number): void {
    if (this.id === 0) {
      const sql = "INSERT INTO tables (name, epoch, sequence, bytes) VALUES (?, ?, 0, 0)";
      this.id = this.store.run(sql, this.key, epoch);
    }
    if (this.epoch === epoch) return;
    this.epoch = epoch;
    this.sequence = 0;
  }

  /** Within a transaction: stores the state of the table, and the changes of its baseline. */
  keep({ changes, whole, list, reset }: FinishedReading, spooled: number): void {
    this.usualBytes = this.usualBytes === 0 ? spooled : this.usualBytes * (1 - WEIGHT) + spooled * WEIGHT;
    const sql = "UPDATE tables SET epoch = ?, sequence = ?, bytes = ? WHERE id = ?";
    this.store.run(sql, this.epoch, this.sequence, this.usualBytes, this.id);
    if (reset) this.stored.clear(this.id);
    if (whole) this.stored.replace(this.id, list.now, whole);
    else this.stored.add(this.id, list.now, changes);
  }

  /** Lifetimes as they were last listed, with which a restart compares. @returns what stores them, within a transaction. */
  async settled(): Promise<() => void> {
    const { baseline, listed } = this;
    if (!this.stale || !this.known || !baseline || listed === undefined) return () => {};
    const whole = await inSlices(wholeRows(baseline));
    return () => this.stored.replace(this.id, listed, whole);
  }
}

function* addAll(marks: readonly Mark[], event: MarkEvent, seen: RowWriter): Generator<void> {
  for (let start = 0; start < marks.length; start += SIZES.rowsASlice) {
    for (const mark of marks.slice(start, start + SIZES.rowsASlice)) {
      seen.add(event, keyOf(mark), ...numbersOf(mark), detailsOf(mark));
    }
    yield;
  }
}
