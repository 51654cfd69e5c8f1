import { MARK_PAUSE_MS } from "../../model/mark";
import type { Dialect } from "../behaviour/dialect";
import type { RequestSummary } from "../journal/entry";

interface Table {
  /** Lists in progress. */
  running: number;
  /** Time of the last answer; `undefined` before the first. */
  ended: number | undefined;
}

/**
 * Checks the pace of mark lists on the virtual clock, from the end of one list to the start of the next. The contract does
 * not say between which lists, so the pace is per table, and with `markPace: "node"` for all tables. A list refused for its
 * pace does not restart the wait.
 */
export class MarkPace {
  private readonly tables = new Map<string, Table>();

  /** @param now Milliseconds of the virtual clock. */
  constructor(private readonly now: () => number) {}

  /**
   * @returns whether a list is too early; whole seconds to wait, if the dialect refuses it; and a function to call once its
   *   answer is sent, when the three seconds begin.
   */
  begin({ url, type }: Pick<RequestSummary, "url" | "type">, mode: Dialect["markPace"]) {
    const key = `${url} ${type}`;
    const own = this.tables.get(key) ?? { running: 0, ended: undefined };
    const watched = mode === "node" ? [...this.tables.values()] : [own];
    const left = Math.max(0, ...watched.map((table) => this.left(table)));
    if (left > 0 && mode !== "noted") return { tooSoon: true, retryAfter: Math.ceil(left / 1000), over: () => {} };
    own.running += 1;
    this.tables.set(key, own);
    const over = () => {
      own.running -= 1;
      own.ended = this.now();
    };
    return { tooSoon: left > 0, over };
  }

  /** Whole milliseconds to wait, since timers of callers round. 0 if the clock was set back. */
  private left({ running, ended }: Table): number {
    if (running > 0) return MARK_PAUSE_MS;
    if (ended === undefined || ended > this.now()) return 0;
    return Math.floor(Math.max(0, MARK_PAUSE_MS - (this.now() - ended)));
  }
}
