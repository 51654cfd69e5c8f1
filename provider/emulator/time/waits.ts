import type { Wall } from "./clock";

/** Waits in real time that all end when the emulator does. */
export class Waits {
  private readonly pending = new Set<() => void>();
  /** True once the emulator closes. */
  ended = false;

  constructor(private readonly wall: Wall) {}

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
    this.ended = true;
    for (const done of [...this.pending]) done();
  }
}
