import type { World } from "../../client/world";
import { TIMING } from "../timing";

/** Thrown where the time is over: that of the whole run, or that of the cleaning up in the end. */
export class OutOfTime extends Error {}

/** When a probe ends: when the user says so, or when its time is over. What is cleaned up then has a time of its own. */
export class Ending {
  private readonly began: number;
  private cleaning: number | undefined;

  constructor(
    private readonly world: Pick<World, "monotonic" | "sleep">,
    private readonly wholeMs: number,
    private readonly signal?: AbortSignal,
  ) {
    this.began = world.monotonic();
  }

  /** True where the user ended the probe. */
  get isAsked(): boolean {
    return this.signal?.aborted === true;
  }

  /** From now on only what is calm goes on, and for so long: a request that is under way then may take its time-out. */
  clean(timeoutMs: number): void {
    this.cleaning ??= this.world.monotonic() + Math.max(TIMING.leastCleanUp, TIMING.mostCleanUp - timeoutMs);
  }

  /**
   * @param calm For the work that must be done when the user has asked to stop.
   * @throws {OutOfTime} @throws the signal's reason where the user has.
   */
  check(calm: boolean): void {
    const now = this.world.monotonic();
    if (this.cleaning !== undefined && now > this.cleaning)
      throw new OutOfTime(`it could not be done within ${TIMING.mostCleanUp / 1_000} s`);
    if (calm) return;
    this.signal?.throwIfAborted();
    if (now - this.began > this.wholeMs) throw new OutOfTime(`it took longer than ${this.wholeMs / 60_000} min`);
  }

  /** Waits, ended by what ends the probe: a wait that the time left does not suffice for is cut. @throws as {@link check} */
  async sleep(ms: number, calm: boolean): Promise<void> {
    const left = this.cleaning === undefined ? ms : this.cleaning - this.world.monotonic() + 1;
    if (ms > 0) await this.world.sleep(Math.max(0, Math.min(ms, left)), calm ? undefined : this.signal);
    this.check(calm);
  }

  signalFor(calm: boolean): { readonly signal?: AbortSignal } {
    return !calm && this.signal ? { signal: this.signal } : {};
  }
}
