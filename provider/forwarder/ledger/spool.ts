import { createHash } from "node:crypto";
import { z } from "zod";
import type { Loss } from "../loss";
import { passing } from "../record/filter";
import type { BatchHead, RowChunk } from "../record/rows";
import { type TableName, tableKey, tableOf, takes } from "../table";
import type { LedgerStatus, SinkSpec, SpooledBatch } from "./protocol";
import { type Entry, type Moment, SinkAccount } from "./sink-account";
import type { Store } from "./store";
import type { FinishedReading, TableState } from "./table-state";

/** Largest head of a batch in bytes, without its rules. */
const HEAD_BYTES = 400;
const RULE_BYTES = 100;
const END = Buffer.from("}");

function headBytes({ rules, resent = [] }: RowChunk): number {
  return HEAD_BYTES + rules.length * RULE_BYTES + JSON.stringify(resent).length;
}

/** A row of `sinks`: up to where a sink has acknowledged the batches, and the records that it lost. */
export const sinkRow = z.object({ name: z.string(), position: z.number(), dropped: z.number() });
const tableRow = z.object({ id: z.number(), name: z.string() });
const seqRow = z.object({ seq: z.number() });
const bytesRow = z.object({ bytes: z.number() });
const lostRow = z.object({ table: z.string(), records: z.number(), first: z.number(), last: z.number() });

/** The sinks that take a table: those that get a reading of it, and those that miss it. */
export interface Takers {
  readonly getting: readonly SinkAccount[];
  readonly missing: readonly SinkAccount[];
}

/**
 * The batches, and which of them each sink has still to take (`unread`). A batch is removed when its last sink has it, even if
 * older ones wait: a dead sink keeps its own batches only. Memory holds sums. The caller opens the transactions for all writing.
 */
export class Spool {
  private accounts: ReadonlyMap<string, SinkAccount> = new Map();
  /** Losses of sinks that the configuration does not name any more, not reported yet. */
  private readonly removed: Loss[] = [];
  /** Sinks whose marks are to be written. */
  private readonly moved = new Set<SinkAccount>();
  private bytes = 0;
  /** The number of the newest batch. */
  last = 0;
  /** The same when this run began. */
  private readonly earlier: number;
  /** Sinks of the store that are not in the configuration any more: the records that they had not read are dropped. */
  readonly forgotten: readonly string[];

  /**
   * Reads what the store holds, and takes the sinks of the configuration on.
   *
   * @param least No batch has a smaller number, also not in a new store.
   */
  constructor(
    private readonly store: Store,
    specs: readonly SinkSpec[],
    least: number,
  ) {
    const stored = store.get(seqRow, "SELECT seq FROM sqlite_sequence WHERE name = 'batches'")?.seq ?? 0;
    const positions = store.all(sinkRow, "SELECT name, position, dropped FROM sinks").map(({ position }) => position);
    this.earlier = this.last = Math.max(least, stored, ...positions);
    this.forgotten = this.configure(specs);
  }

  /** Continues with other sinks: a new one begins with new records. @returns the removed ones. */
  configure(specs: readonly SinkSpec[]): string[] {
    const { store, last } = this;
    const before = store.all(sinkRow, "SELECT name, position, dropped FROM sinks").map(({ name }) => name);
    const forgotten = before.filter((name) => !specs.some((spec) => spec.name === name));
    const removed: Loss[] = [];
    store.transaction(() => {
      this.writeMoved();
      for (const name of forgotten) {
        removed.push(...this.lossesOf(name, "true"));
        for (const from of ["sinks WHERE name", "unread WHERE sink", "known WHERE sink"])
          store.run(`DELETE FROM ${from} = ?`, name);
      }
      for (const { name, only } of specs) {
        store.run("INSERT OR IGNORE INTO sinks (name, position, dropped) VALUES (?, ?, 0)", name, last);
        if (only) removed.push(...this.giveUp(name, only));
      }
      store.run("DELETE FROM batches WHERE NOT EXISTS (SELECT 1 FROM unread WHERE unread.seq = batches.seq)");
    });
    this.noteMoved(0);
    this.removed.push(...removed);
    for (const name of forgotten) this.removed.push(...(this.accounts.get(name)?.takeLost(true) ?? []));
    this.accounts = new Map(specs.map((spec) => [spec.name, this.accounts.get(spec.name) ?? this.opened(spec)]));
    for (const spec of specs) this.sink(spec.name).become(spec);
    this.bytes = store.get(bytesRow, "SELECT total(bytes) AS bytes FROM batches")?.bytes ?? 0;
    return forgotten;
  }

