import { MAX_VALUE } from "../../model/entry-value";
import { ExpiryWheel } from "./expiry-wheel";
import { KeyTable } from "./key-table";

const TICK = 1000;
const PURGE_AT_ONCE = 10_000;

/** What a rule does to the value of a record: `set` it, `add` to it, or raise it to at least the operand (`max`). */
export type ValueOperation = "set" | "add" | "max";

/** What a rule does to a record. */
export interface MarkChange {
  /** Of the record. */
  readonly id: number;
  readonly operation: ValueOperation;
  readonly operand: number;
  /** Milliseconds from now; `Infinity` for no end; absent: the end stays as it is (a new record has none). */
  readonly lifetime?: number;
}

/** A record without its key. Times are those of the clock; one whose `expires` is past has expired. */
export interface TimedRecord {
  readonly id: number;
  readonly value: number;
  readonly created: number;
  readonly expires: number;
}

/** Limits of a table. */
export interface MarkTableOptions {
  /** Records that the table holds at most, expired ones included. */
  readonly capacity: number;
  /** How long an expired record stays, in milliseconds. */
  readonly keepExpired: number;
  /** What a new record does in a full table: takes the place of another one, or is not made. */
  readonly onFull: "evict" | "refuse";
}

/**
 * The records of one type and address family, in columns. A key is an address, a pair or a 5-tuple; several records
 * of one key stand side by side when their ids differ, so that rules with different ids do not overwrite each other.
 *
 * Times are milliseconds of the clock. The table has no clock: every method that needs the time is told.
 */
export class MarkTable {
  values: Uint32Array;
  /** When a record was added. */
  created: Float64Array;
  /** When its lifetime ends; `Infinity` for never, NaN in a slot without a record. */
  expires: Float64Array;
  /** Rises with every change by packets or people (not by time). */
  version = 0;
  private readonly table: KeyTable;
  private readonly wheel: ExpiryWheel;
  /** Last word of a key. */
  private readonly idWord: number;
  /** Ids in use and how many records have each: for look-ups that do not name one. */
  private readonly ids = new Map<number, number>();
  private expired = 0;
  private now = 0;
  private isPurging = false;

  constructor(
    keyWords: number,
    now: number,
    readonly options: MarkTableOptions,
  ) {
    this.table = new KeyTable(keyWords + 1, (capacity) => this.grow(capacity));
    this.idWord = keyWords;
    this.wheel = new ExpiryWheel(Math.floor(now / TICK));
    const { capacity } = this.table;
    this.values = new Uint32Array(capacity);
    this.created = new Float64Array(capacity);
    this.expires = new Float64Array(capacity).fill(Number.NaN);
    this.wheel.grow(capacity);
  }

  /** Where the key of the next call is written: the words of the key, without the id. */
  get key(): Int32Array {
    return this.table.key;
  }

  /** All keys, {@link stride} words each: the key, then the id. */
  get keys(): Int32Array {
    return this.table.keys;
  }

  get stride(): number {
    return this.table.words;
  }

  /** All records are in slots below this one. */
  get used(): number {
    return this.table.used;
  }

  /** Bytes in use, room for growth included. */
  get bytes(): number {
    const columns = this.values.byteLength + this.created.byteLength + this.expires.byteLength;
    return columns + this.table.bytes + this.wheel.bytes;
  }

  /** The id of the record in `slot`. */
  idOf(slot: number): number {
    return (this.table.keys[slot * this.stride + this.idWord] as number) >>> 0;
  }

  /**
   * Makes or changes the record of {@link key} and the id, and returns its slot; -1 when a full table refuses a new one.
   * An expired record starts anew: its value from 0, its age from now.
   *
   * @param times How often the operand is added, with `add`.
   */
  touch({ id, operation, operand, lifetime }: MarkChange, now: number, times = 1): number {
    this.advance(now);
    this.table.key[this.idWord] = id | 0;
    let slot = this.table.find();
    let fresh = false;
    if (slot < 0) {
      slot = this.make(id);
      if (slot < 0) return -1;
      fresh = true;
    } else if ((this.expires[slot] as number) <= now) {
      if (this.wheel.isExpired(slot)) this.expired--;
      fresh = true;
    }
    if (fresh) {
      this.created[slot] = now;
      this.values[slot] = 0;
    }
    const value = this.values[slot] as number;
    // A counter stops at the largest value instead of starting over.
    if (operation === "add") this.values[slot] = Math.min(value + operand * times, MAX_VALUE);
    else if (operation === "set" || operand > value) this.values[slot] = operand;
    if (fresh || lifetime !== undefined) this.setEnd(slot, now + (lifetime ?? Number.POSITIVE_INFINITY));
    this.version++;
    return slot;
  }

