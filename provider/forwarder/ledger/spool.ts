import { createHash } from "node:crypto";
import { z } from "zod";
import type { BatchHead, RowChunk } from "../record/rows";
import { type TableName, tableKey, tableOf } from "../table";
import { meta, setMeta } from "./identity";
import { KeptBatches } from "./kept-batches";
import type { LedgerStatus, SinkSpec, SpooledBatch } from "./protocol";
import { type Entry, type Moment, SinkAccount } from "./sink-account";
import type { Store } from "./store";
import type { TableState } from "./table-state";

/** Largest head of a batch in bytes, without its rules. */
const HEAD_BYTES = 400;
const RULE_BYTES = 100;
const END = Buffer.from("}");

const batchRow = z.object({
  seq: z.number(),
  name: z.string(),
  records: z.number(),
  bytes: z.number(),
  taken: z.number(),
});
/** A row of `sinks`: up to where a sink has acknowledged the batches, and the records that it lost. */
export const sinkRow = z.object({ name: z.string(), position: z.number(), dropped: z.number() });
const bodyRow = z.object({ position: z.number(), records: z.number(), body: z.instanceof(Uint8Array<ArrayBuffer>) });

/** Which tables each sink is behind with, as the store keeps it. */
const BEHIND = "behind";
const behindSchema = z.record(z.string(), z.array(z.string()));

/** Marks of sinks that are to be written, and batches that no sink reads again then. */
export interface Moved {
  readonly accounts: ReadonlySet<SinkAccount>;
  readonly marks: readonly { readonly name: string; readonly position: number; readonly dropped: number }[];
  /** Batches that every sink has that was to. */
  readonly done: readonly number[];
}

/** The tables that each sink is behind with. */
type Behind = ReadonlyMap<SinkAccount, Set<string>>;

/**
 * The kept batches, and the unread ones of each sink. Memory holds only their numbers and sizes. The caller opens the
 * transactions for all writing.
 */
export class Spool {
  private accounts: ReadonlyMap<string, SinkAccount> = new Map();
  private readonly kept: KeptBatches;
  private lastSeq = 0;
  private moved = new Set<SinkAccount>();

  constructor(private readonly store: Store) {
    this.kept = new KeptBatches(store);
  }

  /**
   * Reads what the store holds, and takes the sinks of the configuration on.
   *
   * @param least No batch has a smaller number, also not in a store that was made anew.
   * @returns Sinks that are not in the configuration any more: what they had not read is given up.
   */
  load(specs: readonly SinkSpec[], least: number): string[] {
    const { store } = this;
    const kept = store.all(sinkRow, "SELECT name, position, dropped FROM sinks");
    const sequence = "SELECT seq FROM sqlite_sequence WHERE name = 'batches'";
    const stored = store.get(z.object({ seq: z.number() }), sequence)?.seq ?? 0;
    this.lastSeq = Math.max(least, stored, ...kept.map(({ position }) => position));
    const behind = behindSchema.parse(JSON.parse(meta(store, BEHIND) ?? "{}"));
    const known = kept.flatMap(({ name, position, dropped }) => {
      const spec = specs.find((one) => one.name === name);
      return spec ? [[name, this.account(spec, position, dropped, new Set(behind[name]))] as const] : [];
    });
    this.accounts = new Map(known);
    const missed = this.kept.missed();
    const batches = store.all(
      batchRow,
      "SELECT seq, name, records, batches.bytes AS bytes, taken FROM batches JOIN tables ON tables.id = table_id ORDER BY seq",
    );
    for (const { name, ...entry } of batches) {
      const missing = new Set([...(missed.get(entry.seq) ?? [])].flatMap((sink) => this.accounts.get(sink) ?? []));
      this.note({ ...entry, table: tableOf(name) }, missing);
    }
    return this.configure(
      specs,
      kept.map(({ name }) => name),
    );
  }

