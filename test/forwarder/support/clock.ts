import { LONGEST_TIMER_MS } from "../../../provider/client/clock";
import type { ForwarderWorld } from "../../../provider/forwarder/world";

/** A clock that stands still until a test moves it: wall and monotonic time apart, as on a machine whose clock is set. */
export class TestClock implements ForwarderWorld {
  private passed = 1_000_000;
  private timers = new Map<number, { at: number; run: () => void }>();
  private lastTimer = 0;

  constructor(public wallTime = Date.UTC(2026, 0, 1)) {}

  readonly wall = (): number => this.wallTime;
  readonly monotonic = (): number => this.passed;
  readonly random = (): number => 0.5;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const cancel = this.after(ms, end);
      signal?.addEventListener("abort", end, { once: true });
    });
  };

  readonly after = (ms: number, run: () => void): (() => void) => {
    const number = ++this.lastTimer;
    // As Node does.
    const delay = ms > LONGEST_TIMER_MS ? 1 : ms;
    this.timers.set(number, { at: this.passed + delay, run });
    return () => void this.timers.delete(number);
  };

  /** Number of running timers. */
  get waiting(): number {
    return this.timers.size;
  }

  /** Lets time pass, and calls what is due, in its order. */
  advance(ms: number): void {
    const until = this.passed + ms;
    for (;;) {
      const [number, next] = [...this.timers].sort(([, a], [, b]) => a.at - b.at)[0] ?? [];
      if (number === undefined || !next || next.at > until) break;
      this.timers.delete(number);
      this.pass(Math.max(0, next.at - this.passed));
      next.run();
    }
    this.pass(until - this.passed);
  }

  /** Sets the machine's clock. */
  jump(ms: number): void {
    this.wallTime += ms;
  }

  private pass(ms: number): void {
    this.passed += ms;
    this.wallTime += ms;
  }
}

/**
 * Waits until something holds. Moves the clock a little now and then when one is
 * given, so that what waits for pauses goes on.
 */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  clock?: TestClock,
): Promise<T> {
  for (let turns = 0; turns < 50_000; turns++) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (clock && turns % 10 === 9) clock.advance(100);
    // Servers in other processes and the disk need real time; looking without a pause would take it from them.
    await new Promise((resolve) => (turns < 20 ? setImmediate(resolve) : setTimeout(resolve, 1)));
  }
  throw new Error("What was waited for did not happen.");
}

/**
 * The same for what happens in this process alone: time passes as fast as the event loop turns, a quarter of a second with
 * every ten turns.
 */
export async function passUntil(look: () => boolean, clock: TestClock): Promise<void> {
  for (let turns = 1; turns < 200_000; turns++) {
    if (look()) return;
    await new Promise((resolve) => setImmediate(resolve));
    if (turns % 10 !== 0) continue;
    await new Promise((resolve) => setTimeout(resolve, 1));
    clock.advance(250);
  }
  throw new Error("What was waited for did not happen.");
}
