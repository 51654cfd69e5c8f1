import { MARK_TYPES, type MarkType } from "../../model/mark";
import { Prefix } from "../../model/prefix";
import { MARKS } from "../defaults";
import type { PacketView } from "../packets/packet";
import { hasAddressIn, packetKey, readKey, recordKey } from "./mark-key";
import { type MarkFormat, MarkList } from "./mark-list";
import type { MarkRecord, MarkRecords } from "./mark-record";
import { type HeldMark, type MarkChange, MarkTable, type MarkTableOptions } from "./mark-table";

/** Bytes that a record takes, roughly: the record, its key and its places in the table. */
const RECORD_BYTES = 400;

/** How a {@link MarkStore} is made. */
export interface MarkStoreOptions {
  /** The clock: milliseconds. The store has no timers; it catches up whenever it is asked something. */
  readonly now: () => number;
  /** Records per table and address family, expired ones included. Default 1 048 576. */
  readonly capacity?: number;
  /** Seconds that an expired record is kept. Default 60. */
  readonly keepExpired?: number;
  /**
   * What a new record does in a full table. Default `"evict"`: it takes the place of the record that expired longest ago;
   * else of the one whose lifetime ends soonest, to the second; records that never end come last, the oldest first.
   * `"refuse"`: it is not made.
   */
  readonly onFull?: "evict" | "refuse";
}

/** What a rule does to the record that a packet has in a table. */
export interface MarkAction extends MarkChange {
  readonly type: MarkType;
}

/** Which records of a table. */
export interface MarkFilter {
  /** Only those of rules with this id. */
  readonly id?: number;
  /** Only those with this address, or with one of this prefix: as source, destination or the only one. */
  readonly contains?: string;
}

/** What a full table did to records. */
export interface MarkLosses {
  /** Records, alive until then, that gave way to new ones. */
  readonly evicted: number;
  /** New records that were not made. */
  readonly refused: number;
}

/** Which record of a packet a rule looks for. */
export interface MarkQuery {
  readonly type: MarkType;
  /** Absent: any. */
  readonly id?: number;
  /** Whether the record's value is one that the rule wants. */
  readonly wanted: (value: number) => boolean;
}

/**
 * The marks of one profile: the tables `shost`, `dhost`, `sdhost` and `conn`, for IPv4 and IPv6.
 *
 * @example
 * ```ts
 * const marks = new MarkStore({ now: () => clock.now() });
 * marks.import({ shost: [{ address: "203.0.113.45", id: 70001, value: 1234, lifetime: 3600 }] });
 * for (const chunk of marks.list("shost")) response.write(chunk);
 * ```
 */
export class MarkStore {
  private readonly tables = new Map<MarkType, { 4?: MarkTable; 6?: MarkTable }>(MARK_TYPES.map((type) => [type, {}]));
  private readonly limits: MarkTableOptions;

  constructor(private readonly options: MarkStoreOptions) {
    const { capacity = MARKS.capacity, keepExpired = MARKS.keepExpired, onFull = MARKS.onFull } = options;
    if (!(Number.isInteger(capacity) && capacity >= 1))
      throw new TypeError("`capacity` must be an integer of at least 1");
    if (!(keepExpired >= 0)) throw new TypeError("`keepExpired` must be a number of seconds, 0 or more");
    this.limits = { capacity, keepExpired: keepExpired * 1000, onFull };
  }

  /**
   * All records of a table as JSON, in chunks of at most 256 KiB; see {@link MarkFormat}. Records are read while the
   * chunks are taken: one that is there from beginning to end is listed once, times are those of the call.
   */
  list(type: MarkType, format: MarkFormat = {}): MarkList {
    const tables = this.tables.get(type) ?? {};
    const now = this.options.now();
    for (const table of Object.values(tables)) table.advance(now);
    return new MarkList({ type, tables, format, now });
  }

  /** The records of a table, expired ones included. For state files and tests: each record becomes an object. */
  *records(type: MarkType, { id, contains }: MarkFilter = {}): Generator<MarkRecord, void> {
    const now = this.options.now();
    const hasAddress = contains === undefined ? undefined : hasAddressIn(type, Prefix.parse(contains));
    for (const family of [4, 6] as const) {
      for (const mark of this.tables.get(type)?.[family]?.records() ?? []) {
        if (!(mark.expires + this.limits.keepExpired > now)) continue;
        if (id !== undefined && mark.id !== id) continue;
        if (hasAddress && !hasAddress(family, mark.key)) continue;
        yield asRecord(type, family, mark, now);
      }
    }
  }