  /**
   * Goes on with other sinks: what is new begins with what comes.
   *
   * @param before Names of those before.
   * @returns those that are no more: what they had not read is given up.
   */
  configure(specs: readonly SinkSpec[], before: readonly string[] = [...this.accounts.keys()]): string[] {
    const { store, accounts, lastSeq } = this;
    const forgotten = before.filter((name) => !specs.some((spec) => spec.name === name));
    const moved = this.takeMoved();
    try {
      store.transaction(() => {
        this.writeMoved(moved);
        for (const name of forgotten) {
          store.run("DELETE FROM sinks WHERE name = ?", name);
          store.run("DELETE FROM missed WHERE sink = ?", name);
        }
        for (const { name } of specs) {
          const sql = "INSERT OR IGNORE INTO sinks (name, position, dropped) VALUES (?, ?, 0)";
          store.run(sql, name, lastSeq);
        }
      });
    } catch (error) {
      this.giveBack(moved);
      throw error;
    }
    this.forget(moved);
    for (const name of forgotten) accounts.get(name)?.end();
    const next = specs.map((spec) => accounts.get(spec.name) ?? this.account(spec, lastSeq));
    for (const [index, account] of next.entries()) account.become(specs[index] ?? account.spec);
    this.accounts = new Map(next.map((account) => [account.spec.name, account]));
    return forgotten;
  }

  /** The number of the newest batch. */
  get last(): number {
    return this.lastSeq;
  }

  /** Within a transaction: adds rows of a table, for all sinks but some. They count once {@link note} is told. */
  insert(table: TableState, chunk: RowChunk, { wall, now }: Moment, missing: ReadonlySet<SinkAccount>): Entry {
    const head: BatchHead = {
      ...table.name,
      at: wall,
      epoch: table.epoch,
      first: table.sequence + 1,
      id: idStart(table, chunk, wall),
      rules: chunk.rules,
    };
    table.sequence += chunk.count;
    const body = Buffer.concat([Buffer.from(`{"head":${JSON.stringify(head)},"rows":`), chunk.rows, END]);
    const bytes = body.length;
    const seq = ++this.lastSeq;
    const sql =
      "INSERT INTO batches (seq, table_id, records, bytes, taken, body) VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT))";
    this.store.run(sql, seq, table.id, chunk.count, bytes, wall, body);
    this.kept.keepMissed(
      seq,
      [...missing].map(({ spec }) => spec.name),
    );
    return { seq, table: table.name, records: chunk.count, bytes, taken: wall, now };
  }

  /** After the transaction: every sink that takes the batch has it to read, but for those that miss it. */
  note(entry: Entry, missing: ReadonlySet<SinkAccount> = new Set()): void {
    const readers = [...this.accounts.values()].filter((account) => !missing.has(account) && account.add(entry));
    this.kept.add(entry.seq, entry.bytes, readers.length);
  }

  /** The transaction did not happen: numbers behind this one were never given. */
  rewind(last: number): void {
    this.lastSeq = last;
  }

  /**
   * Sinks that do not get a reading of a table: those that pause and have no room, and those that missed an earlier one, unless
   * this one holds the whole table. Reserves room for the others.
   *
   * @param reserved What others have taken since the spool last changed.
   * @returns `undefined` when there are records, and no sink has room for them.
   */
  missing(
    table: TableName,
    { rows: chunks, isWhole }: { readonly rows: readonly RowChunk[]; readonly isWhole: boolean },
    at: Moment,
    reserved: Map<SinkAccount, number>,
  ): ReadonlySet<SinkAccount> | undefined {
    const bytes = chunks.reduce(
      (sum, { rows, rules }) => sum + rows.length + HEAD_BYTES + rules.length * RULE_BYTES,
      0,
    );
    const key = tableKey(table);
    const takers = this.takers(table);
    const isMissing = (account: SinkAccount): boolean => {
      if (!isWhole && account.behind.has(key)) return true;
      const { whenFull } = account.spec.limits;
      if (bytes === 0 || whenFull !== "pause" || !account.isFullFor(bytes, at, reserved.get(account) ?? 0))
        return false;
      if (isWhole) account.tried = bytes;
      return true;
    };
    const missing = new Set(takers.filter(isMissing));
    if (bytes > 0 && takers.length > 0 && missing.size === takers.length) return undefined;
    for (const account of takers) {
      if (!missing.has(account)) reserved.set(account, (reserved.get(account) ?? 0) + bytes);
    }
    return missing;
  }

  /** True when a sink that missed readings of a table has room again: the next one is to tell all of it. */
  isWanted(table: TableName, at: Moment): boolean {
    return this.takers(table).some((account) => account.behind.has(tableKey(table)) && account.hasRoomAgain(at));
  }

