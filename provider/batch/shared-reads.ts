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
  private kept: { readonly at: number; readonly answer: Promise<T> } | undefined;

  constructor(
    private readonly ask: () => Promise<T>,
    private readonly clock: Pick<Clock, "monotonic"> = systemClock,
  ) {}

  /** The kept answer if it is young enough, else a new one. */
  read(): Promise<T> {
    if (this.kept && this.clock.monotonic() - this.kept.at < SHARED_FOR_MS) return this.kept.answer;
    const kept = { at: this.clock.monotonic(), answer: this.ask() };
    this.kept = kept;
    kept.answer.catch(() => {
      if (this.kept === kept) this.kept = undefined;
    });
    return kept.answer;
  }

  /** Forgets the answer; every write calls this before its first request. */
  forget(): void {
    this.kept = undefined;
  }

  /** Keeps an answer that a write obtained after its last request. */
  keep(answer: T): void {
    this.kept = { at: this.clock.monotonic(), answer: Promise.resolve(answer) };
  }
}

/** Tells whether something is being changed at the moment, and whether anything was since an earlier look. */
export class Activity {
  /** Grows with every change that begins and with every one that ends. */
  epoch = 0;
  private running = 0;
  private waiting: (() => void)[] = [];

  /** Carries out a change. */
  async during<T>(change: () => Promise<T>): Promise<T> {
    this.running += 1;
    this.epoch += 1;
    try {
      return await change();
    } finally {
      this.running -= 1;
      this.epoch += 1;
      if (this.running === 0) for (const go of this.waiting.splice(0)) go();
    }
  }

  /** Settles as soon as no change is under way. */
  async rest(): Promise<void> {
    while (this.running > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}
