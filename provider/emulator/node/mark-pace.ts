import { MARK_PAUSE_MS } from "../../model/mark";
import type { Dialect } from "../behaviour/dialect";
import type { RequestSummary } from "../journal/entry";

interface Table {
  /** Lists that are being answered. */
  running: number;
  /** When the last one was answered; `undefined` before. */
  ended: number | undefined;
}

/**
 * Watches the pace of mark lists, on the virtual clock: from the end of one list to the start of the next. The contract
 * does not say of what two lists the pace is, so it is watched for each table, and with `markPace: "node"` for all
 * together. A list that is refused for its pace does not begin the wait anew.
 */
export class MarkPace {
  private readonly tables = new Map<string, Table>();

  /** @param now Milliseconds of the virtual clock. */
  constructor(private readonly now: () => number) {}

  /**
   * @returns whether a list comes before its time; whole seconds to wait, only where the dialect refuses it then; and what is to be
   *   called when its answer is out: the three seconds begin then.
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

  /** Whole milliseconds left to wait; a part of one is the timer's of the caller. A clock that was set back says nothing. */
  private left({ running, ended }: Table): number {
    if (running > 0) return MARK_PAUSE_MS;
    if (ended === undefined || ended > this.now()) return 0;
    return Math.floor(Math.max(0, MARK_PAUSE_MS - (this.now() - ended)));
  }
}
