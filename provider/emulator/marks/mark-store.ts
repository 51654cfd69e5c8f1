import { MARK_TYPES, type MarkType } from "../../model/mark";
import { Prefix } from "../../model/prefix";
import type { MarkLosses } from "../answer-types";
import { MARKS } from "../defaults";
import type { PacketView } from "../packet/packet";
import { hasAddressIn, packetKey, readKey, recordKey } from "./mark-key";
import type { MarkRecord, MarkRecords } from "./mark-record";
import { type HeldMark, type MarkChange, type MarkLimits, MarkTable } from "./mark-table";

/** Bytes that a record takes, roughly: the record, its key and its places in the table. */
const RECORD_BYTES = 400;

export interface MarkStoreOptions extends MarkLimits {
  /** The clock: milliseconds. The store has no timers; each call catches up. */
  readonly now: () => number;
}

/** Change by a rule to the record of a packet in a table. */
export interface MarkAction extends MarkChange {
  readonly type: MarkType;
}

/** Which records of a table. */
interface MarkFilter {
  readonly id?: number;
  /** Only those with this address, or with one of this prefix: as source, destination or the only one. */
  readonly contains?: string;
}

export type { MarkLosses } from "../answer-types";

/**
 * The marks of one profile: the tables `shost`, `dhost`, `sdhost` and `conn`, for IPv4 and IPv6.
 *
 * @example
 * ```ts
 * const marks = new MarkStore({ now: () => clock.now() });
 * marks.import({ shost: [{ address: "203.0.113.45", id: 70001, value: 1234, lifetime: 3600 }] });
 * marks.count("shost");   // { active: 1, expired: 0 }
 * ```
 */
export class MarkStore {
  private readonly tables: Readonly<Record<MarkType, Readonly<Record<4 | 6, MarkTable>>>>;
  private readonly limits: Required<MarkLimits>;

  constructor(private readonly options: MarkStoreOptions) {
    const { capacity = MARKS.capacity, keepExpired = MARKS.keepExpired, onFull = MARKS.onFull } = options;
    this.limits = { capacity, keepExpired, onFull };
    const tables = () => ({ 4: new MarkTable(this.limits), 6: new MarkTable(this.limits) });
    this.tables = { shost: tables(), dhost: tables(), sdhost: tables(), conn: tables() };
  }

  get now(): number {
    return this.options.now();
  }

  /**
   * The records of a table that are kept at a time, expired ones included. They are read while they are taken: one that is there from
   * beginning to end comes once.
   */
  *held(type: MarkType, now: number): Generator<{ family: 4 | 6; mark: HeldMark }, void> {
    for (const family of [4, 6] as const) {
      const table = this.tables[type][family];
      table.advance(now);
      for (const mark of table.records())
        if (mark.expires + 1000 * this.limits.keepExpired > now) yield { family, mark };
    }
  }

  /** The records of a table, expired ones included. For state files and tests: each record becomes an object. */
  *records(type: MarkType, filter?: MarkFilter): Generator<MarkRecord, void> {
    const { now } = this;
    for (const { family, mark } of this.filtered(type, now, filter)) yield asRecord(type, family, mark, now);
  }

  /** The live records with the largest values, largest first; no others become objects. */
  largest(type: MarkType, limit: number, filter?: MarkFilter): MarkRecord[] {
    const { now } = this;
    let found: { family: 4 | 6; mark: HeldMark }[] = [];
    const keepLargest = () => {
      found = found.sort((a, b) => b.mark.value - a.mark.value).slice(0, limit);
    };
    for (const held of this.filtered(type, now, filter)) {
      if (held.mark.expires > now) found.push(held);
      // Sorting now and then instead of placing each: a million records are never all here.
      if (found.length >= limit + 4_096) keepLargest();
    }
    keepLargest();
    return found.map(({ family, mark }) => asRecord(type, family, mark, now));
  }

  private *filtered(type: MarkType, now: number, { id, contains }: MarkFilter = {}) {
    const hasAddress = contains === undefined ? undefined : hasAddressIn(type, Prefix.parse(contains));
    for (const held of this.held(type, now)) {
      const { family, mark } = held;
      if ((id === undefined || mark.id === id) && (!hasAddress || hasAddress(family, mark.key))) yield held;
    }
  }

