import { type Clock, systemClock } from "../client/clock";
import { SHARED_FOR_MS } from "./times";

/**
 * One answer for all who ask within {@link SHARED_FOR_MS}, as long as no write of ours came in between.
 * A failed answer is shared by those who already wait for it and then forgotten.
 *
 * @example
 * ```ts
 * const lists = new SharedReads(() => client.listPrefixSet(url));
 * await Promise.all([lists.read(), lists.read()]);   // one request
 * ```
 */
export class SharedReads<T> {
  private kept: { readonly at: number; readonly answer: Promise<T>; readonly isOfWrite?: true } | undefined;

  constructor(
    private readonly ask: (options?: { readonly until?: number }) => Promise<T>,
    private readonly clock: Pick<Clock, "monotonic"> = systemClock,
  ) {}

  /**
   * The kept answer if it is young enough, else a new one.
   *
   * @param options `until`: the monotonic time at which asking for a new one ends; default: that of the other side's options.
   */
  read(options?: { readonly until?: number }): Promise<T> {
    if (this.kept && this.isYoung(this.kept.at)) return this.kept.answer;
    const kept = { at: this.clock.monotonic(), answer: this.ask(options) };
    this.kept = kept;
    kept.answer.catch(() => {
      if (this.kept === kept) this.kept = undefined;
    });
    return kept.answer;
  }

  /**
   * Answer to a read before the first write of this process, once and if it is young enough: then the write need not ask again.
   * `undefined` where there is none.
   */
  async take(): Promise<T | undefined> {
    const { kept } = this;
    if (!kept || kept.isOfWrite || !this.isYoung(kept.at)) return undefined;
    const answer = await kept.answer.catch(() => undefined);
    if (this.kept === kept) this.kept = undefined;
    return answer;
  }

  /** Forgets the answer; every write calls this before its first request. */
  forget(): void {
    this.kept = undefined;
  }

  /** Keeps an answer that a write obtained after its last request. */
  keep(answer: T): void {
    this.kept = { at: this.clock.monotonic(), answer: Promise.resolve(answer), isOfWrite: true };
  }

  private isYoung(at: number): boolean {
    return this.clock.monotonic() - at < SHARED_FOR_MS;
  }
}
