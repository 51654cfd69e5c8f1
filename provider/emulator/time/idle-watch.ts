/** Calls back once when nothing was under way for so long, in real time. */
export class IdleWatch {
  private underWay = 0;
  private cancel = (): void => {};

  /** @param after Calls back after so many milliseconds, unless the function that it returns is called before. */
  constructor(
    private readonly idleMs: number,
    private readonly isIdle: () => void,
    private readonly after = unrefTimer,
  ) {
    this.wait();
  }

  /** Something begins, as a request. @returns the function to call at its end */
  begin(): () => void {
    this.underWay++;
    this.cancel();
    return () => {
      this.underWay--;
      if (this.underWay === 0) this.wait();
    };
  }

  /** Watches no more. */
  stop(): void {
    this.underWay = Number.POSITIVE_INFINITY;
    this.cancel();
  }

  private wait(): void {
    this.cancel = this.after(this.idleMs, () => {
      this.stop();
      this.isIdle();
    });
  }
}

/** Keeps no process from ending. */
function unrefTimer(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
}
