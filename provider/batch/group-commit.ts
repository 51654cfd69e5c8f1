import { realSchedule, type Schedule } from "./schedule";

/** What a flush says about one operation of its group. */
export type Settled<R> = { readonly ok: true; readonly value: R } | { readonly ok: false; readonly error: Error };

/** Carries out a group of operations at once and answers for each of them, in the same order. */
export type Flush<O, R> = (group: readonly O[]) => Promise<readonly Settled<R>[]>;

interface Waiting<O, R> {
  readonly operation: O;
  readonly resolve: (value: R) => void;
  readonly reject: (error: Error) => void;
}

type State =
  | { readonly name: "idle" }
  | { readonly name: "gathering"; readonly cancel: () => void }
  | { readonly name: "flushing" };

/**
 * Group commit: operations that arrive together are carried out together, one flush at a time.
 *
 * There is no fixed window. A group closes when nobody has joined it for a quiet time. Whatever arrives during a flush
 * belongs to the next group. Once two rounds had equally many callers at once (the engine's parallelism, learnt), a group
 * closes as soon as all of them wait, since nobody else can come before one of them is answered; and while some of a
 * known crowd are still missing, the quiet time is longer, so that a slow engine does not split them.
 *
 * @example
 * ```ts
 * const writer = new GroupCommit(async (group) => group.map((value) => ({ ok: true, value })), { quietMs: 30 });
 * await Promise.all([writer.submit("a"), writer.submit("b")]);   // one flush of ["a", "b"]
 * ```
 */
export class GroupCommit<O, R> {
  private waiting: Waiting<O, R>[] = [];
  private state: State = { name: "idle" };
  /** Callers without an answer now, the most of them in this round, and in the round before. */
  private outstanding = 0;
  private peak = 0;
  private formerPeak = 0;
  private crowd: number | undefined;

  constructor(
    private readonly flush: Flush<O, R>,
    private readonly options: {
      /** Milliseconds without a new arrival after which a group closes. */
      readonly quietMs: number;
      readonly schedule?: Schedule;
    },
  ) {}

  /** Joins the group that is gathering; settles with this operation's own result or error. */
  submit(operation: O): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ operation, resolve, reject });
      this.outstanding += 1;
      this.peak = Math.max(this.peak, this.outstanding);
      if (this.state.name !== "flushing") this.gather();
    });
  }

  /** Settles when nothing waits and nothing is in flight. */
  async idle(): Promise<void> {
    while (this.waiting.length > 0 || this.state.name === "flushing") {
      await new Promise<void>((resolve) => (this.options.schedule ?? realSchedule).after(5, resolve));
    }
  }

  private gather(): void {
    if (this.state.name === "gathering") this.state.cancel();
    if (this.crowd !== undefined && this.waiting.length >= this.crowd) {
      void this.run();
      return;
    }
    const schedule = this.options.schedule ?? realSchedule;
    this.state = { name: "gathering", cancel: schedule.after(this.quietTime(), () => void this.run()) };
  }

  private quietTime(): number {
    const { quietMs } = this.options;
    const someAreMissing = this.waiting.length < this.formerPeak;
    return someAreMissing ? Math.max(quietMs, Math.min(LONGEST_EXTENDED_MS, quietMs * 3)) : quietMs;
  }

  private async run(): Promise<void> {
    const group = this.waiting;
    this.waiting = [];
    this.state = { name: "flushing" };
    try {
      const results = await this.flush(group.map(({ operation }) => operation));
      group.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result?.ok) resolve(result.value);
        else reject(result?.error ?? new Error("The flush gave no answer for this operation."));
      });
    } catch (error) {
      for (const { reject } of group) reject(error instanceof Error ? error : new Error(String(error)));
    }
    this.outstanding -= group.length;
    this.learn();
    this.state = { name: "idle" };
    if (this.waiting.length > 0) this.gather();
  }

  private learn(): void {
    this.crowd = this.peak > 1 && this.peak === this.formerPeak ? this.peak : undefined;
    this.formerPeak = this.peak;
    this.peak = this.outstanding;
  }
}

/** A group that misses part of a known crowd waits at most this long for the next arrival, unless `quietMs` is longer. */
const LONGEST_EXTENDED_MS = 90;