  /** Number of live records of each id; ids without any are left out. */
  ids(type: MarkType): Map<number, number> {
    const total = new Map<number, number>();
    for (const table of Object.values(this.tables[type])) {
      for (const [id, records] of table.liveById(this.now))
        if (records > 0) total.set(id, (total.get(id) ?? 0) + records);
    }
    return total;
  }

  /** Everything, in the form that {@link import} takes; tables without records are left out. */
  export(): MarkRecords {
    const all: Partial<Record<MarkType, MarkRecord[]>> = {};
    for (const type of MARK_TYPES) {
      const records = [...this.records(type)];
      if (records.length > 0) all[type] = records;
    }
    return all as MarkRecords;
  }

  /**
   * Puts new records into the tables.
   *
   * @throws {TypeError} naming the record, when an address is missing or none, when there is a record with its key and id, or no
   *   room. Records before it are put.
   */
  import(records: MarkRecords): void {
    for (const type of MARK_TYPES) {
      for (const record of records[type] ?? []) {
        const { family, key } = recordKey(type, record);
        const table = this.tables[type][family];
        const { id } = record;
        if (table.has(key, id))
          throw new TypeError(`two marks of ${type} are ${JSON.stringify({ ...readKey(type, family, key), id })}`);
        if (table.size >= this.capacity)
          throw new TypeError(`there are more marks of ${type} and IPv${family} than the capacity of ${this.capacity}`);
        this.put(type, record);
      }
    }
  }

  /** Puts one record, over one with the same key and id, unless a full table refuses it. @throws {TypeError} for an address. */
  put(type: MarkType, record: MarkRecord): void {
    const { now } = this;
    const { family, key } = recordKey(type, record);
    const { id, value = 1, lifetime = Number.POSITIVE_INFINITY, age = 0, expiredFor } = record;
    const expires = now + 1000 * (expiredFor === undefined ? lifetime : -expiredFor);
    const mark = { key, id, value, created: now - age * 1000, expires };
    this.tables[type][family].put(mark, now);
  }

  count(type: MarkType, now: number = this.now): { active: number; expired: number } {
    const [v4, v6] = [this.tables[type][4].count(now), this.tables[type][6].count(now)];
    return { active: v4.active + v6.active, expired: v4.expired + v6.expired };
  }

  /** Records that a table holds at most of an address family. */
  get capacity(): number {
    return this.limits.capacity;
  }

  /** Losses of a full table since it was made. */
  losses(type: MarkType): MarkLosses {
    const { 4: v4, 6: v6 } = this.tables[type];
    return { evicted: v4.evicted + v6.evicted, refused: v4.refused + v6.refused };
  }

  /** Bytes in use by tables, by their number of records. */
  get bytes(): number {
    const tables = Object.values(this.tables).flatMap((families) => Object.values(families));
    return RECORD_BYTES * tables.reduce((records, { size }) => records + size, 0);
  }

  /**
   * Carries out a mark action of a rule: makes or changes the record of the packet in the table, once for each of the
   * packets that it stands for.
   *
   * @returns the record's value now, or `undefined` when a full table refused it.
   */
  touch(action: MarkAction, packet: PacketView, now: number): number | undefined {
    const { type } = action;
    return this.tables[type][packet.family].touch(packetKey(type, packet), action, now, packet.count)?.value;
  }

  /** True when the packet has a live record with this id, or with any, and a value that is wanted. */
  matches(
    { type, id, valueMatches }: { type: MarkType; id?: number; valueMatches: (value: number) => boolean },
    packet: PacketView,
    now: number,
  ): boolean {
    return this.tables[type][packet.family].matches(packetKey(type, packet), now, id, valueMatches);
  }
}

/** A record in the form of a state file. */
function asRecord(type: MarkType, family: 4 | 6, mark: HeldMark, now: number): MarkRecord {
  const { key, id, value, created, expires } = mark;
  return {
    ...readKey(type, family, key),
    id,
    value,
    ...(expires <= now && { expiredFor: (now - expires) / 1000 }),
    ...(expires > now && expires < Number.POSITIVE_INFINITY && { lifetime: (expires - now) / 1000 }),
    age: Math.max(0, now - created) / 1000,
  };
}
