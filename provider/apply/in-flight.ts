import { type Clock, pause, systemClock } from "../client/clock";
import { LONGEST_GATHERING_MS, OTHERS_WAIT } from "./times";

/** A group that waits for more callers. */
export interface Gathering {
  /** Milliseconds that a lone caller waits. */
  readonly commitCoalesceMs: number;
  /** Arrival of the first of the group, by the clock. */
  readonly since: number;
  /** True if all callers of the group were announced and no other is. Removals come unannounced, so that others may join them. */
  readonly isComplete: boolean;
  /** True if all callers of the group are nodes of `PrefixSetGroup`s: other calls in flight are then not steps of the engine. */
  readonly areNodes: boolean;
  /** When the engine last checked or compared a resource of the set, by the clock; `undefined` if it never did. */
  readonly checkedAt: number | undefined;
}

/**
 * All callers of this process that wait for an answer, of any kind, and the wait of their groups. The engine carries out a
 * limited number of steps at a time: with that many callers in flight no other is likely to come.
 */
export class InFlight {
  private callers = 0;
  /** Number of announced operations that have not come, over all groups. */
  private announced = 0;

  /** @param usualCapacity Number of steps that the engine carries out at a time by default. Default: unknown. */
  constructor(
    private readonly clock: Pick<Clock, "monotonic" | "sleep"> = systemClock,
    private readonly usualCapacity?: number,
  ) {}

  arrive(): void {
    this.callers += 1;
  }

  /** Removes callers that have their answers. */
  answer(callers: number): void {
    this.callers -= callers;
  }

  /** Adds announced callers, or with a negative number removes those that came or will not come. */
  announce(callers: number): void {
    this.announced += callers;
  }

  /** Time by the clock of the waits. */
  get now(): number {
    return this.clock.monotonic();
  }

  /** Calls `close` when the wait for more callers has passed. The returned function ends the wait without a call. */
  wait(group: Gathering, close: () => void): () => void {
    const longest = Math.max(group.commitCoalesceMs, LONGEST_GATHERING_MS);
    const left = longest - (this.now - group.since);
    const ended = new AbortController();
    void pause(this.clock, Math.min(this.waitFor(group), left), ended.signal).then(() => {
      if (!ended.signal.aborted) close();
    });
    return () => ended.abort();
  }

  /** Milliseconds without an event after which a group closes. */
  private waitFor({ commitCoalesceMs, isComplete, areNodes, checkedAt = this.now }: Gathering): number {
    if (isComplete) {
      // The only checked resource, without a check since: the engine had free steps, and so no other resource.
      const passed = this.callers === 1 || areNodes ? this.now - checkedAt : 0;
      return Math.max(0, commitCoalesceMs - passed);
    }
    // The engine continues to check resources while it has a free step, and keeps one checked resource waiting when it has none.
    const isUsual = this.callers === this.usualCapacity && this.announced <= 1;
    const { times, atMostMs } = OTHERS_WAIT;
    return isUsual ? commitCoalesceMs : Math.max(commitCoalesceMs, Math.min(commitCoalesceMs * times, atMostMs));
  }
}

/**
 * Operations on one set that were announced and are neither begun nor withdrawn. The engine checks every resource before it
 * creates or updates it, so a check announces an operation, and a comparison without a difference withdraws it. Removals are
 * not announced. Some announced operations never come, for example those that a policy forbids: so each wait for them has a
 * limit.
 *
 * @example
 * ```ts
 * const announced = new Announced(inFlight);
 * announced.add("203.0.113.7/32");                        // checked
 * const wasAnnounced = announced.take("203.0.113.7/32");  // it comes
 * announced.drop("203.0.113.8/32");                       // compared: nothing is to be done, it does not come
 * ```
 */
export class Announced {
  /** When an operation was last announced or taken back; `undefined` before the first. */
  checkedAt: number | undefined;
  private readonly keys = new Set<string>();
  private changed: () => void = () => {};

  /** @param inFlight Counts all announcements of this process. */
  constructor(private readonly inFlight: InFlight) {}

  get size(): number {
    return this.keys.size;
  }

  /** Calls `changed` whenever more or fewer operations are announced. */
  watch(changed: () => void): void {
    this.changed = changed;
  }

  /** Announces an operation. A replacement is checked twice and carried out once; the key shows that. */
  add(key: string): void {
    this.checkedAt = this.inFlight.now;
    if (this.keys.has(key)) return;
    this.keys.add(key);
    this.inFlight.announce(1);
    this.changed();
  }

  /** Whether an operation is announced. */
  has(key: string): boolean {
    return this.keys.has(key);
  }

  /** The operation does not come: a comparison found no difference. */
  drop(key: string): void {
    this.checkedAt = this.inFlight.now;
    this.take(key);
  }

  /** The operation comes. False if it was not announced. */
  take(key: string): boolean {
    if (!this.keys.delete(key)) return false;
    this.inFlight.announce(-1);
    this.changed();
    return true;
  }
}
