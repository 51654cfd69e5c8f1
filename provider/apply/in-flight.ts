import { type Clock, pause, systemClock } from "../client/clock";
import {
  CHECK_PATIENCE,
  LONGEST_GATHERING_MS,
  LONGEST_WAIT,
  PATIENCE,
  RHYTHM_GAPS,
  type Wait,
  WITHOUT_RHYTHM,
} from "./times";

/** A group that waits for more callers. */
export interface Gathering {
  /** Milliseconds that a lone caller waits. */
  readonly commitCoalesceMs: number;
  /** Arrival of the first of the group, by the clock. */
  readonly since: number;
  /**
   * `complete`: all callers of the group were announced and no other is. `announced`: others may still join. `unknown`: a
   * caller came unannounced, as removals do, so this is unknown.
   */
  readonly expectedCallers: "complete" | "announced" | "unknown";
  /** True if all callers of the group are nodes of `PrefixSetGroup`s: other calls in flight are then not steps of the engine. */
  readonly areNodes?: boolean;
  /** When the engine last checked or compared a resource of the set, by the clock; `undefined` if it never did. */
  readonly checkedAt: number | undefined;
}

/**
 * All callers of this process that wait for an answer, of any kind. The engine carries out a limited number of
 * steps at a time: once that many callers are in flight, no other can come and there is no reason to wait.
 * The engine does not pass the number to providers; it is learnt from the first wait without an answer, announcement or arrival.
 */
export class InFlight {
  private callers = 0;
  /** Number of announced operations that have not come, over all groups. */
  private announced = 0;
  /** Number of callers in flight after which no other arrived. */
  private capacity: number | undefined;
  private readonly rhythm = new Rhythm();
  /** Of announcements: how quickly the engine goes from one resource to the next. */
  private readonly checking = new Rhythm();
  /** Counts arrivals, answers and announcements, so that a wait knows whether anything happened during it. */
  private events = 0;
  private readonly waits = new Set<() => void>();

  /**
   * @param usualCapacity Number of steps that the engine carries out at a time by default: with that many callers the first
   * wait is short. Default: unknown.
   */
  constructor(
    private readonly clock: Pick<Clock, "monotonic" | "sleep"> = systemClock,
    private readonly usualCapacity?: number,
  ) {}

  /** Adds a caller. If no other can come now, every wait ends. */
  arrive(): void {
    this.rhythm.arrive(this.now);
    this.callers += 1;
    this.events += 1;
    if (this.capacity !== undefined && this.callers > this.capacity) this.capacity = undefined;
    if (this.isFull) for (const close of [...this.waits]) close();
  }

  /** Removes callers that have their answers. */
  answer(callers: number): void {
    this.rhythm.pause();
    this.checking.pause();
    this.callers -= callers;
    this.events += 1;
  }

  /** Adds announced callers, or with a negative number removes those that came or will not come. */
  announce(callers: number): void {
    if (callers > 0) this.checking.arrive(this.now);
    this.announced += callers;
    this.events += 1;
  }

  /** Time by the clock of the waits. */
  get now(): number {
    return this.clock.monotonic();
  }

  /** True when no other caller can come before one is answered. */
  get isFull(): boolean {
    return this.callers === this.capacity;
  }

  /**
   * Waits for more callers; `close` is called once, when the wait has passed or as soon as no other caller can come.
   * The returned function ends the wait without a call.
   */
  wait(group: Gathering, close: () => void): () => void {
    const before = this.events;
    const wait = this.waitFor(group);
    const longest = Math.max(group.commitCoalesceMs, LONGEST_GATHERING_MS);
    const left = longest - (this.now - group.since);
    const ended = new AbortController();
    const end = () => {
      ended.abort();
      this.waits.delete(closeOnce);
    };
    const closeOnce = () => {
      end();
      close();
    };
    void pause(this.clock, Math.min(wait, left), ended.signal).then(() => {
      if (ended.signal.aborted) return;
      // Only a whole wait for possible callers shows that none can come.
      const isConclusive = group.expectedCallers !== "complete" && wait <= left;
      if (this.events === before && this.callers > 1 && isConclusive) this.capacity = this.callers;
      closeOnce();
    });
    this.waits.add(closeOnce);
    return end;
  }

  /** Milliseconds without an event after which a group closes. */
  private waitFor({ commitCoalesceMs, expectedCallers, areNodes = false, checkedAt = this.now }: Gathering): number {
    const isLone = this.callers === 1;
    const longest = waitMs(commitCoalesceMs, LONGEST_WAIT);
    if (expectedCallers === "complete") {
      // A busy engine takes longer from one resource to the next; nodes of one resource need not wait for it.
      const next = areNodes ? 0 : Math.min((this.checking.gap ?? 0) * CHECK_PATIENCE, longest);
      // The only checked resource, without a check since: the engine had free steps, and so no other resource.
      const passed = isLone || areNodes ? this.now - checkedAt : 0;
      return Math.max(0, Math.max(commitCoalesceMs, next) - passed);
    }
    if (isLone && expectedCallers === "unknown" && this.rhythm.isFirst) return commitCoalesceMs;
    // The engine continues to check resources while it has a free step, and keeps one checked resource waiting when it has none.
    const isUsual = this.callers === this.usualCapacity && this.announced <= 1;
    if (expectedCallers === "announced" && isUsual) return commitCoalesceMs;
    const shortest = waitMs(commitCoalesceMs, WITHOUT_RHYTHM);
    const gap = isLone && expectedCallers === "unknown" ? undefined : this.rhythm.gap;
    if (gap === undefined) return shortest;
    return Math.max(shortest, Math.min(gap * PATIENCE, longest));
  }
}

/** In milliseconds. A lone change never waits longer than a group does. */
function waitMs(commitCoalesceMs: number, { times, atMostMs }: Wait): number {
  return Math.max(commitCoalesceMs, Math.min(commitCoalesceMs * times, atMostMs));
}

/** The usual gap between two callers. Gaps with an answer in them do not count: the engine writes its state then. */
class Rhythm {
  private arrivals = 0;
  private gaps = 0;
  private sum = 0;
  /** When the last caller came; `undefined` once one was answered since. */
  private last: number | undefined;

  arrive(now: number): void {
    if (this.last !== undefined) {
      this.gaps += 1;
      this.sum += now - this.last;
    }
    this.arrivals += 1;
    this.last = now;
  }

  pause(): void {
    this.last = undefined;
  }

  /** True until a second caller has come. */
  get isFirst(): boolean {
    return this.arrivals <= 1;
  }

  /** In milliseconds; `undefined` while too few callers have come. */
  get gap(): number | undefined {
    return this.gaps < RHYTHM_GAPS ? undefined : this.sum / this.gaps;
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
