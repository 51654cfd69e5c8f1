import { type Clock, systemClock } from "../../client/clock";
import { attempt } from "../../model/errors";
import { TIMES } from "../defaults";
import { nextTurn } from "../slices";
import { type TableName, tableKey } from "../table";
import { keepPlace, loadIdentity, type RunIdentity, setEnded } from "./identity";
import { bytesOf } from "./kept-baseline";
import { type ChangingOptions, type LedgerOptions, type Opened, SpoolFull, type TakenOver } from "./protocol";
import type { Entry, SinkAccount } from "./sink-account";
import { type Moved, Spool } from "./spool";
import { explained, isBroken, isFull, sqliteError } from "./sqlite";
import type { Store } from "./store";
import { type FinishedReading, TableState } from "./table-state";

/** A reading that waits for its place on the disk. */
interface Finished {
  readonly reading: FinishedReading;
  resolve(taken: TakenOver): void;
  reject(error: unknown): void;
  /** There was no room for it, and marks of sinks were written that may have made some. */
  readonly isSecondTry?: true;
}

/** One that has a place, and who does not get it. */
interface Accepted extends Finished {
  readonly missing: ReadonlySet<SinkAccount>;
}

/**
 * One store, and its state in memory. Everything is written here: readings that end together and acknowledgements share a
 * transaction, since each transaction waits for the disk. The limits of sinks are compared here, next to the data.
 */
export class OpenStore {
  private readonly tables = new Map<string, TableState>();
  private readonly finished: Finished[] = [];
  /** The transaction under way, or about to begin. */
  private writing: Promise<void> | undefined;
  /** Set once the store was set aside. */
  private ended: Error | undefined;
  /** Set while marks of sinks wait to be written. */
  private cancelMarks: (() => void) | undefined;

  /** Findings at the opening. */
  readonly opened: Opened;
  readonly spool: Spool;
  readonly identity: RunIdentity;
  /** Stays free on the disk. */
  private reserveBytes: number;
  private readonly after: Clock["after"];

  /**
   * Reads what a store holds; one that cannot be read is closed.
   *
   * @param least No batch has a smaller number.
   * @param onBroken The store turned out to be broken: it is not to be used any more.
   */
  constructor(
    readonly store: Store,
    { sinks, wall, reserveBytes = 0, after = systemClock.after }: LedgerOptions,
    least: number,
    private readonly onBroken: () => void,
  ) {
    this.reserveBytes = reserveBytes;
    this.after = after;
    this.spool = new Spool(store);
    try {
      const { identity, ...found } = loadIdentity(store, wall);
      this.identity = identity;
      this.opened = { ...found, forgotten: this.spool.load(sinks, least) };
    } catch (error) {
      store.close();
      throw error;
    }
  }

  table(name: TableName): TableState {
    const key = tableKey(name);
    const state = this.tables.get(key) ?? new TableState(this.store, name, this.identity.run);
    this.tables.set(key, state);
    return state;
  }

  /** Takes a reading over. @throws {SpoolFull} @throws when it cannot be written. */
  take(reading: FinishedReading): Promise<TakenOver> {
    return new Promise((resolve, reject) => {
      this.finished.push({ reading, resolve, reject });
      this.schedule();
    });
  }

  /** Is written with the next reading, or soon: after a kill, these records are delivered again. */
  acknowledge(sink: string, position: number): void {
    this.spool.acknowledge(sink, position);
    this.scheduleMarks();
  }

  /** Goes on with other sinks. @returns those that are no more. */
  async configure({ sinks, reserveBytes = 0 }: ChangingOptions): Promise<readonly string[]> {
    while (this.writing) await this.writing;
    this.reserveBytes = reserveBytes;
    return this.spool.configure(sinks);
  }

  /** Writes marks of sinks that could not be written: there may be room now. */
  retry(): void {
    if (this.spool.hasMoved) this.schedule();
  }

  /**
   * Writes what is left, or as much of it as there is room for.
   *
   * @param listed When the last list of any table ended.
   * @throws {StoreError} when there is no room for the marks of sinks: what they have taken comes again.
   */
  async close(listed: number | undefined): Promise<void> {
    while (this.writing) await this.writing;
    const { spool, store } = this;
    const moved = this.takeMoved();
    try {
      await store.slicedTransaction(this.leaving(moved, listed)).then(
        // On failure the place stays unknown, and the next run trusts the store as it is.
        () => attempt(() => keepPlace(store)),
        (error: unknown) => {
          if (!isFull(error)) throw error;
          store.transaction(() => spool.writeMoved(moved));
        },
      );
    } catch (error) {
      throw explained(error, store.file);
    } finally {
      store.close();
    }
  }

  /** The store was set aside: waiting readings are rejected, and the transaction under way fails. */
  giveUp(error: Error): void {
    this.ended = error;
    this.cancelMarks?.();
    for (const { reject } of this.finished.splice(0)) reject(error);
  }

