import type { Wall } from "./clock";

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
