import { type Clock, systemClock } from "../client/clock";
import type { Mark } from "../model/mark";

interface Kept {
  readonly answer: Promise<readonly Mark[]>;
  /** Arrival, by the monotonic clock; `undefined` before it. */
  endedAt?: number;
}

/**
 * Lists of marks that calls of a program share: one answer for all calls before it arrives and in the pause after it
 * (docs/contributing/contract.md#pace-of-mark-lists). Waiting calls share a failure, which is then forgotten.
 */
export class SharedMarks {
  private readonly lists = new Map<string, Kept>();

  constructor(private readonly clock: Pick<Clock, "monotonic"> = systemClock) {}

  /**
   * @param key Connection, table and `User-Arena`.
   * @param pauseMs Milliseconds for which an answer is shared.
   */
  async read(key: string, pauseMs: number, ask: () => Promise<readonly Mark[]>): Promise<Mark[]> {
    const shared = this.lists.get(key);
    if (shared && (shared.endedAt === undefined || this.clock.monotonic() - shared.endedAt < pauseMs)) {
      return [...(await shared.answer)];
    }
    const kept: Kept = { answer: ask() };
    this.lists.set(key, kept);
    try {
      const marks = await kept.answer;
      kept.endedAt = this.clock.monotonic();
      return [...marks];
    } catch (error) {
      if (this.lists.get(key) === kept) this.lists.delete(key);
      throw error;
    }
  }
}
