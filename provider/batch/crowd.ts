import { type Clock, systemClock } from "../client/clock";

/** Nobody else comes once this many times the usual gap between two callers has passed. */
const PATIENCE = 10;
/** The longest wait after a caller came, unless the quiet time itself is longer. */
const LONGEST_WAIT_MS = 1_000;
/** The longest wait before there is a gap to learn from, unless the quiet time itself is longer. */
const SHORT_WAIT_MS = 90;
/** Fewer gaps than these are no rhythm. */
const FEW_GAPS = 3;
/** The longest wait of the first member of a group, however many others join, unless the quiet time itself is longer. */
const LONGEST_GATHERING_MS = 5_000;
/** After this long without callers, the usual gap is learnt afresh. */
const FORGET_AFTER_MS = 2_000;

/** A group that waits for company. */
export interface Gathering {
  /** Milliseconds that a lone caller waits. */
  readonly quietMs: number;
  /** When the first of the group came, by the clock. */
  readonly since: number;
  /** `nobody` where all of the group were announced and nobody else is; `unknown` where a caller came unannounced, as removals do. */
  readonly awaits: "nobody" | "somebody" | "unknown";
}

/**
 * All callers of this process that wait for an answer, whatever they ask for. The engine carries out a limited number of
 * steps at a time: once that many callers are waiting, nobody else can come and there is no point in waiting for company.
 * Providers are not told the number; it is learnt from the first wait during which nobody was answered, announced or came.
 */
export class Crowd {
  private outstanding = 0;
  /** Who was announced and has not come, over all groups. */
  private expected = 0;
  /** The number of waiting callers at which nobody else came. */
  private full: number | undefined;
  private arrivals = 0;
  /** The gaps between callers, without those in which somebody was answered: the engine stands still before an answer. */
  private gaps = { count: 0, sum: 0 };
  private lastEvent: "arrival" | "answer" = "answer";
  private lastArrival = Number.NEGATIVE_INFINITY;
  /** Counts arrivals, answers and announcements, so that a wait knows whether anything happened during it. */
  private events = 0;
  private readonly gathering = new Set<() => void>();

  /**
   * @param usual How many steps the engine carries out at a time unless it is told otherwise: with so many callers the first
   * wait is a short one. By default it is not known.
   */
  constructor(
    private readonly clock: Pick<Clock, "monotonic" | "sleep"> = systemClock,
    private readonly usual?: number,
  ) {}

  /** Counts a caller in. If nobody else can come now, every wait ends. */
  arrive(): void {
    this.learnRhythm();
    this.outstanding += 1;
    this.events += 1;
    if (this.full !== undefined && this.outstanding > this.full) this.full = undefined;
    if (this.isFull) for (const close of [...this.gathering]) close();
  }

  /** Counts callers out, once they have their answers. */
  answer(callers: number): void {
    this.outstanding -= callers;
    this.events += 1;
    this.lastEvent = "answer";
  }

  /** Counts those who were announced. */
  expect(callers: number): void {
    this.expected += callers;
    this.events += 1;
  }

  /** True when nobody else can come before somebody is answered. */
  get isFull(): boolean {
    return this.outstanding === this.full;
  }

  /**
   * Waits for company; `close` is called once, after a quiet time or as soon as the crowd is full.
   * The returned function ends the wait without a call.
   */
  wait(group: Gathering, close: () => void): () => void {
    const before = this.events;
    const patience = this.patience(group);
    const left = Math.max(group.quietMs, LONGEST_GATHERING_MS) - (this.clock.monotonic() - group.since);
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
      // A wait that was cut short says nothing about who may still come, and neither does one for nobody.
      const isTelling = group.awaits !== "nobody" && patience <= left;
      if (this.events === before && this.outstanding > 1 && isTelling) this.full = this.outstanding;
      closeOnce();
    });
    this.gathering.add(closeOnce);
    return end;
  }

  private learnRhythm(): void {
    const now = this.clock.monotonic();
    if (this.outstanding === 0 && now - this.lastArrival > FORGET_AFTER_MS) {
      this.arrivals = 0;
      this.gaps = { count: 0, sum: 0 };
    }
    if (this.arrivals > 0 && this.lastEvent === "arrival") {
      this.gaps = { count: this.gaps.count + 1, sum: this.gaps.sum + now - this.lastArrival };
    }
    this.arrivals += 1;
    this.lastArrival = now;
    this.lastEvent = "arrival";
  }

  private patience({ quietMs, awaits }: Gathering): number {
    if (awaits === "nobody" || (awaits === "unknown" && this.arrivals <= 1)) return quietMs;
    // The engine goes on checking while it has a step to spare, and holds one resource in hand when it has none.
    if (awaits === "somebody" && this.outstanding === this.usual && this.expected <= 1) return quietMs;
    const short = Math.max(quietMs, Math.min(quietMs * 3, SHORT_WAIT_MS));
    const { count, sum } = this.gaps;
    if (count < FEW_GAPS || (awaits === "unknown" && this.outstanding === 1)) return short;
    const longest = Math.min(LONGEST_WAIT_MS, quietMs * PATIENCE * 4);
    return Math.max(short, Math.min(longest, (sum / count) * PATIENCE));
  }
}
