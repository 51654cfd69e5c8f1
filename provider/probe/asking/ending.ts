import type { World } from "../../client/world";
import { TIMING } from "../timing";

/** Thrown where the time is over: that of the whole run, or that of the cleaning up in the end. */
export class OutOfTime extends Error {}

/** When a probe ends: when the user says so, or when its time is over. What is cleaned up then has a time of its own. */
export class Ending {
  /** When the time is over, and when that of the cleaning up is. */
  private readonly end: number;
  private cleaned: number | undefined;

  constructor(
    private readonly world: Pick<World, "monotonic" | "sleep">,
    private readonly wholeMs: number,
    private readonly signal?: AbortSignal,
  ) {
    this.end = world.monotonic() + wholeMs;
  }

  /** From now on only what is calm goes on, and for so long. */
  clean(): void {
    this.cleaned ??= this.world.monotonic() + TIMING.mostCleanUp;
  }

  /** Why it is over; `undefined` where it is not. */
  get reason(): string | undefined {
    if (this.signal?.aborted) return "it was told to end";
    return this.world.monotonic() >= this.end ? this.tooLong : undefined;
  }

  /**
   * @param calm For the work that must be done when the user has asked to stop.
   * @throws {OutOfTime} @throws the signal's reason where the user has.
   */
  check(calm: boolean): void {
    const now = this.world.monotonic();
    if (this.cleaned !== undefined && now >= this.cleaned)
      throw new OutOfTime(`it could not be done within ${TIMING.mostCleanUp / 1_000} s`);
    if (calm) return;
    this.signal?.throwIfAborted();
    if (now >= this.end) throw new OutOfTime(this.tooLong);
  }

  /** Waits, ended by what ends the probe: a wait that the time left does not suffice for is cut. @throws as {@link check} */
  async sleep(ms: number, calm: boolean): Promise<void> {
    const left = this.untilFor(calm) - this.world.monotonic();
    if (ms > 0) await this.world.sleep(Math.max(0, Math.min(ms, left)), calm ? undefined : this.signal);
    this.check(calm);
  }

  /** What ends a request that is under way then. */
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
