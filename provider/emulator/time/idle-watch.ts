import type { Wall } from "./clock";

/** Calls back once when nothing was under way for so long, in real time. */
export class IdleWatch {
  private underWay = 0;
  private cancel = (): void => {};

  constructor(
    private readonly idleMs: number,
    private readonly isIdle: () => void,
    private readonly timer: Wall["timer"],
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

  stop(): void {
    this.underWay = Number.POSITIVE_INFINITY;
    this.cancel();
  }

  private wait(): void {
    this.cancel = this.timer(() => {
      this.stop();
      this.isIdle();
    }, this.idleMs);
  }
}
