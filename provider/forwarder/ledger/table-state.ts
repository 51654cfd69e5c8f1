import { z } from "zod";
import type { Mark } from "../../model/mark";
import { SIZES } from "../defaults";
import type { ArrivedList } from "../reading/arrived-list";
import { Baseline } from "../reading/baseline";
import { detailsOf, numbersOf, Reading } from "../reading/comparison";
import { EVENTS, keyOf, type MarkKey, type RowChunk, RowWriter, ruleFinder } from "../record/rows";
import { inSlices } from "../slices";
import { type TableName, tableKey } from "../table";
import { bytesOf, KeptBaseline, wholeRows } from "./kept-baseline";
import type { LedgerOptions, TakenOver } from "./protocol";
import type { Store } from "./store";

const tableSchema = z.object({ id: z.number(), epoch: z.number(), sequence: z.number(), bytes: z.number() });

/** Rows of marks that were added before, in one piece for each group of sinks that had them. */
class Repeats {
  private readonly writers = new Map<string, RowWriter>();

  constructor(
    private readonly known: Baseline | undefined,
    private readonly knowledge: HowToCompare["knowledge"],
    private readonly ruleOf: ConstructorParameters<typeof RowWriter>[0],
    /** The number of this reading: all that is new in it, each sink gets before. */
    private readonly number: number,
  ) {}

  /** The rows for a mark; `undefined` if no sink had it. */
  of(key: MarkKey, isEnded: boolean): RowWriter | undefined {
    const born = this.known?.bornIn(key, isEnded);
    if (born === undefined) return undefined;
    const sinks = [...this.knowledge].flatMap(([sink, before]) =>
      born < before || born === this.number ? [sink] : [],
    );
    return sinks.length === 0 ? undefined : this.among(sinks);
  }

  get chunks(): readonly RowChunk[] {
    return [...this.writers.values()].flatMap((writer) => writer.finish());
  }

  get count(): number {
    return [...this.writers.values()].reduce((sum, { count }) => sum + count, 0);
  }

  private among(sinks: readonly string[]): RowWriter {
    const name = sinks.join();
    const writer = this.writers.get(name) ?? new RowWriter(this.ruleOf, sinks);
    this.writers.set(name, writer);
    return writer;
  }
}

/** Weight of the last reading in the usual size of one. */
const WEIGHT = 0.1;

