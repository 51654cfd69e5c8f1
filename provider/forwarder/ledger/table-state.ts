import { createHash } from "node:crypto";
import { z } from "zod";
import { Baseline } from "../reading/baseline";
import { EVENT_NUMBER } from "../record/events";
import { type RowChunk, RowWriter } from "../record/rows";
import type { TableName } from "../table";
import { tableKey } from "../table";
import type { Store } from "./store";

const rowSchema = z
  .tuple([z.number(), z.string()])
  .rest(z.unknown())
  .transform(([event, key, id, value, lifetime, , details]) => ({ event, key, id, value, lifetime, details }));
const number = z.number().nullish();
const detailsSchema = z
  .object({ status: z.string().optional(), exact: z.record(z.string(), z.string()).optional() })
  .optional()
  .catch(undefined);
const partSchema = z.object({ part: z.number(), listed: z.number(), whole: z.number(), body: z.string() });
const tableSchema = z.object({
  id: z.number(),
  epoch: z.number(),
  sequence: z.number(),
  marks: z.number(),
  bytes: z.number(),
});

/** Changes are kept one by one until they are as large as the baseline; then it is written whole. */
const SMALLEST_SNAPSHOT = 1_000_000;
/** How much the last reading weighs in the usual size of one. */
const WEIGHT = 0.1;

/** A table in the store, and its baseline in memory. */
export class TableState {
  readonly key: string;
  /** What all record ids of the table begin with. */
  readonly recordId: string;
  /** Where the node listed objects keyed by address before: there, `{}` is an empty list. */
  readonly keyedPlaces = new Set<string>();
  id = 0;
  epoch = 0;
  sequence = 0;
  /** Bytes that a reading usually adds to the spool. */
  usualBytes = 0;
  /** When the last reading ended, on the machine's clock. */
  listed: number | undefined;
  /** Undefined: it is to be loaded, since there was none or the last reading failed half-way. */
  private baseline: Baseline | undefined;
  private changedBytes = 0;
  private wholeBytes = 0;
  /** True when lifetimes were listed that are not in the store: what runs down alone is no change. */
  private stale = false;

  constructor(
    private readonly store: () => Store,
    readonly name: TableName,
    stateId: string,
  ) {
    this.key = tableKey(name);
    this.recordId = createHash("sha256").update(`${stateId}/${this.key}`).digest("hex").slice(0, 16);
    this.reload();
  }

  /** Takes where the table stands from the store, after a transaction that did not happen. */
  reload(): void {
    const sql = "SELECT id, epoch, sequence, marks, bytes FROM tables WHERE name = ?";
    const row = this.store().get(tableSchema, sql, this.key);
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

  /** The baseline, loaded when it is not there. */
  marks(): Baseline {
    this.baseline ??= this.load();
    return this.baseline;
  }

  /** An empty baseline in place of what there was; {@link keep} makes it so in the store, too. */
  fresh(): Baseline {
    this.baseline = new Baseline();
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

  /** Within a transaction: what runs down is kept as it was last listed, so that a restart compares with just that. */
  settle(): void {
    if (this.stale && this.known && this.baseline && this.listed !== undefined) this.keepWhole(this.listed);
  }

  /** Within a transaction: a row for the table. */
  ensureRow(epoch: number): void {
    if (this.id !== 0) return;
    this.id = this.store().run(
      "INSERT INTO tables (name, epoch, sequence, marks, bytes) VALUES (?, ?, 0, 0, 0)",
      this.key,
      epoch,
    );
  }

  /** Within a transaction: keeps where the table stands, and what changed in its baseline. */
  keep(chunks: readonly RowChunk[], listed: number, spooled: number, empty: boolean): void {
    this.usualBytes = this.usualBytes === 0 ? spooled : this.usualBytes * (1 - WEIGHT) + spooled * WEIGHT;
    const store = this.store();
    store.run(
      "UPDATE tables SET epoch = ?, sequence = ?, marks = ?, bytes = ? WHERE id = ?",
      this.epoch,
      this.sequence,
      this.baseline?.size ?? 0,
      this.usualBytes,
      this.id,
    );
    if (empty) {
      store.run("DELETE FROM baseline WHERE table_id = ?", this.id);
      this.changedBytes = this.wholeBytes = 0;
    }
    const bytes = chunks.reduce((sum, { rows }) => sum + rows.length, 0);
    if (this.changedBytes + bytes > Math.max(SMALLEST_SNAPSHOT, this.wholeBytes) && this.changedBytes > 0) {
      this.keepWhole(listed);
      return;
    }
    // What follows an empty baseline is the whole one.
    const first = this.changedBytes === 0 && this.wholeBytes === 0;
    for (const { rows } of chunks) this.insertPart(listed, first ? 1 : 0, rows);
    if (first) this.wholeBytes = bytes;
    else this.changedBytes += bytes;
  }

  private keepWhole(listed: number): void {
    this.store().run("DELETE FROM baseline WHERE table_id = ?", this.id);
    const baseline = this.marks();
    const rows = new RowWriter(() => undefined);
    for (const [key, row] of baseline.entries()) {
      const { status, exact, ended } = baseline.spokenOf(row) ?? {};
      const details = status === undefined && exact === undefined ? undefined : { status, exact };
      rows.add(
        ended ? "expired" : "added",
        key,
        baseline.ids[row] as number,
        baseline.values[row] as number,
        baseline.lifetimes[row] as number,
        details,
      );
    }
    const parts = rows.finish();
    for (const part of parts) this.insertPart(listed, 1, part.rows);
    this.wholeBytes = parts.reduce((sum, part) => sum + part.rows.length, 0);
    this.changedBytes = 0;
  }

  private insertPart(listed: number, whole: 0 | 1, body: string): void {
    this.store().run(
      "INSERT INTO baseline (table_id, listed, whole, body) VALUES (?, ?, ?, ?)",
      this.id,
      listed,
      whole,
      body,
    );
  }

  /** Plays the changes back. Lifetimes are reckoned forward to the last reading that is known. */
  private load(): Baseline {
    const baseline = new Baseline();
    this.changedBytes = this.wholeBytes = 0;
    if (!this.known) return baseline;
    const parts = this.store().all(
      partSchema,
      "SELECT part, listed, whole, body FROM baseline WHERE table_id = ? ORDER BY part",
      this.id,
    );
    this.listed ??= parts.at(-1)?.listed;
    const last = this.listed ?? 0;
    for (const { body, listed, whole } of parts) {
      if (whole) this.wholeBytes += body.length;
      else this.changedBytes += body.length;
      const older = Math.max(0, last - listed) / 1_000;
      for (const raw of z.array(z.unknown()).parse(JSON.parse(body))) this.playBack(baseline, raw, older);
    }
    return baseline;
  }

  private playBack(baseline: Baseline, raw: unknown, older: number): void {
    const { event, key, id, value, lifetime, details } = rowSchema.parse(raw);
    if (event === EVENT_NUMBER.reset) return;
    if (event === EVENT_NUMBER.gone) {
      baseline.remove(key);
      return;
    }
    const row = baseline.row(key) ?? baseline.add(key, 0);
    const seconds = number.parse(lifetime) ?? Number.NaN;
    baseline.found(row, 0, number.parse(id) ?? Number.NaN, number.parse(value) ?? Number.NaN, seconds - older);
    if (older > 0) baseline.reckoned(row, seconds);
    baseline.speak(row, detailsSchema.parse(details), event === EVENT_NUMBER.expired);
  }
}
