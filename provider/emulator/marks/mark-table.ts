import { MAX_VALUE } from "../../model/entry";

/** Change of a record's value by a rule: `set` it, `add` to it, or raise it to at least the operand (`max`). */
export type ValueOperation = "set" | "add" | "max";

export interface MarkChange {
  readonly id: number;
  readonly operation: ValueOperation;
  readonly operand: number;
  /** Milliseconds from now; `Infinity` for no end; absent: the end stays as it is (a new record has none). */
  readonly lifetime?: number;
}

/** The addresses, ports and protocol of a record as numbers, see `packetKey`. */
export type MarkKey = readonly number[];

/** A record. Times are milliseconds of the clock. It has expired once `expires` is past; `Infinity`: never. */
export interface HeldMark {
  readonly key: MarkKey;
  readonly id: number;
  /** Key and id as text. */
  readonly name: string;
  value: number;
  created: number;
  expires: number;
}

/** Limits of the tables of marks. */
export interface MarkLimits {
  /** Records per table and address family, expired ones included. Default 1 048 576. */
  readonly capacity?: number;
  /** Seconds that an expired record is kept. Default 60. */
  readonly keepExpired?: number;
  /**
   * Treatment of a new record in a full table. `"evict"`: it replaces the record that expired longest ago, else the one that
   * expires soonest (to the second), else the oldest of those without an end. `"refuse"`: it is not made. Default `"evict"`.
   */
  readonly onFull?: "evict" | "refuse";
}

/**
 * The records of one type and address family. One key may have several records with different ids, so that rules with
 * different ids do not overwrite each other.
 *
 * The table has no clock: methods take the time. Records are removed late, so every reader skips those that are no longer
 * kept.
 */
export class MarkTable {
  /** Live records that new ones replaced in the full table. */
  evicted = 0;
  /** New records that the full table refused. */
  refused = 0;
  private readonly byKey = new Map<string, HeldMark>();
  /** Records by the second in which they end, in the order of insertion. */
  private readonly byEnd = new Map<number, Set<HeldMark>>();
  /** Number of records of each id, for look-ups without an id. */
  private readonly ids = new Map<number, number>();
  private second = Number.NEGATIVE_INFINITY;

  constructor(private readonly limits: Required<MarkLimits>) {}

  get size(): number {
    return this.byKey.size;
  }

  /** True if there is a record of a key and id, expired or not. */
  has(key: MarkKey, id: number): boolean {
    return this.byKey.has(nameOf(key, id));
  }

  /** All records, in the order in which they first appeared. */
  records(): Iterable<HeldMark> {
    return this.byKey.values();
  }

  /**
   * Makes or changes the record of a key and id; `undefined` if a full table refuses a new one. An expired record restarts:
   * its value at 0, its age now.
   *
   * @param times Number of additions of the operand, with `add`.
   */
  touch(key: MarkKey, change: MarkChange, now: number, times = 1): HeldMark | undefined {
    this.advance(now);
    const { id, operation, operand, lifetime } = change;
    const name = nameOf(key, id);
    const mark = this.byKey.get(name) ?? this.make({ key, id, name }, now);
    if (!mark) return undefined;
    const isFresh = !(mark.expires > now);
    if (isFresh) {
      mark.value = 0;
      mark.created = now;
    }
    // A counter stops at the largest value and does not overflow.
    if (operation === "add") mark.value = Math.min(mark.value + operand * times, MAX_VALUE);
    else if (operation === "set" || operand > mark.value) mark.value = operand;
    if (isFresh || lifetime !== undefined) this.setEnd(mark, now + (lifetime ?? Number.POSITIVE_INFINITY));
    return mark;
  }

  /** Stores a record unchanged and replaces an existing one; `undefined` as in {@link touch}. */
  put({ key, id, value, created, expires }: Omit<HeldMark, "name">, now: number): HeldMark | undefined {
    const mark = this.touch(key, { id, operation: "set", operand: value, lifetime: expires - now }, now);
    if (mark) mark.created = created;
    return mark;
  }

  /** True if a live record of the key has this id (`undefined`: any) and a matching value. */
  matches(key: MarkKey, now: number, id: number | undefined, valueMatches: (value: number) => boolean): boolean {
    for (const any of id === undefined ? this.ids.keys() : [id]) {
      const mark = this.byKey.get(nameOf(key, any));
      if (mark && mark.expires > now && valueMatches(mark.value)) return true;
    }
    return false;
  }

  /** Records at this moment. */
  count(now: number): { active: number; expired: number } {
    let [ended, expired] = [0, 0];
    for (const { expires } of this.ended(now)) {
      ended += 1;
      if (expires + 1000 * this.limits.keepExpired > now) expired += 1;
    }
    return { active: this.size - ended, expired };
  }

  /** Number of live records of each id. The cost grows with the number of expired ones. */
  liveById(now: number): Map<number, number> {
    const live = new Map(this.ids);
    for (const { id } of this.ended(now)) live.set(id, (live.get(id) ?? 0) - 1);
    return live;
  }

  /** Removes expired records after their time, once each second. */
  advance(now: number): void {
    const second = Math.floor(now / 1000);
    if (second <= this.second) return;
    this.second = second;
    for (const [end, marks] of this.byEnd) {
      if (1000 * (end + this.limits.keepExpired) <= now) for (const mark of marks) this.remove(mark);
    }
  }

  private *ended(now: number): Generator<HeldMark, void> {
    for (const [end, marks] of this.byEnd) {
      if ((end - 1) * 1000 < now) for (const mark of marks) if (mark.expires <= now) yield mark;
    }
  }

  private make({ key, id, name }: Pick<HeldMark, "key" | "id" | "name">, now: number): HeldMark | undefined {
    if (this.size >= this.limits.capacity) {
      if (this.limits.onFull === "refuse") {
        this.refused += 1;
        return undefined;
      }
      this.removeFirst(now);
    }
    const mark = { key, id, name, value: 0, created: 0, expires: Number.NaN };
    this.byKey.set(name, mark);
    this.ids.set(id, (this.ids.get(id) ?? 0) + 1);
    return mark;
  }

  /** Removes the record with the earliest end, or the oldest of those without an end. */
  private removeFirst(now: number): void {
    let earliest = Number.POSITIVE_INFINITY;
    for (const end of this.byEnd.keys()) if (end < earliest) earliest = end;
    const [first] = this.byEnd.get(earliest) ?? [];
    if (!first) return;
    if (first.expires > now) this.evicted += 1;
    this.remove(first);
  }

  private setEnd(mark: HeldMark, expires: number): void {
    const end = Math.ceil(expires / 1000);
    if (end !== Math.ceil(mark.expires / 1000)) this.takeOut(mark);
    mark.expires = expires;
    const marks = this.byEnd.get(end) ?? new Set();
    this.byEnd.set(end, marks.add(mark));
  }

  private takeOut(mark: HeldMark): void {
    const end = Math.ceil(mark.expires / 1000);
    const marks = this.byEnd.get(end);
    marks?.delete(mark);
    if (marks?.size === 0) this.byEnd.delete(end);
  }

  private remove(mark: HeldMark): void {
    const others = (this.ids.get(mark.id) ?? 1) - 1;
    if (others > 0) this.ids.set(mark.id, others);
    else this.ids.delete(mark.id);
    this.byKey.delete(mark.name);
    this.takeOut(mark);
  }
}

const nameOf = (key: MarkKey, id: number) => `${key} ${id}`;
