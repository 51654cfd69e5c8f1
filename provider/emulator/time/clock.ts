import { type Duration, milliseconds } from "./duration";

/**
 * The time of the machine as the emulator uses it, and the only way in which time comes into an emulator. Tests hand in
 * their own. Durations and deadlines are measured by `elapsed` and `timer`, never by `now`: the date of a machine can be set.
 */
export interface Wall {
  /** The date in milliseconds since 1970. Asked only where a date is meant: the virtual clock's first time, certificates. */
  now(): number;
  /** Milliseconds since any moment, parts of them too, which only ever grow. Default: `now`, for clocks that are never set. */
  elapsed?(): number;
  /** Calls back once after `ms`; never keeps the process alive. Returns what cancels it. */
  timer(run: () => void, ms: number): () => void;
}

export const systemWall: Wall = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  timer: (run, ms) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Reads the clock of a wall that measures durations. */
export function elapsed(wall: Wall): number {
  return wall.elapsed?.() ?? wall.now();
}

/** Longest wait of `setTimeout`, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

/**
 * The clock of everything that ages in an emulator: marks, leases, commits that apply late. It runs with real time until
 * it is frozen, and jumps when told to. It takes the machine's date once, at the start: setting that later changes nothing
 * here. What falls due in a jump happens in its order, each at its own time, before {@link advance} returns.
 *
 * @example
 * ```ts
 * emulator.clock.freeze("2026-12-01T00:00:00Z");
 * emulator.clock.advance("1h");
 * emulator.clock.now.toISOString();   // "2026-12-01T01:00:00.000Z"
 * ```
 */
export class VirtualClock {
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

  /** True while the time stands still. */
  get frozen(): boolean {
    return this.stopped !== undefined;
  }

  /**
   * Stops the time, now or at a given moment (moments in the past are allowed; nothing is undone by them).
   *
   * @throws {TypeError} for what is no time.
   */
  freeze(at?: Date | string | number): void {
    const moment = at === undefined ? this.ms : at === null ? Number.NaN : new Date(at).getTime();
    if (Number.isNaN(moment))
      throw new TypeError(`${JSON.stringify(at)} is not a time: write for example "2026-12-01T00:00:00Z".`);
    this.runUntil(moment);
    this.stopped = moment;
    this.arm();
  }

  /** Starts the time again from where it stands. */
  resume(): void {
    if (this.stopped === undefined) return;
    this.offset = this.stopped - this.elapsed();
    this.stopped = undefined;
    this.arm();
  }

  /** Jumps ahead, by milliseconds or a text such as `"1h"`. A frozen clock stays frozen. */
  advance(by: Duration): void {
    const target = this.ms + milliseconds(by);
    const running = this.stopped === undefined;
    this.runUntil(target);
    this.stopped = target;
    if (running) this.resume();
  }

  /** Calls `run` when `ms` of virtual time have passed. Returns what cancels it. */
  after(ms: number, run: () => void): () => void {
    const alarm = { due: this.ms + ms, run };
    const place = this.alarms.findIndex(({ due }) => due > alarm.due);
    this.alarms.splice(place < 0 ? this.alarms.length : place, 0, alarm);
    this.arm();
    return () => {
      this.alarms = this.alarms.filter((other) => other !== alarm);
    };
  }

  /** Forgets all that is planned; for the end of an emulator and for its reset. */
  clear(): void {
    this.alarms = [];
    this.disarm();
  }

  /** Back to real time, with nothing planned. */
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

  private runUntil(target: number): void {
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
    const wait = Math.min(Math.max(next.due - this.ms, 0), LONGEST);
    this.disarm = this.wall.timer(() => {
      const due = this.alarms.filter((alarm) => alarm.due <= this.ms);
      this.alarms = this.alarms.filter((alarm) => !due.includes(alarm));
      for (const alarm of due) alarm.run();
      this.arm();
    }, wait);
  }
}

/** Waits in real time that all end when the emulator does. */
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

  /** Calls back after so many real milliseconds; returns what cancels it. */
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
