import { type Duration, milliseconds } from "./duration";

/**
 * The machine's clock and timers, the only source of real time in an emulator; tests bring their own. Durations and
 * deadlines use `elapsed` and `timer`, never `now`, since the date of a machine can be changed.
 */
export interface Wall {
  /** The date in milliseconds since 1970. Only for dates: the initial time of the virtual clock, certificates. */
  now(): number;
  /** Milliseconds since a fixed moment, with fractions, which never decrease. Default: `now`, for clocks that are never changed. */
  elapsed?(): number;
  /** Calls back once after `ms` without keeping the process alive. Returns the function that cancels it. */
  timer(run: () => void, ms: number): () => void;
}

/** Longest wait of `setTimeout`, in milliseconds; it takes a longer one for 1 ms. */
const LONGEST = 2 ** 31 - 1;

export const systemWall: Wall = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  timer: (run, ms) => {
    let timer: NodeJS.Timeout;
    const wait = (left: number) => {
      const next = left > LONGEST ? () => wait(left - LONGEST) : run;
      timer = setTimeout(next, Math.min(left, LONGEST)).unref();
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** Elapsed milliseconds by a machine's clock. */
export function elapsed(wall: Wall): number {
  return wall.elapsed?.() ?? wall.now();
}

/** Latest time to which a clock can be set: long before the last date that JavaScript has. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** @throws {TypeError} for a time to which no clock can be set. */
export function checkMoment(ms: number): void {
  if (ms > LATEST) throw new TypeError("The virtual clock cannot be set to a time after the year 9999.");
}

/**
 * The clock for marks, leases and late commits of an emulator. It runs with real time until it is frozen, and can jump. It
 * reads the machine's date once, at the start, so later changes of the date have no effect. Events within a jump happen in
 * order, each at its own time, before {@link advance} returns.
 *
 * @example
 * ```ts
 * emulator.clock.freeze("2026-12-01T00:00:00Z");
 * emulator.clock.advance("1h");
 * emulator.clock.now.toISOString();   // "2026-12-01T01:00:00.000Z"
 * ```
 */
export class VirtualClock {
  /** In the order of their times. */
  private alarms: { readonly due: number; readonly run: () => void }[] = [];
  /** Virtual time minus the elapsed time of the machine, in milliseconds. */
  private offset: number;
  private stopped: number | undefined;
  private disarm: () => void = () => {};

  constructor(private readonly wall: Wall = systemWall) {
    this.offset = this.realOffset();
  }

  /** The virtual time. */
  get now(): Date {
    return new Date(this.ms);
  }

  /** The virtual time in milliseconds since 1970. */
  get ms(): number {
    return this.stopped ?? this.elapsed() + this.offset;
  }

  /** True while the clock is frozen. */
  get frozen(): boolean {
    return this.stopped !== undefined;
  }

  /**
   * Freezes the clock, now or at a given time; a time in the past undoes nothing.
   *
   * @throws {TypeError} for a wrong time, and for one after the year 9999.
   */
  freeze(at?: Date | string | number): void {
    const moment = at === undefined ? this.ms : at === null ? Number.NaN : new Date(at).getTime();
    if (Number.isNaN(moment))
      throw new TypeError(`${JSON.stringify(at)} is not a time: write for example "2026-12-01T00:00:00Z".`);
    this.jump(moment);
    this.stopped = moment;
    this.arm();
  }

  /** Lets the clock run again from its present time. */
  resume(): void {
    if (this.stopped === undefined) return;
    this.offset = this.stopped - this.elapsed();
    this.stopped = undefined;
    this.arm();
  }

  /**
   * Jumps forward by milliseconds or a text such as `"1h"`. A frozen clock stays frozen.
   *
   * @throws {TypeError} for a wrong duration, and for one that ends after the year 9999.
   */
  advance(by: Duration): void {
    const target = this.ms + milliseconds(by);
    const running = this.stopped === undefined;
    this.jump(target);
    this.stopped = target;
    if (running) this.resume();
  }

  /** Calls `run` after `ms` of virtual time. Returns the function that cancels it. */
  after(ms: number, run: () => void): () => void {
    const alarm = { due: this.ms + ms, run };
    this.alarms.splice(this.alarms.findLastIndex(({ due }) => due <= alarm.due) + 1, 0, alarm);
    this.arm();
    return () => {
      this.alarms = this.alarms.filter((other) => other !== alarm);
    };
  }

  /** Cancels all planned events, for the end of an emulator and for its reset. */
  clear(): void {
    this.alarms = [];
    this.disarm();
  }

  /** Returns to real time and cancels all planned events. */
  restart(): void {
    this.clear();
    this.offset = this.realOffset();
    this.stopped = undefined;
  }

  /** Whole milliseconds, as in dates: the unit of ages and lifetimes. */
  private elapsed(): number {
    return Math.floor(elapsed(this.wall));
  }

  private realOffset(): number {
    return this.wall.now() - this.elapsed();
  }

  private jump(target: number): void {
    checkMoment(target);
    for (let next = this.alarms[0]; next && next.due <= target; next = this.alarms[0]) {
      this.alarms.shift();
      this.stopped = Math.max(next.due, this.stopped ?? next.due);
      next.run();
    }
  }

  private arm(): void {
    this.disarm();
    const next = this.alarms[0];
    if (!next || this.frozen) return;
    const wait = Math.max(next.due - this.ms, 0);
    this.disarm = this.wall.timer(() => {
      const now = this.ms;
      const due = this.alarms.filter((alarm) => alarm.due <= now);
      this.alarms = this.alarms.slice(due.length);
      for (const alarm of due) alarm.run();
      this.arm();
    }, wait);
  }
}

/** Waits in real time, all of which end with the emulator. */
export class Waits {
  private readonly pending = new Set<() => void>();
  private readonly ending = new AbortController();

  constructor(private readonly wall: Wall) {}

  /** True once the emulator closes. */
  get ended(): boolean {
    return this.signal.aborted;
  }

  /** Aborts when the emulator closes. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Calls back after so many real milliseconds; returns the function that cancels it. */
  readonly timer = (run: () => void, ms: number): (() => void) => this.wall.timer(run, ms);

  for(ms: number): Promise<void> {
    if (this.ended || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.pending.delete(done);
        cancel();
        resolve();
      };
      const cancel = this.wall.timer(done, ms);
      this.pending.add(done);
    });
  }

  /** Ends every wait now, and every later one at once. */
  end(): void {
    this.ending.abort();
    for (const done of [...this.pending]) done();
  }
}
