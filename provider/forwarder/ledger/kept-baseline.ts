import { z } from "zod";
import { SIZES } from "../defaults";
import { Baseline } from "../reading/baseline";
import { RowReader } from "../record/row-reader";
import { EVENT_NUMBER, type RowChunk, RowWriter } from "../record/rows";
import type { Store } from "./store";

const endSchema = z.object({ listed: z.number().nullable(), part: z.number() });
const partSchema = z.object({
  part: z.number(),
  listed: z.number(),
  whole: z.number(),
  body: z.instanceof(Uint8Array<ArrayBuffer>),
});

/**
 * The baseline of one table in the store: parts of rows, which are either the whole of it or what a reading changed. Played
 * back in their order they give the baseline. All writing is within a transaction of the caller.
 */
export class KeptBaseline {
  private changedBytes = 0;
  private wholeBytes = 0;

  constructor(private readonly store: Store) {}

  /**
   * True if rows of this size require to write the whole baseline again: changes are kept one by one until they are as large as it.
   */
  isWholeDue(bytes: number): boolean {
    return this.changedBytes > 0 && this.changedBytes + bytes > Math.max(SIZES.baselineChangesBytes, this.wholeBytes);
  }

  /** Adds what a reading changed. */
  add(table: number, listed: number, chunks: readonly RowChunk[]): void {
    // The first part after an empty baseline is the whole baseline.
    const first = this.changedBytes === 0 && this.wholeBytes === 0;
    const bytes = bytesOf(chunks);
    this.insert(table, listed, first ? 1 : 0, chunks);
    if (first) this.wholeBytes = bytes;
    else this.changedBytes += bytes;
  }

  /** Puts the whole of it, as {@link wholeRows} makes it, in place of all parts. */
  replace(table: number, listed: number, whole: readonly RowChunk[]): void {
    this.clear(table);
    this.insert(table, listed, 1, whole);
    this.wholeBytes = bytesOf(whole);
  }

  clear(table: number): void {
    this.store.run("DELETE FROM baseline WHERE table_id = ?", table);
    this.changedBytes = this.wholeBytes = 0;
  }

  /**
   * Plays the parts back. Lifetimes are reckoned forward to the last reading.
   *
   * @param last When that was, where it is known; else it was that of the last part.
   */
  *load(table: number, last: number | undefined): Generator<void, { baseline: Baseline; listed: number | undefined }> {
    const baseline = new Baseline();
    this.changedBytes = this.wholeBytes = 0;
    const sql = "SELECT max(listed) AS listed, coalesce(max(part), 0) AS part FROM baseline WHERE table_id = ?";
    const end = this.store.get(endSchema, sql, table);
    const listed = last ?? end?.listed ?? undefined;
    for (let at = 0; at < (end?.part ?? 0); ) {
      // One at a time: all of them are as large as the table.
      const next =
        "SELECT part, listed, whole, CAST(body AS BLOB) AS body FROM baseline WHERE table_id = ? AND part > ? ORDER BY part LIMIT 1";
      const part = this.store.get(partSchema, next, table, at);
      if (!part) break;
      at = part.part;
      if (part.whole) this.wholeBytes += part.body.length;
      else this.changedBytes += part.body.length;
      const older = Math.max(0, (listed ?? 0) - part.listed) / 1_000;
      const rows = new RowReader(Buffer.from(part.body.buffer));
      while (rows.next()) playBack(baseline, rows, older);
      yield;
    }
    return { baseline, listed };
  }

  private insert(table: number, listed: number, whole: 0 | 1, chunks: readonly RowChunk[]): void {
    const sql = "INSERT INTO baseline (table_id, listed, whole, body) VALUES (?, ?, ?, CAST(? AS TEXT))";
    for (const { rows } of chunks) this.store.run(sql, table, listed, whole, rows);
  }
}

export function* wholeRows(baseline: Baseline): Generator<void, readonly RowChunk[]> {
  const rows = new RowWriter(() => undefined);
  for (let row = 0; row < baseline.rowCount; row++) {
    if (row % SIZES.rowsASlice === SIZES.rowsASlice - 1) yield;
    const key = baseline.keyOf(row);
    if (key === undefined) continue;
    const { status, exact, ended } = baseline.spokenOf(row) ?? {};
    const details = status === undefined && exact === undefined ? undefined : { status, exact };
    const [id, value, lifetime] = baseline.numbersOf(row);
    rows.add(ended ? "expired" : "added", key, id, value, lifetime, details);
  }
  return rows.finish();
}

export function bytesOf(chunks: readonly RowChunk[]): number {
  return chunks.reduce((sum, { rows }) => sum + rows.length, 0);
}

function playBack(baseline: Baseline, row: RowReader, older: number): void {
  if (row.event === EVENT_NUMBER.reset) return;
  const key = row.keyText();
  if (row.event === EVENT_NUMBER.gone) {
    baseline.remove(key);
    return;
  }
  const place = baseline.row(key) ?? baseline.add(key, 0);
  const seconds = row.numberAt(row.lifetime);
  baseline.found(place, 0, row.numberAt(row.id), row.numberAt(row.value), seconds - older);
  if (older > 0) baseline.reckoned(place, seconds);
  baseline.speak(place, row.details, row.event === EVENT_NUMBER.expired);
}
