/** The run waits for something that no timer will bring. */
class Deadlock extends Error {}

/** Turns of the event loop without any activity after which nothing can run any more: an HTTP client answers two turns late. */
const QUIET_TURNS = 4;
/** Longest virtual time that a piece of work may take, in milliseconds: more than every deadline of the product. */
const LONGEST_MS = 4 * 3_600_000;
/** Timers of one piece of work; a run that needs more does not end. */
const MOST_TIMERS = 60_000;

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * Time that passes only while nothing can run: once all code waits, it jumps to the next timer. What happens, and in which order, follows from the timers
 * alone, whatever the machine does.
 */
export class VirtualTime {
  /** Milliseconds since the start. */
  now = 0;
  private order = 0;
  private activity = 0;
  private holders = 0;
  private readonly timers: Timer[] = [];

  /** Calls back after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void {
    const timer = { due: this.now + Math.max(0, ms), order: this.order, run };
    this.order += 1;
    this.moved();
    this.insert(timer);
    return () => {
      const place = this.timers.indexOf(timer);
      if (place >= 0) this.timers.splice(place, 1);
    };
  }

  /** A pause. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Holds the time while work is done outside of the simulation, which takes as long as it takes. */
  async held<T>(work: Promise<T>): Promise<T> {
    this.holders += 1;
    try {
      return await work;
    } finally {
      this.holders -= 1;
      this.moved();
    }
  }

  /** Notes that something ran, so that the time does not jump yet. */
  moved(): void {
    this.activity += 1;
  }

  /** Lets time pass until the work has ended. @throws {Deadlock} if it never will */
  async until<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    const end = this.now + LONGEST_MS;
    let timers = 0;
    for (;;) {
      await this.quiet(() => isOver);
      if (isOver) return work;
      const next = this.timers.shift();
      timers += 1;
      if (!next || next.due > end || timers > MOST_TIMERS) throw new Deadlock("the run does not end");
      this.now = Math.max(this.now, next.due);
      this.moved();
      next.run();
    }
  }

  /** Waits until nothing runs any more. */
  private async quiet(isOver: () => boolean): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS && !isOver(); turns += 1) {
      const before = this.activity;
      await new Promise((resolve) => setImmediate(resolve));
      if (this.activity !== before || this.holders > 0) turns = 0;
    }
  }

  /** In the order of due times; equal ones in the order in which they were set. */
  private insert(timer: Timer): void {
    let [low, high] = [0, this.timers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.timers[middle] as Timer).due <= timer.due) low = middle + 1;
      else high = middle;
    }
    this.timers.splice(low, 0, timer);
  }
}
