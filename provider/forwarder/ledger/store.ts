import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { z } from "zod";
import { PacketFilterError } from "../../model/errors";

/** Result codes of SQLite that mean something else than a mistake of ours (sqlite.org/rescode.html). */
const CODES = { busy: 5, full: 13, corrupt: 11, notADatabase: 26, readOnly: 8, io: 10 } as const;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tables (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    epoch INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    marks INTEGER NOT NULL,
    bytes REAL NOT NULL
  );
  CREATE TABLE IF NOT EXISTS baseline (
    part INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id INTEGER NOT NULL,
    listed REAL NOT NULL,
    whole INTEGER NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS baseline_of_table ON baseline (table_id, part);
  CREATE TABLE IF NOT EXISTS batches (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id INTEGER NOT NULL,
    records INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    taken REAL NOT NULL,
    body TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS sinks (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    dropped INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

type Sqlite = typeof import("node:sqlite");

/** The form of the file. A file of another form is set aside, as a broken one is. */
const FORM = 1;

/** Thrown when the state folder cannot be used: another forwarder has it, or the machine does not let us. */
export class StoreError extends PacketFilterError {
  override readonly name = "StoreError";

  constructor(message: string, options?: { cause?: Error }) {
    super(message, "forwarder-state", options);
  }
}

/**
 * The embedded store: one SQLite file in write-ahead mode, in which a transaction is on the disk when it returns
 * (`synchronous=FULL`). What kill -9 or a full disk interrupts did not happen.
 */
export class Store {
  private readonly statements = new Map<string, StatementSync>();

  private constructor(
    private readonly sqlite: Sqlite,
    private readonly db: DatabaseSync,
    private readonly lock: DatabaseSync,
    readonly file: string,
  ) {}

  /**
   * Opens the file, or makes it.
   *
   * @param maxPages Pages of 4 KiB that it may have; for tests of a full disk.
   * @throws {StoreError} @throws as {@link isBroken} knows when the file is no store.
   */
  static async open(file: string, options: { maxPages?: number } = {}): Promise<Store> {
    return Store.openWith(await loadSqlite(), file, options);
  }

  private static openWith(sqlite: Sqlite, file: string, { maxPages }: { maxPages?: number }): Store {
    const { DatabaseSync } = sqlite;
    try {
      mkdirSync(dirname(file), { recursive: true });
    } catch (error) {
      throw new StoreError(`The state folder ${dirname(file)} cannot be made: ${messageOf(error)}.`);
    }
    let db: DatabaseSync | undefined;
    let lock: DatabaseSync | undefined;
    try {
      // Held while this process lives. The store itself stays readable for `forward --check`.
      lock = new DatabaseSync(`${file}.lock`, { timeout: 0 });
      lock.exec("BEGIN EXCLUSIVE");
      db = new DatabaseSync(file, { timeout: 0 });
      db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=67108864");
      const form = z.object({ user_version: z.number() }).parse(db.prepare("PRAGMA user_version").get()).user_version;
      if (form !== 0 && form !== FORM) throw new BrokenStore(`it has form ${form}, and this version knows ${FORM}`);
      db.exec(`BEGIN IMMEDIATE; ${SCHEMA} PRAGMA user_version=${FORM}; COMMIT`);
      const check = z.object({ quick_check: z.string() }).parse(db.prepare("PRAGMA quick_check(1)").get()).quick_check;
      if (check !== "ok") throw new BrokenStore(check);
      if (maxPages !== undefined) db.exec(`PRAGMA max_page_count=${maxPages}`);
      return new Store(sqlite, db, lock, file);
    } catch (error) {
      db?.close();
      lock?.close();
      const { errcode } = codeSchema.catch({}).parse(error);
      if (errcode === CODES.busy) throw new StoreError(`The state ${file} is in use by another forwarder.`);
      if (errcode === CODES.readOnly || errcode === 14) {
        throw new StoreError(`The state ${file} cannot be written: ${messageOf(error)}.`);
      }
      throw error;
    }
  }

  /** Runs `work` in one transaction: all of it or nothing. */
  transaction<T>(work: () => T): T {
    this.db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.db.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        this.db.exec("ROLLBACK");
      } catch {
        // A full disk has rolled it back already.
      }
      throw error;
    }
  }

  run(sql: string, ...values: (string | number)[]): number {
    return Number(this.statement(sql).run(...values).lastInsertRowid);
  }

  all<T>(schema: z.ZodType<T>, sql: string, ...values: (string | number)[]): T[] {
    return this.statement(sql)
      .all(...values)
      .map((row) => schema.parse(row));
  }

  get<T>(schema: z.ZodType<T>, sql: string, ...values: (string | number)[]): T | undefined {
    const row = this.statement(sql).get(...values);
    return row === undefined ? undefined : schema.parse(row);
  }

  /** Sets this store aside, since it turned out to be broken, and opens an empty one in its place. */
  startAnew(wall: number): Store {
    this.close();
    setAside(this.file, wall);
    return Store.openWith(this.sqlite, this.file, {});
  }

  close(): void {
    this.statements.clear();
    this.db.close();
    this.lock.close();
  }

  private statement(sql: string): StatementSync {
    const known = this.statements.get(sql);
    if (known) return known;
    const made = this.db.prepare(sql);
    this.statements.set(sql, made);
    return made;
  }
}

/** Moves a store that cannot be read out of the way; answers where it went. */
export function setAside(file: string, wall: number): string {
  const target = `${file}.corrupt-${new Date(wall).toISOString().replace(/[:.]/g, "")}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${target}${suffix}`);
  }
  return target;
}

class BrokenStore extends Error {
  override readonly name = "BrokenStore";
}

const codeSchema = z.object({ errcode: z.number().optional() });

/** True for an error that says that the file is no sound store. */
export function isBroken(error: unknown): boolean {
  if (error instanceof BrokenStore) return true;
  const { errcode } = codeSchema.catch({}).parse(error);
  return errcode !== undefined && [CODES.corrupt, CODES.notADatabase].some((code) => (errcode & 0xff) === code);
}

/** True when there was no room on the disk. */
export function isFull(error: unknown): boolean {
  return ((codeSchema.catch({}).parse(error).errcode ?? 0) & 0xff) === CODES.full;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function loadSqlite(): Promise<Sqlite> {
  try {
    return await import("node:sqlite");
  } catch {
    throw new StoreError(
      `The forwarder keeps its state with node:sqlite, which Node has from 22.15 on; this is Node ${process.versions.node}. Run it with a newer Node.`,
    );
  }
}
