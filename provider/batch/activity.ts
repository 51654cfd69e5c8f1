/** Tells whether something is being changed at the moment, and whether anything was since an earlier look. */
export class Activity {
  /** Grows with every change that begins and with every one that ends. */
  epoch = 0;
  private running = 0;
  private waiting: (() => void)[] = [];

  /** Carries out a change. */
  async during<T>(change: () => Promise<T>): Promise<T> {
    this.running += 1;
    this.epoch += 1;
    try {
      return await change();
    } finally {
      this.running -= 1;
      this.epoch += 1;
      if (this.running === 0) for (const go of this.waiting.splice(0)) go();
    }
  }

  /** Settles as soon as no change is under way. */
  async rest(): Promise<void> {
    while (this.running > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}