/** A list of a table that was read and compared: what its transaction writes, and what is said of it then. */
export interface FinishedReading {
  readonly table: TableState;
  readonly number: number;
  readonly list: ArrivedList;
  /** The baseline starts again with it. */
  readonly reset: boolean;
  readonly rows: readonly RowChunk[];
  /** The rows are the whole table, regardless of earlier records. Those of its first list are. */
  readonly isWhole: boolean;
  readonly changes: readonly RowChunk[];
  /** All of the new baseline, where it is due to be written whole. */
  readonly whole: readonly RowChunk[] | undefined;
  readonly taken: Omit<TakenOver, "bytes">;
  /** False with `records: all`: the baseline stays as it was. */
  readonly isCompared: boolean;
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
    readonly run: string,
  ) {
    this.key = tableKey(name);
    this.stored = new KeptBaseline(store);
    this.reload();
  }

  /** Reads the state of the table from the store, after a failed transaction. */
  reload(): void {
    this.forget();
    const sql = "SELECT id, epoch, sequence, bytes FROM tables WHERE name = ?";
    const row = this.store.get(tableSchema, sql, this.key);
    this.id = row?.id ?? 0;
    this.isNew = row === undefined;
    this.epoch = row?.epoch ?? 0;
    this.sequence = row?.sequence ?? 0;
    this.usualBytes = row?.bytes ?? 0;
  }

  /** True until the first list of the table is taken over. */
  isNew = true;

  /** True when the store has a baseline to compare with. */
  get known(): boolean {
    return this.id !== 0;
  }

  /**
   * Compares a list with the baseline, in slices. After a failure the baseline in memory is unusable: call {@link forget}.
   *
   * @param number Of this reading; another one each time.
   * @param how With `isWholeDue` all of the table follows behind what changed in it. `knowledge`: what sinks had of it.
   */
  async compare(
    number: number,
    list: ArrivedList,
    marks: readonly Mark[],
    { records, reset, isWholeDue, knowledge }: HowToCompare,
  ): Promise<FinishedReading> {
    const ruleOf = ruleFinder(list.rules);
    const changes = new RowWriter(ruleOf);
    const snapshot = new RowWriter(ruleOf);
    const anew = new RowWriter(ruleOf);
    // Of a table that is void or lost, the baseline still shows what sinks had.
    const before = (reset || isWholeDue) && records !== "all" ? await this.marks() : undefined;
    const repeats = new Repeats(before, knowledge, ruleOf, number);
    let whole: readonly RowChunk[] | undefined;
    if (records === "all") await inSlices(addAll(marks, snapshot));
    else {
      if (reset) {
        changes.addTable("reset");
        this.baseline = new Baseline();
      }
      const baseline = await this.marks();
      const elapsed = this.listed === undefined || reset ? 0 : Math.max(0, list.now - this.listed);
      const repeatsOr = (others: RowWriter) => (key: MarkKey, isEnded: boolean) => repeats.of(key, isEnded) ?? others;
      const again = reset ? repeatsOr(changes) : undefined;
      const isAnew = isWholeDue && !reset;
      if (isAnew) anew.addTable("reset");
      const listed = list.snapshot ? snapshot : undefined;
      const reading = new Reading(number, baseline, changes, listed, again, isAnew ? repeatsOr(anew) : undefined);
      await inSlices(reading.compare(marks, elapsed));
      const bytes = bytesOf(changes.finish());
      if (!reset && this.stored.isWholeDue(bytes)) whole = await inSlices(wholeRows(baseline));
    }
    const writers = [changes, snapshot, anew];
    const counts = EVENTS.map((event, index) => {
      const repeated = event === "added" ? repeats.count : 0;
      return [event, writers.reduce((sum, writer) => sum + (writer.counts[index] ?? 0), repeated)] as const;
    });
    const taken = {
      listed: marks.length,
      keyedPlaces: list.habits.keyedPlaces ?? new Set(),
      events: Object.fromEntries(counts.filter(([, count]) => count > 0)),
      records: writers.reduce((sum, { count }) => sum + count, repeats.count),
    };
    const added = repeats.chunks;
    const rows = [...writers.flatMap((writer) => writer.finish()), ...added];
    const isWhole = reset || isWholeDue || records === "all" || this.isNew;
    const inBaseline = reset ? [...changes.finish(), ...added] : changes.finish();
    return {
      table: this,
      number,
      list,
      reset,
      rows,
      isWhole,
      changes: inBaseline,
      whole,
      taken,
      isCompared: records !== "all",
    };
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
  taken({ list, isCompared }: FinishedReading): void {
    this.isNew = false;
    if (!isCompared) return;
    this.listed = list.now;
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

/** Ways to compare a list. */
interface HowToCompare extends Pick<LedgerOptions, "records"> {
  readonly reset: boolean;
  readonly isWholeDue: boolean;
  /** By name of a sink, the reading before which it had every record; infinite of one that missed none. */
  readonly knowledge: ReadonlyMap<string, number>;
}

/** Adds all marks as `seen`. */
function* addAll(marks: readonly Mark[], rows: RowWriter): Generator<void> {
  for (let start = 0; start < marks.length; start += SIZES.rowsASlice) {
    if (start > 0) yield;
    for (const mark of marks.slice(start, start + SIZES.rowsASlice))
      rows.add("seen", keyOf(mark), ...numbersOf(mark), detailsOf(mark));
  }
}
