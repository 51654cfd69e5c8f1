import { createHash } from "node:crypto";
import { z } from "zod";
import type { RowChunk } from "../record/rows";
import { type TableName, tableKey, tableOf } from "../table";
import { meta, setMeta } from "./identity";
import type { BatchHead, LedgerStatus, SinkSpec, SpooledBatch } from "./protocol";
import { type Entry, type Moment, SinkAccount } from "./sink-account";
import type { Store } from "./store";
import type { TableState } from "./table-state";

/** What the head of a batch takes at most, but for its rules. */
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
const sinkRow = z.object({ name: z.string(), position: z.number(), dropped: z.number() });
const bodyRow = z.object({ position: z.number(), records: z.number(), body: z.instanceof(Uint8Array<ArrayBuffer>) });

/** Which tables each sink is behind with, as the store keeps it. */
const BEHIND = "behind";
const behindSchema = z.record(z.string(), z.array(z.string()));

/** Marks of sinks that are to be written, and batches that no sink reads again then. */
export interface Moved {
  readonly accounts: ReadonlySet<SinkAccount>;
  readonly marks: readonly { readonly name: string; readonly position: number; readonly dropped: number }[];
  /** Batches up to here have been read by every sink that takes them. */
  readonly done: number;
}

/** The tables that each sink is behind with. */
type Behind = ReadonlyMap<SinkAccount, Set<string>>;

/**
 * The batches that are kept, and what each sink has still to read of them. In memory there are only their numbers and sizes.
 * What is written is written within transactions of the caller.
 */
export class Spool {
  /** Bytes of all batches that are kept. */
  bytes = 0;
  private readonly accounts = new Map<string, SinkAccount>();
  private lastSeq = 0;
  /** What was still kept when a sink last moved. */
  private readonly kept: { seq: number; bytes: number }[] = [];
  private moved = new Set<SinkAccount>();

  constructor(private readonly store: Store) {}

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
    const forgotten = kept.map(({ name }) => name).filter((name) => !specs.some((spec) => spec.name === name));
    const batches = store.all(
      batchRow,
      "SELECT seq, name, records, batches.bytes AS bytes, taken FROM batches JOIN tables ON tables.id = table_id ORDER BY seq",
    );
    const behind = behindSchema.parse(JSON.parse(meta(store, BEHIND) ?? "{}"));
    store.transaction(() => {
      for (const name of forgotten) store.run("DELETE FROM sinks WHERE name = ?", name);
      for (const spec of specs) {
        const { position, dropped } = kept.find(({ name }) => name === spec.name) ?? {
          position: this.lastSeq,
          dropped: 0,
        };
        this.accounts.set(spec.name, new SinkAccount(spec, position, dropped, new Set(behind[spec.name])));
        const sql = "INSERT OR IGNORE INTO sinks (name, position, dropped) VALUES (?, ?, ?)";
        store.run(sql, spec.name, position, dropped);
      }
      for (const { name, ...entry } of batches) this.note({ ...entry, table: tableOf(name) });
      this.writeMoved(this.takeMoved());
    });
    this.forget(this.done());
    return forgotten;
  }

  /** The number of the newest batch. */
  get last(): number {
    return this.lastSeq;
  }

  /** Within a transaction: adds rows of a table. They count once {@link note} is told. */
  insert(table: TableState, chunk: RowChunk, { wall, now }: Moment): Entry {
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
    return { seq, table: table.name, records: chunk.count, bytes, taken: wall, now };
  }

  /** After the transaction: every sink that takes the batch has it to read, but for those that miss it. */
  note(entry: Entry, missing: ReadonlySet<SinkAccount> = new Set()): void {
    this.kept.push({ seq: entry.seq, bytes: entry.bytes });
    this.bytes += entry.bytes;
    for (const account of this.accounts.values()) if (!missing.has(account)) account.add(entry);
  }

  /** The transaction did not happen: numbers behind this one were never given. */
  rewind(last: number): void {
    this.lastSeq = last;
  }

  /**
   * Sinks that are not to get a reading of a table: those that pause and have no room, and those that missed an earlier one, unless
   * this one tells the whole table. For the others the room is taken.
   *
   * @param reserved What others have taken since the spool last changed.
   * @returns `undefined` when there is something to get, and no sink to get it.
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

  /** What a sink reads next; nothing when it has everything. */
  next(sink: string, maxRecords: number, after = 0): readonly SpooledBatch[] {
    const wanted = new Set(this.account(sink).next(maxRecords, after));
    if (wanted.size === 0) return [];
    const sql =
      "SELECT seq AS position, records, CAST(body AS BLOB) AS body FROM batches WHERE seq BETWEEN ? AND ? ORDER BY seq";
    const batches = this.store.all(bodyRow, sql, Math.min(...wanted), Math.max(...wanted));
    return batches.filter(({ position }) => wanted.has(position));
  }

  /** Moves a sink's mark; it is on the disk once {@link writeMoved} has written it. */
  acknowledge(sink: string, position: number): void {
    const account = this.account(sink);
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
    return this.moved.size > 0;
  }

  /** The marks that are to be written now; those that move meanwhile are written the next time. */
  takeMoved(): Moved {
    const accounts = this.moved;
    this.moved = new Set();
    const marks = [...accounts].map(({ spec, position, dropped }) => ({ name: spec.name, position, dropped }));
    return { accounts, marks, done: this.done() };
  }

  /** They are to be written after all. */
  giveBack({ accounts }: Moved): void {
    for (const account of accounts) this.moved.add(account);
  }

  /** Within a transaction. */
  writeMoved({ marks, done }: Moved): void {
    for (const { name, position, dropped } of marks) {
      this.store.run("UPDATE sinks SET position = ?, dropped = ? WHERE name = ?", position, dropped, name);
    }
    this.store.run("DELETE FROM batches WHERE seq <= ?", done);
  }

  /** After the transaction: batches up to here are gone. */
  forget(done: number): void {
    let count = 0;
    for (const { seq, bytes } of this.kept) {
      if (seq > done) break;
      this.bytes -= bytes;
      count++;
    }
    if (count > 0) this.kept.splice(0, count);
  }

  get status(): Omit<LedgerStatus, "setAside" | "freeBytes"> {
    return { sinks: [...this.accounts.values()].map((account) => account.backlog()), bytes: this.bytes };
  }

  private done(): number {
    return Math.min(this.lastSeq, ...[...this.accounts.values()].map((account) => account.readUpTo(this.lastSeq)));
  }

  /** The sinks that take a table. */
  takers(table: TableName): SinkAccount[] {
    return [...this.accounts.values()].filter((account) => account.takes(table));
  }

  private sinksThat(whenFull: SinkSpec["limits"]["whenFull"]): SinkAccount[] {
    return [...this.accounts.values()].filter(({ spec }) => spec.limits.whenFull === whenFull);
  }

  private account(sink: string): SinkAccount {
    const account = this.accounts.get(sink);
    if (!account) throw new TypeError(`There is no sink ${sink}.`);
    return account;
  }
}

/**
 * What record ids of a batch begin with. Of the run, so that no copy of the store has it; of time and content, so that a machine
 * that goes on from a snapshot of its memory has it for the same observation only.
 */
function idStart({ run, key }: TableState, { rows }: RowChunk, wall: number): string {
  return createHash("sha256").update(`${run}/${key}/${wall}`).update(rows).digest("hex").slice(0, 16);
}
