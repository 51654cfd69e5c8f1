import { existsSync, renameSync, statfsSync, statSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { z } from "zod";
import { makeFolders } from "../../files/make-folders";
import { makePrivate, PRIVATE_FOLDER } from "../../files/private";
import { attempt, messageOf } from "../../model/errors";
import { explained, loadSqlite, type Sqlite, StoreError, sqliteError } from "./sqlite";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tables (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    epoch INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
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
    now REAL NOT NULL,
    body TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS sinks (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    dropped INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS unread (
    sink TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (sink, seq)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS unread_of_batch ON unread (seq);
  CREATE TABLE IF NOT EXISTS known (
    sink TEXT NOT NULL,
    table_id INTEGER NOT NULL,
    behind INTEGER NOT NULL,
    PRIMARY KEY (sink, table_id)
  ) WITHOUT ROWID;
`;

/** Rows of what SQLite says of itself. A schema is compiled when it first reads, so each is made once. */
const formRow = z.object({ user_version: z.number() });
const checkRow = z.object({ quick_check: z.string() });
const freeRow = z.object({ count: z.number() });

/** SQLite's own. */
const PAGE_BYTES = 4_096;
/** Number of times that each byte is written: in the journal first, then in the file. */
const TIMES_WRITTEN = 2;

/** The files of a store, as their file system knows them. */
export type Place = Readonly<Record<"file" | "born" | "lock", string>>;

/** The form of the file. One of another form is left as it is: it is sound, and another version knows it. */
const FORM = 2;

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

  /** Opens the file, or makes it. @throws {StoreError} @throws as `isBroken` recognises if the file is not a store. */
  static async open(file: string): Promise<Store> {
    return Store.openWith(await loadSqlite(), file);
  }

  private static openWith(sqlite: Sqlite, file: string): Store {
    const { DatabaseSync } = sqlite;
    try {
      makeFolders(dirname(file), PRIVATE_FOLDER);
    } catch (error) {
      throw new StoreError(`The state folder ${dirname(file)} cannot be made: ${messageOf(error)}.`);
    }
    let db: DatabaseSync | undefined;
    let lock: DatabaseSync | undefined;
    try {
      // SQLite gives the files of its journal the mode of the store.
      for (const made of [`${file}.lock`, file]) makePrivate(made);
      // Held while this process lives. The store itself stays readable for `forward --check`.
      lock = new DatabaseSync(`${file}.lock`, { timeout: 0 });
      lock.exec("BEGIN EXCLUSIVE");
      db = new DatabaseSync(file, { timeout: 0 });
      const form = formRow.parse(db.prepare("PRAGMA user_version").get()).user_version;
      if (form !== 0 && form !== FORM) throw new StoreError(ofAnotherVersion(file, form));
      db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=67108864");
      db.exec(`BEGIN IMMEDIATE; ${SCHEMA} PRAGMA user_version=${FORM}; COMMIT`);
      const check = checkRow.parse(db.prepare("PRAGMA quick_check(1)").get()).quick_check;
      if (check !== "ok") throw sqliteError("corrupt", check);
      return new Store(sqlite, db, lock, file);
    } catch (error) {
      db?.close();
      lock?.close();
      throw explained(error, file);
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
      // A full disk has rolled it back already.
      attempt(() => this.db.exec("ROLLBACK"));
      throw error;
    }
  }

  run(sql: string, ...values: (string | number | Uint8Array)[]): number {
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

  get freeBytes(): number {
    return freeBytesOf(dirname(this.file));
  }

  /** Bytes of the file that hold nothing. */
  get reusableBytes(): number {
    const sql = "SELECT freelist_count AS count FROM pragma_freelist_count";
    return (this.get(freeRow, sql)?.count ?? 0) * PAGE_BYTES;
  }

  /** Bytes that can be written while `reserveBytes` stay free. Data in free room within the file does not make it larger. */
  room(reserveBytes: number): number {
    return Math.max(this.reusableBytes, (this.freeBytes - reserveBytes) / TIMES_WRITTEN);
  }

  /**
   * Which files it is in, whatever their names: the number of the store's, and when it was made, since numbers are given again;
   * and when the file of the lock last changed, which whatever writes over it changes, and nothing else but {@link touch}.
   */
  get place(): Place {
    const { ino, birthtimeNs, ctimeNs } = statSync(this.file, { bigint: true });
    const lock = statSync(`${this.file}.lock`, { bigint: true });
    // For file systems without a time of birth, Node returns 0 or the time of the last change.
    const born = birthtimeNs === ctimeNs ? 0n : birthtimeNs;
    return { file: String(ino), born: String(born), lock: `${lock.ino} ${lock.ctimeNs}` };
  }

  /** Gives its place another time, so that a copy from before differs from it. */
  touch(): void {
    const now = new Date();
    // By its name: opening and closing the file would give up the lock.
    utimesSync(`${this.file}.lock`, now, now);
  }

  /** Sets this store aside, since it turned out to be broken, and opens an empty one in its place. */
  startAnew(wall: number): { store: Store; aside: string } {
    this.close();
    const aside = setAside(this.file, wall);
    return { store: Store.openWith(this.sqlite, this.file), aside };
  }

  close(): void {
    this.statements.clear();
    this.db.close();
    this.lock.close();
  }

  private statement(sql: string): StatementSync {
    const prepared = this.statements.get(sql);
    if (prepared) return prepared;
    const made = this.db.prepare(sql);
    this.statements.set(sql, made);
    return made;
  }
}

/** Bytes that are free on the disk of a folder. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function ofAnotherVersion(file: string, form: number): string {
  return `The state ${file} has form ${form}, which another version of the package wrote; this one knows form ${FORM}. It is unchanged. Run that version until its sinks have everything, or name another \`state\` and send what it holds with "forward spool requeue".`;
}

/** Renames an unreadable store. @returns its new path. */
export function setAside(file: string, wall: number): string {
  const target = `${file}.corrupt-${new Date(wall).toISOString().replace(/[:.]/g, "")}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${target}${suffix}`);
  }
  return target;
}
