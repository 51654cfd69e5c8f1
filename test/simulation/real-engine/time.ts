import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds of the scenario in one real millisecond. Its processes are real, so their time limits are divided by this. */
export const SPEED = 20;
/** Longest real pause, in milliseconds: longer than any delayed effect of a machine in a calm scenario. */
const PAUSE_MS = 60;

/** The time of a scenario that real processes play: faster than real time, and long pauses are skipped. */
export class RealTime {
  private readonly began = performance.now();
  private skipped = 0;

  /** Milliseconds since the start. */
  get now(): number {
    return (performance.now() - this.began) * SPEED + this.skipped;
  }

  /** Calls back once after so many milliseconds. Returns the function that cancels it. */
  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms / SPEED);
    timer.unref();
    return () => clearTimeout(timer);
  }

  async sleep(ms: number): Promise<void> {
    const real = Math.min(ms / SPEED, PAUSE_MS);
    await pause(real);
    this.skipped += ms - real * SPEED;
  }

  /** Real time passes by itself. */
  until<T>(work: Promise<T>): Promise<T> {
    return work;
  }

  /** Real time sees by itself that something happened. */
  moved(): void {}
}

/** The same value with every number whose name ends in `Ms` multiplied. */
export function scaled<T>(value: T, factor: number): T {
  const text = JSON.stringify(value, (name, member) =>
    typeof member === "number" && /[a-z]Ms$/.test(name) ? Math.max(1, Math.round(member * factor)) : member,
  );
  return JSON.parse(text) as T;
}
