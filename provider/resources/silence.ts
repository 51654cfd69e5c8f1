import { SHARED_FOR_MS } from "../batch/times";
import type { Clock } from "../client/clock";

/**
 * That a node did not answer a refresh which goes on without it. For a while the other resources of the node are not asked
 * about either: each would wait for its own time-out.
 */
export class Silence {
  private met: { readonly at: number; readonly words: string } | undefined;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** What the last list failed with, if that was a moment ago. */
  get words(): string | undefined {
    return this.met && this.clock.monotonic() - this.met.at < SHARED_FOR_MS ? this.met.words : undefined;
  }

  /** Remembers that the node did not answer. */
  keep(words: string): void {
    this.met = { at: this.clock.monotonic(), words };
  }
}
