/** At most `size` holders at a time, first come, first served. */
export class Slots {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(size: number) {
    this.free = size;
  }

  /**
   * Waits for a free slot and returns what gives it back (once; more calls do nothing).
   * Rejects with the signal's reason when it aborts first.
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.turn(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    };
  }

  private turn(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        const place = this.waiting.indexOf(proceed);
        if (place >= 0) this.waiting.splice(place, 1);
        reject(signal?.reason);
      };
      this.waiting.push(proceed);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }
}