  /** Puts a record as it is, over one that may be there. */
  put({ id, value, created, expires }: TimedRecord, now: number): number {
    const slot = this.touch({ id, operation: "set", operand: value }, now);
    if (slot < 0) return slot;
    this.created[slot] = created;
    this.setEnd(slot, expires);
    if (expires <= now) this.settleSlot(slot);
    return slot;
  }

  /** True when a live record of {@link key} has this id (`undefined`: any) and a value that is wanted. */
  matches(now: number, id: number | undefined, wanted: (value: number) => boolean): boolean {
    if (id !== undefined) return this.matchesId(now, id, wanted);
    for (const any of this.ids.keys()) if (this.matchesId(now, any, wanted)) return true;
    return false;
  }

  /** Removes the record of {@link key} and `id`; false when there is none. */
  delete(id: number): boolean {
    this.table.key[this.idWord] = id | 0;
    const slot = this.table.find();
    if (slot < 0) return false;
    this.free(slot);
    this.version++;
    return true;
  }

  /** Removes all records. */
  clear(): void {
    this.expires.fill(Number.NaN);
    this.table.clear();
    this.wheel.clear();
    this.ids.clear();
    this.expired = 0;
    this.version++;
  }

  /** Records at this moment. */
  count(now: number): { active: number; expired: number } {
    this.settle(now);
    let expired = 0;
    this.wheel.eachExpired((slot) => {
      if ((this.expires[slot] as number) + this.options.keepExpired > now) expired++;
    });
    return { active: this.table.size - this.expired, expired };
  }

  /** How many live records each id has. Costs as much as there are expired ones. */
  liveById(now: number): Map<number, number> {
    this.settle(now);
    const live = new Map(this.ids);
    this.wheel.eachExpired((slot) => {
      const id = this.idOf(slot);
      live.set(id, (live.get(id) ?? 0) - 1);
    });
    return live;
  }

  /** Lets time pass, to the second: enough for whatever compares the times of records on its own. */
  advance(now: number): void {
    this.now = now;
    const tick = Math.floor(now / TICK);
    if (tick <= this.wheel.cursor && !this.isPurging) return;
    this.wheel.advance(tick, this.settleSlot);
    this.purge();
  }

  /** Lets time pass, to the millisecond: for counts. */
  private settle(now: number): void {
    this.advance(now);
    this.wheel.peek(this.settleSlot);
    this.purge();
  }

  private matchesId(now: number, id: number, wanted: (value: number) => boolean): boolean {
    this.table.key[this.idWord] = id | 0;
    const slot = this.table.find();
    return slot >= 0 && (this.expires[slot] as number) > now && wanted(this.values[slot] as number);
  }

  private make(id: number): number {
    if (this.table.size >= this.options.capacity) {
      if (this.options.onFull === "refuse") return -1;
      const oldest = this.wheel.oldestExpired();
      this.free(oldest >= 0 ? oldest : this.wheel.nextDue());
    }
    this.ids.set(id, (this.ids.get(id) ?? 0) + 1);
    return this.table.add();
  }

  private setEnd(slot: number, expires: number): void {
    this.expires[slot] = expires;
    this.wheel.schedule(slot, Math.ceil(expires / TICK));
  }

  /** Puts a slot whose tick has come where its end says. */
  private readonly settleSlot = (slot: number): void => {
    const end = this.expires[slot] as number;
    if (end > this.now) this.wheel.schedule(slot, Math.ceil(end / TICK));
    else if (!this.wheel.isExpired(slot)) {
      this.wheel.expire(slot);
      this.expired++;
    }
  };

  /**
   * Frees expired records that have been kept long enough. They lie nearly in the order in which they ended, so the first
   * one that is still to be kept ends the walk. A record may be freed late: every reader compares its times and leaves it
   * out. At most {@link PURGE_AT_ONCE} are freed at a time, so that a million that end together do not stop everything else.
   */
  private purge(): void {
    for (let freed = 0; freed < PURGE_AT_ONCE; freed++) {
      const slot = this.wheel.oldestExpired();
      this.isPurging = slot >= 0 && (this.expires[slot] as number) + this.options.keepExpired <= this.now;
      if (!this.isPurging) return;
      this.free(slot);
    }
  }

  private free(slot: number): void {
    const id = this.idOf(slot);
    const others = (this.ids.get(id) ?? 1) - 1;
    if (others > 0) this.ids.set(id, others);
    else this.ids.delete(id);
    if (this.wheel.isExpired(slot)) this.expired--;
    this.wheel.remove(slot);
    this.expires[slot] = Number.NaN;
    this.table.remove(slot);
  }

  private grow(capacity: number): void {
    const values = new Uint32Array(capacity);
    const created = new Float64Array(capacity);
    const expires = new Float64Array(capacity).fill(Number.NaN);
    values.set(this.values);
    created.set(this.created);
    expires.set(this.expires);
    this.values = values;
    this.created = created;
    this.expires = expires;
    this.wheel.grow(capacity);
  }
}
