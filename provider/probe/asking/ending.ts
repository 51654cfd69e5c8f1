import type { World } from "../../client/world";
import { TIMING } from "../timing";

/** Thrown when the time of the whole run, or of the cleaning up, is over. */
export class OutOfTime extends Error {}

/** Ends a probe when the user asks for it, or when its time is over. The cleaning up has a time of its own. */
export class Ending {
  private readonly end: number;
  private cleaned: number | undefined;

  constructor(
    private readonly world: Pick<World, "monotonic" | "sleep">,
    private readonly wholeMs: number,
    private readonly signal?: AbortSignal,
  ) {
    this.end = world.monotonic() + wholeMs;
  }

  /** Begins the time of the cleaning up. */
  clean(): void {
    this.cleaned ??= this.world.monotonic() + TIMING.mostCleanUp;
  }

  /** Reason of the end; `undefined` before it. */
  get reason(): string | undefined {
    if (this.signal?.aborted) return "it received a signal to end";
    return this.world.monotonic() >= this.end ? this.tooLong : undefined;
  }

  /**
   * @param calm True: for work that must be done although the user asked to stop.
   * @throws {OutOfTime} @throws the signal's reason.
   */
  check(calm: boolean): void {
    const now = this.world.monotonic();
    if (this.cleaned !== undefined && now >= this.cleaned)
      throw new OutOfTime(`it could not be done within ${TIMING.mostCleanUp / 1_000} s`);
    if (calm) return;
    this.signal?.throwIfAborted();
    if (now >= this.end) throw new OutOfTime(this.tooLong);
  }

  /** Waits until the end at most. @throws as {@link check} */
  async sleep(ms: number, calm: boolean): Promise<void> {
    const left = this.untilFor(calm) - this.world.monotonic();
    if (ms > 0) await this.world.sleep(Math.max(0, Math.min(ms, left)), calm ? undefined : this.signal);
    this.check(calm);
  }

  /** Limits of a request. */
  limitsFor(calm: boolean): { readonly signal?: AbortSignal; readonly until: number } {
    return { until: this.untilFor(calm), ...(!calm && this.signal && { signal: this.signal }) };
  }

  private untilFor(calm: boolean): number {
    return this.cleaned ?? (calm ? Number.POSITIVE_INFINITY : this.end);
  }

  private get tooLong(): string {
    return `it took longer than ${this.wholeMs / 60_000} min`;
  }
}
