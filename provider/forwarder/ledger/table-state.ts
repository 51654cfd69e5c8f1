import { createHash } from "node:crypto";
import { z } from "zod";
import { Baseline } from "../reading/baseline";
import type { RowChunk } from "../record/rows";
import { inSlices } from "../slices";
import { type TableName, tableKey } from "../table";
import { KeptBaseline, wholeRows } from "./kept-baseline";
import type { Store } from "./store";

const tableSchema = z.object({
  id: z.number(),
  epoch: z.number(),
  sequence: z.number(),
  marks: z.number(),
  bytes: z.number(),
});

/** How much the last reading weighs in the usual size of one. */
const WEIGHT = 0.1;

/** What a reading leaves behind of its table. */
export interface Kept {
  /** What it changed in the baseline. */
  readonly changes: readonly RowChunk[];
  /** All of the baseline, where it is due to be written whole. */
  readonly whole: readonly RowChunk[] | undefined;
  /** Bytes that it added to the spool. */
  readonly spooled: number;
  readonly listed: number;
  /** The baseline began anew with it. */
  readonly reset: boolean;
}

/** A table in the store, and its baseline in memory. */
export class TableState {
  readonly key: string;
  /** What all record ids of the table begin with. */
  readonly recordId: string;
  id = 0;
  epoch = 0;
  sequence = 0;
  /** Bytes that a reading usually adds to the spool. */
  usualBytes = 0;
  /** When the last reading ended, on the machine's clock. */
  listed: number | undefined;
  /** Undefined: it is to be loaded, since there was none or the last reading failed half-way. */
  private baseline: Baseline | undefined;
  private readonly stored: KeptBaseline;
  /** True when lifetimes were listed that are not in the store: what runs down alone is no change. */
  private stale = false;

  constructor(
    private readonly store: () => Store,
    readonly name: TableName,
    stateId: string,
  ) {
    this.key = tableKey(name);
    this.recordId = createHash("sha256").update(`${stateId}/${this.key}`).digest("hex").slice(0, 16);
    this.stored = new KeptBaseline(store);
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
  async marks(): Promise<Baseline> {
    if (this.baseline) return this.baseline;
    if (!this.known) return this.fresh();
    const { baseline, listed } = await inSlices(this.stored.load(this.id, this.listed));
    this.listed = listed;
    this.baseline = baseline;
    return baseline;
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

  /** All of the baseline, where rows of so many bytes are the occasion to write it whole. */
  async wholeWhenDue(changes: readonly RowChunk[]): Promise<readonly RowChunk[] | undefined> {
    const bytes = changes.reduce((sum, { rows }) => sum + rows.length, 0);
    if (!this.baseline || !this.stored.isWholeDue(bytes)) return undefined;
    return inSlices(wholeRows(this.baseline));
  }

  /** Within a transaction: a row for the table, at the epoch of a reading. */
  enter(epoch: number): void {
    if (this.id === 0) {
      const sql = "INSERT INTO tables (name, epoch, sequence, marks, bytes) VALUES (?, ?, 0, 0, 0)";
      this.id = this.store().run(sql, this.key, epoch);
    }
    if (this.epoch === epoch) return;
    this.epoch = epoch;
    this.sequence = 0;
  }

  /** Within a transaction: keeps where the table stands, and what changed in its baseline. */
  *keep({ changes, whole, spooled, listed, reset }: Kept): Generator<void> {
    this.usualBytes = this.usualBytes === 0 ? spooled : this.usualBytes * (1 - WEIGHT) + spooled * WEIGHT;
    this.store().run(
      "UPDATE tables SET epoch = ?, sequence = ?, marks = ?, bytes = ? WHERE id = ?",
      this.epoch,
      this.sequence,
      this.baseline?.size ?? 0,
      this.usualBytes,
      this.id,
    );
    if (reset) this.stored.clear(this.id);
    yield* whole ? this.stored.replace(this.id, listed, whole) : this.stored.add(this.id, listed, changes);
  }

  /** Within a transaction: what runs down is kept as it was last listed, so that a restart compares with just that. */
  *settle(): Generator<void> {
    if (!this.stale || !this.known || !this.baseline || this.listed === undefined) return;
    yield* this.stored.replace(this.id, this.listed, yield* wholeRows(this.baseline));
  }
}