  /** The live records with the largest values, largest first, of one id or of all; no others become objects. */
  largest(type: MarkType, limit: number, id?: number): MarkRecord[] {
    const now = this.options.now();
    let found: { family: 4 | 6; mark: HeldMark }[] = [];
    const keepLargest = () => {
      found = found.sort((a, b) => b.mark.value - a.mark.value).slice(0, limit);
    };
    for (const family of [4, 6] as const) {
      for (const mark of this.tables.get(type)?.[family]?.records() ?? []) {
        if (mark.expires > now && (id === undefined || mark.id === id)) found.push({ family, mark });
        // Sorting now and then instead of placing each: a million records are never all here.
        if (found.length >= limit + 4_096) keepLargest();
      }
    }
    keepLargest();
    return found.map(({ family, mark }) => asRecord(type, family, mark, now));
  }

  /** How many live records each id has; ids without any are left out. */
  ids(type: MarkType): Map<number, number> {
    const total = new Map<number, number>();
    const now = this.options.now();
    for (const table of Object.values(this.tables.get(type) ?? {})) {
      for (const [id, records] of table.liveById(now)) if (records > 0) total.set(id, (total.get(id) ?? 0) + records);
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
   * Puts records into the tables, over those with the same key and id; others stay.
   *
   * @throws {TypeError} naming the record, when an address is missing or none. Records before it are put.
   */
  import(records: MarkRecords): void {
    for (const type of MARK_TYPES) for (const record of records[type] ?? []) this.put(type, record);
  }

  /** Puts one record; false when a full table refused it. Errors as in {@link import}. */
  put(type: MarkType, record: MarkRecord): boolean {
    const now = this.options.now();
    const { family, key } = recordKey(type, record);
    const { id, value = 1, lifetime = Number.POSITIVE_INFINITY, age = 0, expiredFor } = record;
    const expires = now + 1000 * (expiredFor === undefined ? lifetime : -expiredFor);
    const mark = { key, id, value, created: now - age * 1000, expires };
    return this.table(type, family).put(mark, now) !== undefined;
  }

  /** How many records a table holds now. */
  count(type: MarkType): { active: number; expired: number } {
    const now = this.options.now();
    const total = { active: 0, expired: 0 };
    for (const table of Object.values(this.tables.get(type) ?? {})) {
      const { active, expired } = table.count(now);
      total.active += active;
      total.expired += expired;
    }
    return total;
  }

  /** Records that a table holds at most of an address family. */
  get capacity(): number {
    return this.limits.capacity;
  }

  /** What a table lost because it was full, since it was made. */
  losses(type: MarkType): MarkLosses {
    const total = { evicted: 0, refused: 0 };
    for (const { evicted, refused } of Object.values(this.tables.get(type) ?? {})) {
      total.evicted += evicted;
      total.refused += refused;
    }
    return total;
  }

  /** Bytes in use by tables, by their number of records, without kept lists. */
  get bytes(): number {
    let records = 0;
    for (const families of this.tables.values()) for (const table of Object.values(families)) records += table.size;
    return records * RECORD_BYTES;
  }

  /**
   * What a mark action of a rule does: makes or changes the record that the packet has in the table, once for each of the
   * packets that it stands for.
   *
   * @returns the record's value now, or `undefined` when a full table refused it.
   */
  touch(action: MarkAction, packet: PacketView, now: number): number | undefined {
    const { type } = action;
    return this.table(type, packet.family).touch(packetKey(type, packet), action, now, packet.count)?.value;
  }

  /** True when the packet has a live record of this kind. */
  matches({ type, id, wanted }: MarkQuery, packet: PacketView, now: number): boolean {
    const table = this.tables.get(type)?.[packet.family];
    return table?.matches(packetKey(type, packet), now, id, wanted) ?? false;
  }

  /** Tables are made when their first record is: most profiles use one or two of the eight. */
  private table(type: MarkType, family: 4 | 6): MarkTable {
    const families = this.tables.get(type) as { 4?: MarkTable; 6?: MarkTable };
    families[family] ??= new MarkTable(this.limits);
    return families[family];
  }
}

/** A record in the form of a state file. */
function asRecord(
  type: MarkType,
  family: 4 | 6,
  { key, id, value, created, expires }: HeldMark,
  now: number,
): MarkRecord {
  const record: { -readonly [Member in keyof MarkRecord]: MarkRecord[Member] } = {
    ...readKey(type, family, key),
    id,
    value,
  };
  if (expires <= now) record.expiredFor = (now - expires) / 1000;
  else if (expires < Number.POSITIVE_INFINITY) record.lifetime = (expires - now) / 1000;
  record.age = Math.max(0, now - created) / 1000;
  return record;
}
