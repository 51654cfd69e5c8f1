import { systemClock } from "../../client/clock";
import { attempt, messageOf } from "../../model/errors";
import { SINK_DEFAULTS, TIMES } from "../defaults";
import type { Loss } from "../loss";
import type { ArrivedList } from "../reading/arrived-list";
import { readMarks } from "../reading/comparison";
import { nextTurn } from "../slices";
import { type TableName, tableKey } from "../table";
import { keepPlace, setEnded, VOID_EPOCH } from "./identity";
import { bytesOf } from "./kept-baseline";
import { recordsLeft } from "./left-spool";
import type { ChangingOptions, Ledger, LedgerOptions, LedgerStatus, Opened, SpooledBatch, TakenOver } from "./protocol";
import type { SinkAccount } from "./sink-account";
import { explained, isBroken, isFull, StoreError, sqliteError } from "./sqlite";
import { Store, setAside } from "./store";
import { type FinishedReading, TableState } from "./table-state";
import { begin, type Finished, placed, type Work, write } from "./work";

/**
 * The ledger in the store, in one thread. A list that has arrived is parsed as a whole, takes its place in its table's baseline
 * in memory, and then on the disk, together with its records. Readings that end together and acknowledgements share a transaction,
 * since each waits for the disk. No other stretch of work is longer than a slice (see `slices.ts`).
 */
export class StoredLedger implements Ledger {
  /** The last list of each table: no two lists of one are read at a time. */
  private readonly underWay = new Map<string, Promise<unknown>>();
  private readonly finished: Finished[] = [];
  /** The transaction that is about to begin. */
  private writing: Promise<void> | undefined;
  private beginWriting = (): void => {};
  /** Set while marks of sinks wait to be written. */
  private cancelMarks: (() => void) | undefined;
  private lastReading = 0;
  private work: Work;
  /** A store that was set aside during work, until it is reported. */
  private aside: string | undefined;

  private constructor(
    private options: LedgerOptions,
    store: Store,
    /** Stores that were set aside. Tables that had a baseline in one say so with a `reset`. */
    private asides: number,
  ) {
    this.work = begin(store, options, 0);
  }

  /** Opens the store of a state folder; a broken one is set aside, and the work starts again. */
  static async open(options: LedgerOptions): Promise<{ ledger: StoredLedger; opened: Opened }> {
    const { file, wall } = options;
    try {
      const ledger = new StoredLedger(options, await Store.open(file), 0);
      return { ledger, opened: ledger.work.opened };
    } catch (error) {
      if (!isBroken(error)) throw error;
      const aside = setAside(file, wall);
      const ledger = new StoredLedger(options, await Store.open(file), 1);
      const opened = { ...ledger.work.opened, setAside: { file: aside, records: await recordsLeft(aside) } };
      return { ledger, opened };
    }
  }

  take(list: ArrivedList): Promise<TakenOver> {
    const key = tableKey(list.table);
    const taken = (this.underWay.get(key) ?? Promise.resolve()).then(() => this.read(list));
    this.underWay.set(
      key,
      taken.catch(() => {}),
    );
    return taken;
  }

  async next(...args: Parameters<Ledger["next"]>): Promise<readonly SpooledBatch[]> {
    return this.noticing(() => this.work.spool.next(...args));
  }

  async acknowledge(sink: string, position: number): Promise<void> {
    this.noticing(() => this.work.spool.acknowledge(sink, position));
    this.scheduleMarks();
  }

  async status(): Promise<LedgerStatus> {
    const { aside } = this;
    const { spool, store } = this.work;
    const last = aside && { lastAside: { file: aside, records: await recordsLeft(aside) } };
    this.aside = undefined;
    // Marks of sinks that could not be written: there may be room now.
    if (spool.hasMoved) this.schedule();
    return { ...spool.status, lost: spool.takeLost(), freeBytes: store.freeBytes, setAside: this.asides, ...last };
  }

  async configure(options: ChangingOptions): Promise<readonly string[]> {
    while (this.writing) await this.writing;
    const forgotten = this.work.spool.configure(options.sinks);
    this.options = { ...this.options, ...options };
    return forgotten;
  }

