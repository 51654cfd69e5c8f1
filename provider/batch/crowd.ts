import { type Clock, systemClock } from "../client/clock";

/** Nobody else is expected once this many times the usual gap between two arrivals has passed. */
const PATIENCE = 20;
/** The longest wait after an arrival, unless the quiet time itself is longer. */
const LONGEST_WAIT_MS = 1_000;
/** The longest wait of a caller who is alone or one of a few, unless the quiet time itself is longer. */
const SHORT_WAIT_MS = 90;
/** Up to this many callers wait at most three quiet times; only the gaps between more of them are worth learning from. */
const FEW = 3;
/** The longest wait of the first member of a group, however many others join, unless the quiet time itself is longer. */
export const LONGEST_GATHERING_MS = 5_000;
/** After this long without callers, the usual gap is learnt afresh. */
const FORGET_AFTER_MS = 2_000;

/**
 * All callers of this process that wait for an answer, whatever they ask for. The engine carries out a limited number of
 * steps at a time: once that many callers are waiting, nobody else can come and there is no point in waiting for company.
 * Providers are not told the number; it is learnt from the first wait during which nobody was answered and nobody came.
 */
export class Crowd {
  private outstanding = 0;
  /** The number of waiting callers at which nobody else came. */
  private full: number | undefined;
  private arrivals = 0;
  private firstArrival = 0;
  private lastArrival = Number.NEGATIVE_INFINITY;
  /** Counts arrivals and answers, so that a wait knows whether anything happened during it. */
  private events = 0;
  private readonly gathering = new Set<() => void>();

  constructor(private readonly clock: Pick<Clock, "monotonic" | "sleep"> = systemClock) {}

  /** Counts a caller in. If nobody else can come now, every wait ends. */
  arrive(): void {
    const now = this.clock.monotonic();
    if (this.outstanding === 0 && now - this.lastArrival > FORGET_AFTER_MS) this.arrivals = 0;
    if (this.arrivals === 0) this.firstArrival = now;
    this.arrivals += 1;
    this.lastArrival = now;
    this.outstanding += 1;
    this.events += 1;
    if (this.full !== undefined && this.outstanding > this.full) this.full = undefined;
    if (this.isFull) for (const close of [...this.gathering]) close();
  }

  /** Counts callers out, once they have their answers. */
  answer(callers: number): void {
    this.outstanding -= callers;
    this.events += 1;
  }

  /** True when nobody else can come before somebody is answered. */
  get isFull(): boolean {
    return this.outstanding === this.full;
  }

  /**
   * Waits for company; `close` is called once, after a quiet time or as soon as the crowd is full.
   * The returned function ends the wait without a call.
   *
   * @param since When the first of the group arrived, by the clock.
   */
  wait({ quietMs, since }: { readonly quietMs: number; readonly since: number }, close: () => void): () => void {
    const before = this.events;
    const patience = this.patience(quietMs);
    const left = Math.max(quietMs, LONGEST_GATHERING_MS) - (this.clock.monotonic() - since);
    const ended = new AbortController();
    const end = () => {
      ended.abort();
      this.gathering.delete(closeOnce);
    };
    const closeOnce = () => {
      end();
      close();
    };
    const pause = this.clock.sleep(Math.max(0, Math.min(patience, left)), ended.signal).catch(() => undefined);
    void pause.then(() => {
      if (ended.signal.aborted) return;
      // A wait that was cut short says nothing about who may still come.
      if (this.events === before && this.outstanding > 1 && patience <= left) this.full = this.outstanding;
      closeOnce();
    });
    this.gathering.add(closeOnce);
    return end;
  }

  private patience(quietMs: number): number {
    if (this.arrivals <= 1) return quietMs;
    if (this.arrivals <= FEW || this.outstanding === 1) return Math.max(quietMs, Math.min(quietMs * 3, SHORT_WAIT_MS));
    const distance = (this.lastArrival - this.firstArrival) / (this.arrivals - 1);
    const longest = Math.min(LONGEST_WAIT_MS, quietMs * PATIENCE * 2);
    return Math.max(quietMs, Math.min(longest, Math.max(quietMs * 3, distance * PATIENCE)));
  }
}
