import { loadIdentity } from "./identity";
import { type LedgerOptions, type Opened, SpoolFull, type TakenOver } from "./protocol";
import type { SinkAccount } from "./sink-account";
import { Spool, type Takers } from "./spool";
import type { Store } from "./store";
import type { FinishedReading, TableState } from "./table-state";

/** A reading that waits for its place on the disk. */
export interface Finished {
  readonly reading: FinishedReading;
  resolve(taken: TakenOver): void;
  reject(error: unknown): void;
  /** There was no room for it, and marks of sinks were written that may have made some. */
  readonly isSecondTry?: true;
}

export interface Accepted extends Finished {
  readonly takers: Takers;
}

/** A store, and what memory holds of it. */
export type Work = ReturnType<typeof begin>;

/** Reads what a store holds; one that cannot be read is closed. @param least No batch has a smaller number. */
export function begin(store: Store, { sinks, wall }: LedgerOptions, least: number) {
  try {
    const { identity, ...found } = loadIdentity(store, wall);
    const spool = new Spool(store, sinks, least);
    const opened: Opened = { ...found, forgotten: spool.forgotten };
    return { store, spool, identity, opened, tables: new Map<string, TableState>() };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Decides which sinks get a reading; rejects one for which no sink has room. */
export function placed({ spool }: Work, one: Finished, reserved: Map<SinkAccount, number>): Accepted[] {
  const { list, table } = one.reading;
  const takers = spool.place(one.reading, reserved);
  if (takers) return [{ ...one, takers }];
  table.forget();
  one.reject(new SpoolFull(spool.takers(list.table).map(({ spec }) => spec.name)));
  return [];
}

/** Within a transaction: writes a reading. @returns what is to be done once it is on the disk. */
export function write({ spool, identity }: Work, { reading, takers, resolve }: Accepted): () => void {
  const { table, list, taken } = reading;
  const epoch = list.turn?.epoch ?? identity.epoch;
  const isNew = !table.known || table.epoch !== epoch;
  table.enter(epoch);
  const entries = spool.insert(reading, takers);
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  if (bytes > 0 || isNew) table.keep(reading, bytes);
  return () => {
    spool.note(reading, entries, takers);
    table.taken(reading);
    resolve({ ...taken, bytes });
  };
}
