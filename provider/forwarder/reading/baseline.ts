import { type Details, isFurther, type MarkKey } from "../record/rows";

const FIRST_SIZE = 1_024;

/** Members of a mark that are compared and not numbers. */
interface Spoken {
  readonly status?: string;
  readonly exact?: Readonly<Record<string, string>>;
  /** The mark was reported as expired: all that follows, until it is active again, is silence. */
  readonly ended?: boolean;
}

/**
 * The marks of one table as the last reading found them, in columns: about 120 bytes a mark by source, so that a table of
 * a million takes no more than a program of middle size. Numbers that a node did not send are `NaN`.
 */
export class Baseline {
  private readonly rows = new Map<MarkKey, number>();
  /** The mark of each row; `undefined` where a row is free. */
  private readonly keys: (MarkKey | undefined)[] = [];
  private readonly free: number[] = [];
  private at = -1;
  /** True once it has had a further mark of a key. Searching one for each new mark takes as long as all else of it. */
  hasFurther = false;
  ids = new Float64Array(FIRST_SIZE);
  values = new Float64Array(FIRST_SIZE);
  lifetimes = new Float64Array(FIRST_SIZE);
  /** In which reading each row was last found. */
  private readings = new Uint32Array(FIRST_SIZE);
  /** In which reading each row was last reported as `added`; 0: before this run. */
  private births = new Uint32Array(FIRST_SIZE);
  private readonly spoken = new Map<number, Spoken>();
  /** Lifetimes as they were listed, of a baseline whose {@link lifetimes} were reckoned forward when it was loaded. */
  private listedLifetimes: Map<number, number> | undefined;

  /** The row of a mark; `undefined` when the last reading did not have it. */
  row(key: MarkKey): number | undefined {
    // Lists mostly keep their order. Comparing with the next mark costs a fraction of finding one among many.
    const next = this.at + 1;
    const row = this.keys[next] === key ? next : this.rows.get(key);
    if (row !== undefined) this.at = row;
    return row;
  }

  /** The last lifetime that is known to have been listed. */
  listedLifetime(row: number): number {
    return this.listedLifetimes?.get(row) ?? (this.lifetimes[row] as number);
  }

  /** Notes that a lifetime was listed as `seconds`, and that its mark was not read since. */
  reckoned(row: number, seconds: number): void {
    this.listedLifetimes ??= new Map();
    this.listedLifetimes.set(row, seconds);
  }

  /** A whole list was taken over: all lifetimes are as listed. */
  allListed(): void {
    this.listedLifetimes = undefined;
  }

  spokenOf(row: number): Spoken | undefined {
    return this.spoken.size === 0 ? undefined : this.spoken.get(row);
  }

  /** Id, value and lifetime as the last reading found them. */
  numbersOf(row: number): [id: number, value: number, lifetime: number] {
    return [this.ids[row] as number, this.values[row] as number, this.lifetimes[row] as number];
  }

  readingOf(row: number): number {
    return this.readings[row] as number;
  }

  /**
   * In which reading a mark was last reported as `added`, 0: before this run; `undefined` of one that is not there.
   *
   * @param isEnded False of one that is active: after an end that was reported it is new.
   */
  bornIn(key: MarkKey, isEnded: boolean): number | undefined {
    const row = this.row(key);
    return row === undefined || (!isEnded && this.spokenOf(row)?.ended) ? undefined : this.births[row];
  }

  /** Notes that an expired mark is active again. */
  bornAgain(row: number, reading: number): void {
    this.births[row] = reading;
  }

  /** Adds a mark. Its key must be new. */
  add(key: MarkKey, reading: number): number {
    const row = this.free.pop() ?? this.rows.size;
    if (row === this.ids.length) this.grow();
    this.rows.set(key, row);
    this.hasFurther ||= isFurther(key);
    this.keys[row] = key;
    this.readings[row] = this.births[row] = reading;
    return row;
  }

  /** Notes that a reading found a mark, and with which numbers. */
  found(row: number, reading: number, id: number, value: number, lifetime: number): void {
    this.ids[row] = id;
    this.values[row] = value;
    this.lifetimes[row] = lifetime;
    this.readings[row] = reading;
  }

  speak(row: number, details: Details | undefined, ended: boolean): void {
    if (details?.status === undefined && details?.exact === undefined && !ended) {
      if (this.spoken.size > 0) this.spoken.delete(row);
      return;
    }
    const { status, exact } = details ?? {};
    this.spoken.set(row, { ...(status !== undefined && { status }), ...(exact && { exact }), ...(ended && { ended }) });
  }

  remove(key: MarkKey): void {
    const row = this.rows.get(key);
    if (row === undefined) return;
    this.rows.delete(key);
    this.keys[row] = undefined;
    this.spoken.delete(row);
    this.free.push(row);
  }

  /** Rows, free ones among them: their numbers begin with 0. */
  get rowCount(): number {
    return this.keys.length;
  }

  /** The mark of a row; `undefined` where it is free. */
  keyOf(row: number): MarkKey | undefined {
    return this.keys[row];
  }

  private grow(): void {
    const larger = <T extends Float64Array | Uint32Array>(old: T, copy: T): T => {
      copy.set(old);
      return copy;
    };
    const size = this.ids.length * 2;
    this.ids = larger(this.ids, new Float64Array(size));
    this.values = larger(this.values, new Float64Array(size));
    this.lifetimes = larger(this.lifetimes, new Float64Array(size));
    this.readings = larger(this.readings, new Uint32Array(size));
    this.births = larger(this.births, new Uint32Array(size));
  }
}