  /** @throws {StoreError} when there is no room for the marks of sinks: records that they have taken are delivered again. */
  async close(listed: number | undefined): Promise<readonly Loss[]> {
    while (this.writing) await this.writing;
    const { spool, store, tables } = this.work;
    const leaving = await Promise.all([...tables.values()].map((table) => table.settled()));
    this.cancelMarks?.();
    let lost: readonly Loss[] = [];
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
      lost = spool.takeLost(true);
      store.close();
    }
    return lost;
  }

  private async read(list: ArrivedList): Promise<TakenOver> {
    // Of lists that arrive together one a turn is read: those before it are written meanwhile, and delivered.
    await nextTurn();
    const { work } = this;
    const table = this.table(list.table);
    const marks = readMarks(list);
    const lost = this.asides > 0 && !table.known;
    const isVoid = table.epoch === VOID_EPOCH || (list.turn !== undefined && table.epoch < list.turn.since);
    let reading: FinishedReading;
    try {
      const isWholeDue = work.spool.isWholeDue(list.table, list);
      const knowledge = work.spool.knowledgeOf(list.table);
      const how = { records: this.options.records, reset: lost || isVoid, isWholeDue, knowledge };
      reading = await table.compare(++this.lastReading, list, marks, how);
    } catch (error) {
      if (work !== this.work) throw new Error(GIVEN_UP);
      table.forget();
      if (isBroken(error)) this.startAnew();
      throw error;
    }
    if (work !== this.work) throw new Error(GIVEN_UP);
    return new Promise((resolve, reject) => {
      this.finished.push({ reading, resolve, reject });
      this.schedule();
      const records = this.finished.reduce((sum, one) => sum + one.reading.taken.records, 0);
      if (records >= SINK_DEFAULTS.batch.maxRecords) this.beginWriting();
    });
  }

  private table(name: TableName): TableState {
    const { store, tables, identity } = this.work;
    const key = tableKey(name);
    const state = tables.get(key) ?? new TableState(store, name, identity.run);
    tables.set(key, state);
    return state;
  }

  /** Sets the store aside if an error of the work says that it is broken. @throws what the work throws. */
  private noticing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isBroken(error)) this.startAnew();
      throw error;
    }
  }

  /** Sets the store aside and continues with an empty one. Numbers and epochs continue, so that no two records have one id. */
  private startAnew(): void {
    const { spool, store: broken, identity } = this.work;
    for (const { reject } of this.finished.splice(0)) reject(new Error(GIVEN_UP));
    this.asides++;
    const wall = Math.max(this.options.wall, identity.epoch) + 1;
    try {
      const { store, aside } = broken.startAnew(wall);
      this.aside = aside;
      this.work = begin(store, { ...this.options, wall }, spool.last);
    } catch (error) {
      const message = `The state ${broken.file} is broken, and no empty one can be opened in its place: ${messageOf(error)}.`;
      this.options.lost?.(new StoreError(message));
      throw error;
    }
  }

  /**
   * Readings that arrive until the next transaction share it: with a slow disk, many do. It waits for the lists that are here already,
   * unless a whole delivery is ready.
   */
  private schedule(): void {
    this.writing ??= new Promise<void>((resolve) => {
      this.beginWriting = resolve;
      void nextTurn().then(resolve);
    })
      .then(() => this.flush())
      .then((again) => {
        this.writing = undefined;
        if (again || this.finished.length > 0) this.schedule();
      });
  }

  /** Acknowledgements are written with the next reading, or soon: after a kill, these records are delivered again. */
  private scheduleMarks(): void {
    const { after = systemClock.after } = this.options;
    this.cancelMarks ??= after(TIMES.acknowledgeEveryMs, () => {
      this.cancelMarks = undefined;
      this.schedule();
    });
  }

  /** Writes finished readings and acknowledgements. @returns whether there is more to write at once. */
  private flush(): boolean {
    const { store, spool } = this.work;
    const reserved = new Map<SinkAccount, number>();
    const waiting = this.finished.splice(0);
    // Those that a failure of the disk rejects: all of them while none is accepted.
    let left: readonly Finished[] = waiting;
    this.cancelMarks?.();
    this.cancelMarks = undefined;
    try {
      const room = waiting.length > 0 ? store.room(this.options.reserveBytes ?? 0) : 0;
      const accepted = waiting.filter((one) => this.fits(one, room)).flatMap((one) => placed(this.work, one, reserved));
      left = accepted;
      if (accepted.length === 0 && !spool.hasMoved) return false;
      const written = store.transaction(() => ({
        freed: spool.writeMoved(),
        readings: accepted.map((one) => write(this.work, one)),
      }));
      spool.noteMoved(written.freed);
      for (const done of written.readings) done();
      const newest = accepted.map(({ reading }) => reading.list).sort((a, b) => b.now - a.now)[0];
      if (newest) spool.drop((account) => account.dropOldest(newest));
    } catch (error) {
      if (isBroken(error)) {
        for (const { reject } of waiting) reject(new Error(GIVEN_UP));
        // Without a new store each later reading fails, and says why.
        attempt(() => this.startAnew());
        return false;
      }
      // Those that were to wait for room are rejected, too.
      if (left === waiting) this.finished.length = 0;
      for (const { reading, reject } of left) {
        reject(error);
        attempt(() => reading.table.reload());
      }
      // Only removing delivered batches can make room; without any, they are written with the next reading.
      return left.length > 0 && spool.hasMoved;
    }
    if (spool.hasMoved) this.scheduleMarks();
    return false;
  }

  /** Rejects a reading for which the disk has no room, once sinks that drop the oldest have done so. @param room In bytes. */
  private fits(one: Finished, room: number): boolean {
    const { spool } = this.work;
    const { rows, changes, whole = [], table } = one.reading;
    const bytes = bytesOf(rows) + bytesOf(changes) + bytesOf(whole);
    if (bytes === 0 || bytes <= room) return true;
    if (spool.drop((account) => account.dropBytes(bytes))) this.finished.push(one);
    else if (spool.hasMoved && !one.isSecondTry) this.finished.push({ ...one, isSecondTry: true });
    else {
      table.forget();
      one.reject(sqliteError("full", "the disk is full, except for the reserved bytes"));
    }
    return false;
  }
}

const GIVEN_UP = "The list was dropped, since the state had to be set aside; it is read again.";