  /**
   * Decides which sinks get a reading of a table. Those miss it that pause and have no room, and those that missed an earlier one,
   * unless this one holds the whole table. Reserves room for the others.
   *
   * @param reserved What others have taken since the spool last changed.
   * @returns `undefined` when there are records, and no sink has room for them.
   */
  place({ list, rows, isWhole }: FinishedReading, reserved: Map<SinkAccount, number>): Takers | undefined {
    const bytes = rows.reduce((sum, one) => sum + one.rows.length + headBytes(one), 0);
    const key = tableKey(list.table);
    const isMissing = (account: SinkAccount): boolean => {
      if (!isWhole && account.isBehind(key)) return true;
      if (bytes === 0 || account.spec.limits.whenFull !== "pause") return false;
      const isFull = account.isFullFor(bytes, list, reserved.get(account) ?? 0);
      if (isFull && isWhole) account.tried = bytes;
      return isFull;
    };
    const takers = this.takers(list.table);
    const missing = takers.filter(isMissing);
    if (bytes > 0 && takers.length > 0 && missing.length === takers.length) return undefined;
    const getting = takers.filter((account) => !missing.includes(account));
    for (const account of getting) reserved.set(account, (reserved.get(account) ?? 0) + bytes);
    return { getting, missing };
  }

  /** Within a transaction: adds the rows of a reading, for the sinks that get it. They count once {@link note} is called. */
  insert({ table, rows, list, isWhole }: FinishedReading, { getting, missing }: Takers): Entry[] {
    const know = "INSERT OR REPLACE INTO known (sink, table_id, behind) VALUES (?, ?, ?)";
    for (const one of missing) if (!one.isBehind(table.key)) this.store.run(know, one.spec.name, table.id, 1);
    for (const { spec, isSelecting, known } of isWhole ? getting : []) {
      if (isSelecting) this.store.run("DELETE FROM known WHERE sink = ? AND table_id = ?", spec.name, table.id);
      else if (known.get(table.key) !== Number.POSITIVE_INFINITY) this.store.run(know, spec.name, table.id, 0);
    }
    return rows.map((chunk) => this.insertBatch(table, chunk, list, getting));
  }

  /** After the transaction: the sinks have a reading to take, or miss it. */
  note({ table, number, isWhole }: FinishedReading, entries: readonly Entry[], { getting, missing }: Takers): void {
    const { key } = table;
    for (const account of missing) account.miss(key, number, entries);
    for (const account of getting) {
      if (isWhole && account.isSelecting) account.known.delete(key);
      else if (isWhole) account.complete(key, entries[0]?.seq ?? this.last + 1);
      for (const entry of entries) account.add(entry);
    }
    if (getting.length > 0) for (const { bytes } of entries) this.bytes += bytes;
  }

  /** True when a sink that missed readings of a table has room again: the next one must have the whole table. */
  isWholeDue(table: TableName, at: Moment): boolean {
    return this.takers(table).some((account) => account.isBehind(tableKey(table)) && account.hasRoomAgain(at));
  }

  /** The sinks that had every record of a table before one of its readings. */
  knowledgeOf(table: TableName): ReadonlyMap<string, number> {
    return new Map(this.takers(table).map(({ spec, known }) => [spec.name, known.get(tableKey(table)) ?? 0]));
  }

  /** Next batches of a sink; none when it has everything. */
  next(sink: string, maxRecords: number, after = 0): readonly SpooledBatch[] {
    return this.sink(sink).next(maxRecords, after);
  }

  /** Moves a sink's mark; it is on the disk once {@link writeMoved} has written it. */
  acknowledge(sink: string, position: number): void {
    const account = this.sink(sink);
    account.acknowledge(position);
    this.moved.add(account);
  }

  /** Drops batches of the sinks that let it, by their limits or for room. @returns whether there was something. */
  drop(dropOf: (account: SinkAccount) => boolean): boolean {
    const dropping = [...this.accounts.values()].filter(
      (account) => account.spec.limits.whenFull === "drop-oldest" && dropOf(account),
    );
    for (const account of dropping) this.moved.add(account);
    return dropping.length > 0;
  }

  get hasMoved(): boolean {
    return this.moved.size > 0;
  }

  /** Within a transaction: writes the marks of sinks, and removes what no sink reads again. @returns the bytes of that. */
  writeMoved(): number {
    const { store } = this;
    const take = "DELETE FROM unread WHERE sink = ? AND seq <= ? RETURNING seq";
    const remove =
      "DELETE FROM batches WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM unread WHERE unread.seq = batches.seq) RETURNING bytes";
    let freed = 0;
    for (const account of this.moved) {
      const { spec, position, dropped } = account;
      for (const table of account.incomplete)
        store.run("DELETE FROM known WHERE sink = ? AND table_id = ?", spec.name, table);
      store.run("UPDATE sinks SET position = ?, dropped = ? WHERE name = ?", position, dropped, spec.name);
      const taken = store.all(seqRow, take, spec.name, position);
      for (const { seq } of taken) freed += store.get(bytesRow, remove, seq)?.bytes ?? 0;
    }
    return freed;
  }

