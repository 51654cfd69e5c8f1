import { type Clock, systemClock } from "../../client/clock";
import { attempt } from "../../model/errors";
import { TIMES } from "../defaults";
import { nextTurn } from "../slices";
import { type TableName, tableKey } from "../table";
import { keepPlace, loadIdentity, type RunIdentity, setEnded } from "./identity";
import { bytesOf } from "./kept-baseline";
import { type ChangingOptions, type LedgerOptions, type Opened, SpoolFull, type TakenOver } from "./protocol";
import type { SinkAccount } from "./sink-account";
import { Spool, type Takers } from "./spool";
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

/** One that has a place. */
interface Accepted extends Finished {
  readonly takers: Takers;
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
    try {
      const { identity, ...found } = loadIdentity(store, wall);
      this.identity = identity;
      this.spool = new Spool(store, sinks, least);
      this.opened = { ...found, forgotten: this.spool.forgotten };
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
    const leaving = await Promise.all([...this.tables.values()].map((table) => table.settled()));
    this.cancelMarks?.();
    try {
      try {
        store.transaction(() => {
          spool.writeMoved();
          setEnded(store, listed);
          for (const write of leaving) write();
        });
        // On failure the place stays unknown, and the next run trusts the store as it is.
        attempt(() => keepPlace(store));
      } catch (error) {
        if (!isFull(error)) throw error;
        store.transaction(() => spool.writeMoved());
      }
    } catch (error) {
      throw explained(error, store.file);
    } finally {
      store.close();
    }
  }

  /** The store was set aside: waiting readings are rejected. */
  giveUp(error: Error): void {
    this.ended = error;
    this.cancelMarks?.();
    for (const { reject } of this.finished.splice(0)) reject(error);
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
  private flush(): boolean {
    const { store, spool } = this;
    const reserved = new Map<SinkAccount, number>();
    const waiting = this.finished.splice(0);
    let accepted: readonly Accepted[] = [];
    this.cancelMarks?.();
    this.cancelMarks = undefined;
    try {
      accepted = waiting.flatMap((one) => (this.hasRoom(one) ? this.placed(one, reserved) : []));
      if (this.ended || (accepted.length === 0 && !spool.hasMoved)) return false;
      const written = store.transaction(() => ({
        freed: spool.writeMoved(),
        readings: accepted.map((one) => this.write(one)),
      }));
      spool.noteMoved(written.freed);
      for (const done of written.readings) done();
      const newest = accepted.map(({ reading }) => reading.list).sort((a, b) => b.now - a.now)[0];
      if (newest) spool.drop((account) => account.dropOldest(newest));
    } catch (error) {
      if (isBroken(error)) this.onBroken();
      for (const { reading, reject } of this.ended ? waiting : accepted) {
        if (!this.ended) reading.table.reload();
        reject(this.ended ?? error);
      }
      // Only removing delivered batches can make room; without any, they are written with the next reading.
      return accepted.length > 0 && spool.hasMoved && !this.ended;
    }
    if (spool.hasMoved) this.scheduleMarks();
    return false;
  }

  private scheduleMarks(): void {
    this.cancelMarks ??= this.after(TIMES.acknowledgeEveryMs, () => {
      this.cancelMarks = undefined;
      this.schedule();
    });
  }

  /** Within a transaction: writes a reading. @returns what is to be done once it is on the disk. */
  private write({ reading, takers, resolve }: Accepted): () => void {
    const { table, list, taken } = reading;
    const epoch = list.turn?.epoch ?? this.identity.epoch;
    const isNew = !table.known || table.epoch !== epoch;
    table.enter(epoch);
    const entries = this.spool.insert(reading, takers);
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    if (bytes > 0 || isNew) table.keep(reading, bytes);
    return () => {
      this.spool.note(table, entries, takers);
      table.taken(list.now);
      resolve({ ...taken, bytes });
    };
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
    const takers = this.spool.place(one.reading, reserved);
    if (takers) return [{ ...one, takers }];
    table.forget();
    one.reject(new SpoolFull(this.spool.takers(list.table).map(({ spec }) => spec.name)));
    return [];
  }
}