  private *leaving(moved: Moved, listed: number | undefined): Generator<void> {
    this.spool.writeMoved(moved);
    setEnded(this.store, listed);
    for (const table of this.tables.values()) yield* table.settle();
  }

  /** Readings that arrive until the next transaction share it: with a slow disk, many do. */
  private schedule(): void {
    this.writing ??= nextTurn()
      .then(() => this.flush())
      .then((again) => {
        this.writing = undefined;
        if (again || this.finished.length > 0) this.schedule();
      });
  }

  /** Writes finished readings and acknowledgements. @returns whether there is more to write at once. */
  private async flush(): Promise<boolean> {
    const { store, spool } = this;
    const reserved = new Map<SinkAccount, number>();
    const accepted = this.finished.splice(0).flatMap((one) => (this.hasRoom(one) ? this.placed(one, reserved) : []));
    const last = spool.last;
    const moved = this.takeMoved();
    if (accepted.length === 0 && moved.marks.length + moved.done.length === 0) return false;
    let taken: readonly TakenOver[];
    try {
      const { entries, ...written } = await store.slicedTransaction(this.steps(accepted, moved));
      taken = written.taken;
      spool.forget(moved);
      spool.noteBehind(written.behind);
      for (const { entry, missing } of entries) spool.note(entry, missing);
    } catch (error) {
      spool.rewind(last);
      spool.giveBack(moved);
      if (isBroken(error)) this.onBroken();
      for (const { reading, reject } of accepted) {
        if (!this.ended) reading.table.reload();
        reject(this.ended ?? error);
      }
      // Only removing delivered batches can make room; without any, they are written with the next reading.
      return accepted.length > 0 && spool.hasMoved && !this.ended;
    }
    for (const [index, { reading, resolve }] of accepted.entries()) {
      reading.table.taken(reading.list.now);
      resolve(taken[index] as TakenOver);
    }
    const newest = accepted.map(({ reading }) => reading.list).sort((a, b) => b.now - a.now)[0];
    if (newest) spool.drop((account) => account.dropOldest(newest));
    if (spool.hasMoved) this.scheduleMarks();
    return false;
  }

  private scheduleMarks(): void {
    this.cancelMarks ??= this.after(TIMES.acknowledgeEveryMs, () => {
      this.cancelMarks = undefined;
      this.schedule();
    });
  }

  private takeMoved(): Moved {
    this.cancelMarks?.();
    this.cancelMarks = undefined;
    return this.spool.takeMoved();
  }

  /** Within a transaction. */
  private *steps(accepted: readonly Accepted[], moved: Moved) {
    this.spool.writeMoved(moved);
    const entries: { readonly entry: Entry; readonly missing: ReadonlySet<SinkAccount> }[] = [];
    const taken: TakenOver[] = [];
    const behind = this.spool.keepBehind(
      accepted.map(({ reading, missing }) => ({ table: reading.list.table, missing })),
    );
    for (const { reading, missing } of accepted) {
      const { table, list, rows } = reading;
      const epoch = list.turn?.epoch ?? this.identity.epoch;
      const isNew = !table.known || table.epoch !== epoch;
      table.enter(epoch);
      let spooled = 0;
      for (const chunk of rows) {
        const entry = this.spool.insert(table, chunk, list, missing);
        entries.push({ entry, missing });
        spooled += entry.bytes;
        yield;
      }
      if (spooled > 0 || isNew) yield* table.keep(reading, spooled);
      taken.push({ ...reading.taken, bytes: spooled });
    }
    return { entries, taken, behind };
  }

  /** Rejects a reading that would take what is to stay free of the disk, once those that drop the oldest have done so. */
  private hasRoom(one: Finished): boolean {
    const { rows, changes, whole = [], table } = one.reading;
    const bytes = bytesOf(rows) + bytesOf(changes) + bytesOf(whole);
    if (bytes === 0 || this.store.hasRoomFor(bytes, this.reserveBytes)) return true;
    if (this.spool.drop((account) => account.dropBytes(bytes))) this.finished.push(one);
    else if (this.spool.hasMoved && !one.isSecondTry) this.finished.push({ ...one, isSecondTry: true });
    else {
      table.forget();
      one.reject(sqliteError("full", "the disk is full but for what stays free"));
    }
    return false;
  }

  /** Decides which sinks get a reading; rejects one for which no sink has room. */
  private placed(one: Finished, reserved: Map<SinkAccount, number>): Accepted[] {
    const { list, table } = one.reading;
    const missing = this.spool.missing(list.table, one.reading, list, reserved);
    if (missing) return [{ ...one, missing }];
    table.forget();
    one.reject(new SpoolFull(this.spool.takers(list.table).map(({ spec }) => spec.name)));
    return [];
  }
}
