import type { ArrivedList } from "../reading/arrived-list";
import { readMarks } from "../reading/reading";
import { tableKey } from "../table";
import { VOID_EPOCH } from "./identity";
import { recordsLeft } from "./left-spool";
import { OpenStore } from "./open-store";
import type { ChangingOptions, Ledger, LedgerOptions, LedgerStatus, Opened, SpooledBatch, TakenOver } from "./protocol";
import { isBroken } from "./sqlite";
import { Store, setAside } from "./store";
import type { FinishedReading } from "./table-state";

/**
 * The ledger in the store, in one thread. A list that has arrived is parsed as a whole, takes its place in its table's baseline
 * in memory, and then on the disk, together with its records. No other stretch of work is longer than a slice (see
 * `slices.ts`), but for the transaction.
 */
export class StoredLedger implements Ledger {
  /** Ends of the lists that are being read, by table: no two lists of one at a time. */
  private readonly underWay = new Map<string, Promise<void>>();
  private lastReading = 0;
  private current: OpenStore;
  /** A store that was set aside at work, until it is told. */
  private aside: string | undefined;

  private constructor(
    private options: LedgerOptions,
    store: Store,
    /** Stores that were set aside. Tables that had a baseline in one say so with a `reset`. */
    private asides: number,
  ) {
    this.current = new OpenStore(store, options, 0, () => this.startAnew());
  }

  /** Opens the store of a state folder; one that is broken is set aside, and the work begins anew. */
  static async open(options: LedgerOptions): Promise<{ ledger: StoredLedger; opened: Opened }> {
    const { file, wall } = options;
    try {
      const ledger = new StoredLedger(options, await Store.open(file, options), 0);
      return { ledger, opened: ledger.current.opened };
    } catch (error) {
      if (!isBroken(error)) throw error;
      const aside = setAside(file, wall);
      const ledger = new StoredLedger(options, await Store.open(file, options), 1);
      const opened = { ...ledger.current.opened, setAside: { file: aside, records: await recordsLeft(aside) } };
      return { ledger, opened };
    }
  }

  take(list: ArrivedList): Promise<TakenOver> {
    const key = tableKey(list.table);
    const taken = (this.underWay.get(key) ?? Promise.resolve()).then(() => this.read(list));
    const over = taken
      .catch(() => {})
      .then(() => {
        if (this.underWay.get(key) === over) this.underWay.delete(key);
      });
    this.underWay.set(key, over);
    return taken;
  }

  async next(...args: Parameters<Ledger["next"]>): Promise<readonly SpooledBatch[]> {
    return this.noticing(() => this.current.spool.next(...args));
  }

  async acknowledge(sink: string, position: number): Promise<void> {
    this.noticing(() => this.current.acknowledge(sink, position));
  }

  async status(): Promise<LedgerStatus> {
    const { aside } = this;
    const last = aside && { lastAside: { file: aside, records: await recordsLeft(aside) } };
    this.aside = undefined;
    this.current.retry();
    return { ...this.current.spool.status, freeBytes: this.current.store.freeBytes, setAside: this.asides, ...last };
  }

  configure(options: ChangingOptions): Promise<readonly string[]> {
    this.options = { ...this.options, ...options };
    return this.current.configure(options);
  }

  async close(listed: number | undefined): Promise<void> {
    await this.current.close(listed);
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

  /** Sets the store aside and goes on with an empty one. Numbers and epochs go on, so that nothing has the id of another. */
  private startAnew(): void {
    const { spool, store: broken, identity } = this.current;
    this.current.giveUp(new Error(GIVEN_UP));
    this.asides++;
    const wall = Math.max(this.options.wall, identity.epoch) + 1;
    const { store, aside } = broken.startAnew(wall);
    this.aside = aside;
    this.current = new OpenStore(store, { ...this.options, wall }, spool.last, () => this.startAnew());
  }

  private async read(list: ArrivedList): Promise<TakenOver> {
    const store = this.current;
    const table = store.table(list.table);
    const marks = readMarks(list);
    const lost = this.asides > 0 && !table.known;
    const isVoid = table.epoch === VOID_EPOCH || (list.turn !== undefined && table.epoch < list.turn.since);
    const reset = lost || isVoid;
    let reading: FinishedReading;
    try {
      const isWanted = store.spool.isWanted(list.table, list);
      const how = { records: this.options.records, reset, isWanted };
      reading = await table.compare(++this.lastReading, list, marks, how);
    } catch (error) {
      if (store !== this.current) throw new Error(GIVEN_UP);
      table.forget();
      if (isBroken(error)) this.startAnew();
      throw error;
    }
    if (store !== this.current) throw new Error(GIVEN_UP);
    return store.take(reading);
  }
}

const GIVEN_UP = "The list was given up, since the state had to be set aside; it is read again.";
