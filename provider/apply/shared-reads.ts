import { type Clock, systemClock } from "../client/clock";
import { SHARED_FOR_MS } from "./times";

/** Writes to what is read, by whichever connection of this process: each makes earlier answers out of date. */
export interface Writes {
  begun: number;
}

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
  private kept: Kept<T> | undefined;

  constructor(
    private readonly ask: (options?: { readonly until?: number }) => Promise<T>,
    private readonly clock: Pick<Clock, "monotonic"> = systemClock,
    private readonly writes: Writes = { begun: 0 },
  ) {}

  /** True once a write has begun. */
  get isWritten(): boolean {
    return this.writes.begun > 0;
  }

  /**
   * The kept answer if it is young enough, else a new one.
   *
   * @param options `until`: the monotonic time at which asking for a new one ends; default: that of the other side's options.
   */
  read(options?: { readonly until?: number }): Promise<T> {
    if (this.kept && this.isValid(this.kept)) return this.kept.answer;
    const kept = this.keepNow(this.ask(options));
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
    if (!kept || kept.isTaken || !this.isValid(kept)) return undefined;
    // It still serves reads until the write begins, if one does.
    kept.isTaken = true;
    return kept.answer.catch(() => undefined);
  }

  /** Forgets the answer of this connection. */
  forget(): void {
    this.kept = undefined;
  }

  /** Makes the earlier answers of all connections invalid; every write calls this before its first request. */
  beginWrite(): void {
    this.writes.begun += 1;
  }

  /** Keeps an answer that a write obtained after its last request. */
  keep(answer: T): void {
    this.keepNow(Promise.resolve(answer), true);
  }

  private keepNow(answer: Promise<T>, isTaken = false): Kept<T> {
    const kept = { at: this.clock.monotonic(), after: this.writes.begun, answer, isTaken };
    this.kept = kept;
    return kept;
  }

  private isValid({ at, after }: Kept<T>): boolean {
    return after === this.writes.begun && this.clock.monotonic() - at < SHARED_FOR_MS;
  }
}

interface Kept<T> {
  readonly at: number;
  /** Number of writes that had begun by then. */
  readonly after: number;
  readonly answer: Promise<T>;
  /** True if no write may take it: one has already, or it is of a write. */
  isTaken: boolean;
}