  /** Within a transaction: notes who misses a reading of a table, and who does so no more. */
  keepBehind(readings: readonly { readonly table: TableName; readonly missing: ReadonlySet<SinkAccount> }[]): Behind {
    const behind = new Map([...this.accounts.values()].map((account) => [account, new Set(account.behind)]));
    let isOther = false;
    for (const { table, missing } of readings) {
      for (const account of this.takers(table)) {
        const tables = behind.get(account) ?? new Set();
        if (missing.has(account) === tables.has(tableKey(table))) continue;
        isOther = true;
        if (missing.has(account)) tables.add(tableKey(table));
        else tables.delete(tableKey(table));
      }
    }
    if (isOther) {
      const kept = [...behind].map(([{ spec }, tables]) => [spec.name, [...tables]]);
      setMeta(this.store, BEHIND, JSON.stringify(Object.fromEntries(kept)));
    }
    return behind;
  }

  /** After the transaction. */
  noteBehind(behind: Behind): void {
    for (const [account, tables] of behind) account.behind = tables;
  }

  /** Next batches of a sink; none when it has everything. */
  next(sink: string, maxRecords: number, after = 0): readonly SpooledBatch[] {
    const sql = "SELECT seq AS position, records, CAST(body AS BLOB) AS body FROM batches WHERE seq = ?";
    return this.sink(sink)
      .next(maxRecords, after)
      .flatMap((seq) => this.store.get(bodyRow, sql, seq) ?? []);
  }

  /** Moves a sink's mark; it is on the disk once {@link writeMoved} has written it. */
  acknowledge(sink: string, position: number): void {
    const account = this.sink(sink);
    account.acknowledge(position);
    this.moved.add(account);
  }

  /** Drops batches of the sinks that let it, by their limits or for room. @returns whether there was something. */
  drop(dropOf: (account: SinkAccount) => boolean): boolean {
    const dropping = this.sinksThat("drop-oldest").filter(dropOf);
    for (const account of dropping) this.moved.add(account);
    return dropping.length > 0;
  }

  get hasMoved(): boolean {
    return this.moved.size > 0 || this.kept.hasDone;
  }

  /** The marks that are to be written now; those that move meanwhile are written the next time. */
  takeMoved(): Moved {
    const accounts = this.moved;
    this.moved = new Set();
    const marks = [...accounts].map(({ spec, position, dropped }) => ({ name: spec.name, position, dropped }));
    return { accounts, marks, done: this.kept.takeDone() };
  }

  /** Takes back marks that could not be written. */
  giveBack({ accounts, done }: Moved): void {
    for (const account of accounts) this.moved.add(account);
    this.kept.giveBack(done);
  }

  /** Within a transaction. */
  writeMoved({ marks, done }: Moved): void {
    for (const { name, position, dropped } of marks) {
      this.store.run("UPDATE sinks SET position = ?, dropped = ? WHERE name = ?", position, dropped, name);
    }
    this.kept.remove(done);
  }

  /** After the transaction: the batches are gone. */
  forget({ done }: Moved): void {
    this.kept.forget(done);
  }

  get status(): Omit<LedgerStatus, "setAside" | "freeBytes"> {
    return { sinks: [...this.accounts.values()].map((account) => account.backlog()), bytes: this.kept.bytes };
  }

  /** The sinks that take a table. */
  takers(table: TableName): SinkAccount[] {
    return [...this.accounts.values()].filter((account) => account.takes(table));
  }

  private sinksThat(whenFull: SinkSpec["limits"]["whenFull"]): SinkAccount[] {
    return [...this.accounts.values()].filter(({ spec }) => spec.limits.whenFull === whenFull);
  }

  private account(spec: SinkSpec, position: number, dropped = 0, behind?: ReadonlySet<string>): SinkAccount {
    return new SinkAccount(spec, position, dropped, behind, this.kept.release);
  }

  private sink(name: string): SinkAccount {
    const account = this.accounts.get(name);
    if (!account) throw new TypeError(`There is no sink ${name}.`);
    return account;
  }
}

/**
 * Beginning of the record ids of a batch. The run keeps it apart from those of a copy of the store; time and content keep apart
 * the observations of a machine that is restored with its memory.
 */
function idStart({ run, key }: TableState, { rows }: RowChunk, wall: number): string {
  return createHash("sha256").update(`${run}/${key}/${wall}`).update(rows).digest("hex").slice(0, 16);
}