  /** After the transaction: what {@link writeMoved} has written is on the disk. */
  noteMoved(freed: number): void {
    for (const { incomplete } of this.moved) incomplete.length = 0;
    this.moved.clear();
    this.bytes -= freed;
  }

  get status(): Omit<LedgerStatus, "setAside" | "freeBytes" | "lost"> {
    return { sinks: [...this.accounts.values()].map((account) => account.backlog()), bytes: this.bytes };
  }

  takers(table: TableName): SinkAccount[] {
    return [...this.accounts.values()].filter((account) => account.takes(table));
  }

  private insertBatch(
    table: TableState,
    chunk: RowChunk,
    { wall, now }: Moment,
    getting: readonly SinkAccount[],
  ): Entry {
    // A sink may have dropped some since the list was compared.
    const had = new Set(getting.flatMap(({ spec, known }) => (known.get(table.key) ? [spec.name] : [])));
    const resent = chunk.resent?.filter((name) => had.has(name));
    const head: BatchHead = {
      ...table.name,
      at: wall,
      epoch: table.epoch,
      first: table.sequence + 1,
      id: idStart(table, chunk, wall),
      rules: chunk.rules,
      ...(resent && { resent }),
    };
    table.sequence += chunk.count;
    const body = Buffer.concat([Buffer.from(`{"head":${JSON.stringify(head)},"rows":`), chunk.rows, END]);
    const entry = {
      seq: this.last + 1,
      records: chunk.count,
      bytes: body.length,
      taken: wall,
      now,
      table_id: table.id,
    };
    if (getting.length === 0) return entry;
    this.last++;
    const sql =
      "INSERT INTO batches (seq, table_id, records, bytes, taken, now, body) VALUES (?, ?, ?, ?, ?, ?, CAST(? AS TEXT))";
    this.store.run(sql, entry.seq, table.id, entry.records, entry.bytes, wall, now, body);
    for (const { spec } of getting) {
      this.store.run("INSERT INTO unread (sink, seq) VALUES (?, ?)", spec.name, entry.seq);
    }
    return entry;
  }

  /** Within a transaction: a sink that takes some tables only gives up what it had to read of others. One that selects records has all of none. */
  private giveUp(sink: string, only: NonNullable<SinkSpec["only"]>): Loss[] {
    const tables = this.store.all(tableRow, "SELECT id, name FROM tables");
    const taken = JSON.stringify(tables.flatMap(({ id, name }) => (takes(only, tableOf(name)) ? [id] : [])));
    const ofOthers = "NOT IN (SELECT value FROM json_each(?))";
    const tableOfBatch = "(SELECT table_id FROM batches WHERE batches.seq = unread.seq)";
    const losses = this.lossesOf(sink, `table_id ${ofOthers}`, taken);
    this.store.run(`DELETE FROM unread WHERE sink = ? AND ${tableOfBatch} ${ofOthers}`, sink, taken);
    this.store.run(`DELETE FROM known WHERE sink = ? AND table_id ${ofOthers}`, sink, taken);
    if (passing(only)) this.store.run("DELETE FROM known WHERE sink = ? AND behind = 0", sink);
    return losses;
  }

  /** Losses of a sink if what it has to read by this condition is removed. */
  private lossesOf(sink: string, condition: string, ...values: string[]): Loss[] {
    const sql = `SELECT name AS "table", total(records) AS records, min(taken) AS first, max(taken) AS last
      FROM unread CROSS JOIN batches USING (seq) JOIN tables ON id = table_id WHERE sink = ? AND ${condition} GROUP BY name`;
    return this.store.all(lostRow, sql, sink, ...values).map((row) => ({ sink, cause: "removed", ...row }));
  }

  /** Records that sinks will not get, each once. @param isEnd True when nothing that is under way arrives any more. */
  takeLost(isEnd = false): Loss[] {
    return [...this.removed.splice(0), ...[...this.accounts.values()].flatMap((account) => account.takeLost(isEnd))];
  }

  private opened(spec: SinkSpec): SinkAccount {
    const sql = "SELECT name, position, dropped FROM sinks WHERE name = ?";
    const { position = this.last, dropped = 0 } = this.store.get(sinkRow, sql, spec.name) ?? {};
    return new SinkAccount(this.store, spec, position, dropped, this.earlier);
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
