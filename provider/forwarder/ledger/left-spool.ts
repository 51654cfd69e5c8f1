import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { OptionsError } from "../../client";
import { codeOf, messageOf } from "../../model/errors";
import { openBatch } from "../record/row-reader";
import { tableKey } from "../table";
import type { Backlog } from "./protocol";
import { sinkRow } from "./spool";
import { isBroken, isCode, loadSqlite, StoreError } from "./sqlite";

const tableRow = z.object({ name: z.string(), bytes: z.number().catch(0) });
const batchRow = z.object({
  seq: z.number(),
  records: z.number(),
  bytes: z.number(),
  taken: z.number(),
  body: z.string(),
});

const unreadRow = z.object({ sink: z.string() });
const completeRow = unreadRow.extend({ table: z.string() });

/** Number of consecutive unreadable batches that end the reading. */
const PATIENCE = 10_000;

/**
 * The spool of a state that no forwarder uses: a folder that was left, or a file that was set aside. Only reads, and gets over
 * what cannot be read.
 */
export class LeftSpool implements Disposable {
  /** Batches that could not be read. */
  unreadable = 0;

  private constructor(
    private readonly db: DatabaseSync,
    readonly file: string,
  ) {}

  /** Opens a state folder, or a file. @throws {OptionsError} when there is no state. @throws {StoreError} when it cannot be read. */
  static async open(path: string): Promise<LeftSpool> {
    const { DatabaseSync } = await loadSqlite();
    const none = new OptionsError(`There is no state of a forwarder at ${path}.`);
    const file = fileOf(path);
    let db: DatabaseSync | undefined;
    try {
      // SQLite has one error for what is not there and for what may not be read.
      statSync(file);
      db = new DatabaseSync(file, { readOnly: true });
      if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'batches'").get()) throw none;
    } catch (error) {
      // A broken file is read as far as possible.
      if (!db || !isBroken(error)) {
        db?.close();
        throw error === none || ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "") ? none : unreadable(path, error);
      }
    }
    return new LeftSpool(db, file);
  }

  /** Its sinks, and up to where each has taken it; none where that cannot be read. */
  sinks(): z.infer<typeof sinkRow>[] {
    return this.read(sinkRow, "SELECT name, position, dropped FROM sinks ORDER BY name") ?? [];
  }

  /** Its tables, and how many bytes a reading of each usually was; none where that cannot be read. */
  tables(): z.infer<typeof tableRow>[] {
    return this.read(tableRow, "SELECT name, bytes FROM tables") ?? [];
  }

  /** The tables of which a sink had every record; none where that cannot be read. */
  complete(): z.infer<typeof completeRow>[] {
    const sql = 'SELECT sink, name AS "table" FROM known JOIN tables ON id = table_id WHERE behind = 0';
    return this.read(completeRow, sql) ?? [];
  }

  /** True while a forwarder has it open. */
  async isInUse(): Promise<boolean> {
    const { DatabaseSync } = await loadSqlite();
    const file = `${this.file}.lock`;
    if (!existsSync(file)) return false;
    const lock = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    try {
      lock.prepare("SELECT 1 FROM sqlite_schema").get();
      return false;
    } catch (error) {
      return isCode(error, "busy");
    } finally {
      lock.close();
    }
  }

  /** Its batches after a number, in their order, each with the key of its table, and the sinks that have not taken it. */
  *batches(after = 0) {
    const marks = this.sinks();
    let failures = 0;
    for (let at = after; failures < PATIENCE; ) {
      try {
        const sql = "SELECT seq, records, bytes, taken, body FROM batches WHERE seq > ? ORDER BY seq LIMIT 1";
        const row = this.db.prepare(sql).get(at);
        if (!row) break;
        const batch = batchRow.parse(row);
        at = batch.seq;
        failures = 0;
        // Also where the tables cannot be read.
        const table = tableKey(openBatch(Buffer.from(batch.body)).head);
        yield { ...batch, table, sinks: this.sinksOf(batch.seq, marks) };
      } catch (error) {
        if (!isBroken(error) && !(error instanceof z.ZodError || error instanceof SyntaxError)) throw error;
        at++;
        if (failures++ === 0) this.unreadable++;
        if (isCode(error, "notADatabase")) return;
      }
    }
  }

  /** Undelivered part of each sink. */
  backlogs(): Pick<Backlog, "name" | "records" | "bytes" | "oldest">[] {
    const left = this.sinks().map(({ name }) => ({
      name,
      records: 0,
      bytes: 0,
      oldest: undefined as number | undefined,
    }));
    for (const { sinks, records, bytes, taken } of this.batches()) {
      for (const one of left.filter(({ name }) => sinks.includes(name))) {
        one.records += records;
        one.bytes += bytes;
        one.oldest ??= taken;
      }
    }
    return left.map(({ oldest, ...sums }) => ({ ...sums, ...(oldest !== undefined && { oldest }) }));
  }

  [Symbol.dispose](): void {
    this.db.close();
  }

  /** Sinks that have not taken a batch; where that cannot be read, all that have acknowledged none behind it. */
  private sinksOf(seq: number, marks: readonly z.infer<typeof sinkRow>[]): string[] {
    const behind = marks.filter(({ position }) => position < seq).map(({ name }) => name);
    const unread = this.read(unreadRow, "SELECT sink FROM unread WHERE seq = ?", seq);
    return behind.filter((name) => unread?.some(({ sink }) => sink === name) ?? true);
  }

  /** Rows; `undefined` where they cannot be read. */
  private read<T>(schema: z.ZodType<T>, sql: string, ...values: number[]): T[] | undefined {
    try {
      return z.array(schema).parse(this.db.prepare(sql).all(...values));
    } catch (error) {
      if (!isBroken(error) && !isNoTable(error)) throw error;
      return undefined;
    }
  }
}

/** Number of records in a file that was set aside; `undefined` if it cannot be read. */
export async function recordsLeft(file: string): Promise<number | undefined> {
  try {
    using left = await LeftSpool.open(file);
    let records = 0;
    for (const batch of left.batches()) records += batch.records;
    return records > 0 || left.unreadable === 0 ? records : undefined;
  } catch {
    return undefined;
  }
}

function fileOf(path: string): string {
  return existsSync(path) && statSync(path).isDirectory() ? join(path, "forwarder.db") : path;
}

function unreadable(path: string, error: unknown): StoreError {
  const remedy = "To read it, use its owner's account with write access to its folder, or make a copy.";
  return new StoreError(`The state at ${path} cannot be read: ${messageOf(error)}. ${remedy}`);
}

function isNoTable(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("no such table");
}
