import { formatDuration } from "../../client/pauses";
import type { World } from "../../client/world";
import { TIMING } from "../timing";

/** Thrown when the time of the whole run, or of the cleaning up, is over. */
export class OutOfTime extends Error {}

/**
 * Ends a probe when the user asks for it, or when its time is over. The cleaning up has a time of its own, which nothing else
 * ends.
 */
export class Ending {
  private end: number;
  /** True from the begin of the cleaning up. */
  isCleaning = false;

  constructor(
    private readonly world: Pick<World, "monotonic" | "sleep">,
    private readonly wholeMs: number,
    private readonly given?: AbortSignal,
  ) {
    this.end = world.monotonic() + wholeMs;
  }

  clean(): void {
    if (!this.isCleaning) this.end = this.world.monotonic() + TIMING.mostCleanUp;
    this.isCleaning = true;
  }

  /** Reason of the end of the probe itself; `undefined` before it, and during the cleaning up. */
  get reason(): string | undefined {
    if (this.signal?.aborted) return "it received a signal to end";
    return !this.isCleaning && this.world.monotonic() >= this.end ? this.tooLong : undefined;
  }

  /** @throws {OutOfTime} @throws the signal's reason. */
  check(): void {
    this.signal?.throwIfAborted();
    if (this.world.monotonic() >= this.end) throw new OutOfTime(this.tooLong);
  }

  /** Waits until the end at most. @throws as {@link check} */
  async sleep(ms: number): Promise<void> {
    const left = this.end - this.world.monotonic();
    if (ms > 0) await this.world.sleep(Math.max(0, Math.min(ms, left)), this.signal);
    this.check();
  }

  get limits(): { readonly signal?: AbortSignal; readonly until: number } {
    return { until: this.end, ...(this.signal && { signal: this.signal }) };
  }

  private get signal(): AbortSignal | undefined {
    return this.isCleaning ? undefined : this.given;
  }

  private get tooLong(): string {
    return this.isCleaning
      ? `it could not be done within ${formatDuration(TIMING.mostCleanUp)}`
      : `it took longer than ${this.wholeMs / 60_000} min`;
  }
}
