import { tableKey } from "../table";
import { OpenReading } from "./open-reading";
import { type ListTime, OpenStore } from "./open-store";
import type { Begin, Ledger, LedgerOptions, LedgerStatus, Opened, Portion, TakenOver } from "./protocol";
import { isBroken } from "./sqlite";
import { Store, setAside } from "./store";

/**
 * The ledger in the store, in one thread. A list that arrives takes its place in its table's baseline in memory at once, and
 * on the disk when it is whole, together with its records. No stretch of work is longer than a slice (see `slices.ts`), but
 * for SQLite's own commit.
 */
export class StoredLedger implements Ledger {
  private readonly readings = new Map<number, OpenReading>();
  /** Tables that are being read, and when that is over: no two lists of one at a time. */
  private readonly busy = new Map<string, { readonly free: Promise<void>; leave(): void }>();
  private lastReading = 0;
  private readonly opened: Opened;
  private current: OpenStore;

  private constructor(
    private readonly options: LedgerOptions,
    private store: Store,
    /** Stores that were set aside. Tables that had a baseline in one say so with a `reset`. */
    private asides: number,
  ) {
    const { open, opened } = OpenStore.load(store, options, 0, () => this.startAnew());
    this.current = open;
    this.opened = opened;
  }

  /** Opens the store of a state folder; one that is broken is set aside, and the work begins anew. */
  static async open(options: LedgerOptions): Promise<{ ledger: StoredLedger; opened: Opened }> {
    try {
      const ledger = StoredLedger.of(options, await Store.open(options.file, options), 0);
      return { ledger, opened: ledger.opened };
    } catch (error) {
      if (!isBroken(error)) throw error;
      const aside = setAside(options.file, options.wall);
      const ledger = StoredLedger.of(options, await Store.open(options.file, options), 1);
      return { ledger, opened: { ...ledger.opened, setAside: aside } };
    }
  }

  private static of(options: LedgerOptions, store: Store, asides: number): StoredLedger {
    try {
      return new StoredLedger(options, store, asides);
    } catch (error) {
      store.close();
      throw error;
    }
  }

  async begin(begin: Begin): Promise<number> {
    const key = tableKey(begin.table);
    await this.enter(key);
    try {
      const table = this.current.table(begin.table);
      const lost = this.asides > 0 && !table.known;
      const reset = lost || (begin.turn !== undefined && table.epoch < begin.turn.since);
      if (reset) table.forget();
      const number = ++this.lastReading;
      const reading = await OpenReading.open(table, begin, { number, records: this.options.records, reset });
      this.readings.set(number, reading);
      return number;
    } catch (error) {
      this.leave(key);
      throw this.noticed(error);
    }
  }

  async write(number: number, bytes: Uint8Array): Promise<void> {
    try {
      await this.reading(number).write(bytes);
    } catch (error) {
      this.drop(number);
      throw error;
    }
  }

  async end(number: number, time: ListTime): Promise<TakenOver> {
    const reading = this.reading(number);
    try {
      await reading.end(time.now);
      // The store may have been set aside meanwhile.
      this.reading(number);
    } catch (error) {
      this.drop(number);
      throw error;
    }
    this.readings.delete(number);
    try {
      return await this.current.take(reading, time);
    } finally {
      this.leave(reading.table.key);
    }
  }

  async abort(number: number): Promise<void> {
    this.drop(number);
  }

  async next(sink: string, maxRecords: number): Promise<Portion | undefined> {
    try {
      return this.current.spool.next(sink, maxRecords);
    } catch (error) {
      throw this.noticed(error);
    }
  }

  async acknowledge(sink: string, position: number): Promise<void> {
    this.current.acknowledge(sink, position);
  }

  async status(): Promise<LedgerStatus> {
    return { ...this.current.spool.status, setAside: this.asides };
  }

  async close(listed: number | undefined): Promise<void> {
    await this.current.close(listed);
  }

  /** An error of reading the store; a store that turns out to be broken is set aside. */
  private noticed(error: unknown): unknown {
    if (isBroken(error)) this.startAnew();
    return error;
  }

  /** Sets the store aside and goes on with an empty one. Numbers and epochs go on, so that nothing has the id of another. */
  private startAnew(): void {
    for (const number of [...this.readings.keys()]) this.drop(number);
    const { spool } = this.current;
    this.current.giveUp(new Error(GIVEN_UP));
    const wall = this.options.wall + ++this.asides;
    this.store = this.store.startAnew(wall);
    const options = { ...this.options, wall };
    this.current = OpenStore.load(this.store, options, spool.last, () => this.startAnew()).open;
  }

  private reading(number: number): OpenReading {
    const reading = this.readings.get(number);
    if (!reading) throw new Error(GIVEN_UP);
    return reading;
  }

  private drop(number: number): void {
    const reading = this.readings.get(number);
    if (!reading) return;
    this.readings.delete(number);
    reading.table.forget();
    this.leave(reading.table.key);
  }

  private async enter(table: string): Promise<void> {
    for (let other = this.busy.get(table); other; other = this.busy.get(table)) await other.free;
    let leave = (): void => {};
    const free = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.busy.set(table, { free, leave });
  }

  private leave(table: string): void {
    this.busy.get(table)?.leave();
    this.busy.delete(table);
  }
}

const GIVEN_UP = "The list was given up, since the state had to be set aside; it is read again.";
