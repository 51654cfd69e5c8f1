import { type Clock, systemClock } from "../client/clock";
import type { Mark } from "../model/mark";

interface Kept {
  readonly answer: Promise<readonly Mark[]>;
  /** When it had come, by the monotonic clock; `undefined` while it is under way. */
  endedAt?: number;
}

/**
 * Lists of marks that calls of a program share: one answer for all who ask while it is under way, or within the pause after
 * it (docs/contributing/contract.md#pace-of-mark-lists). A failure is shared by those who wait for it, and then forgotten.
 */
export class SharedMarks {
  private readonly lists = new Map<string, Kept>();

  constructor(private readonly clock: Pick<Clock, "monotonic"> = systemClock) {}

  /**
   * @param key What two calls must have in common: connection, table and `User-Arena`.
   * @param pauseMs How long an answer is shared after it has come.
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
