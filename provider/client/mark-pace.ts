import type { MarkType } from "../model/mark";
import { formatUrl, type MarkUrl } from "../model/resource-url";
import { type Clock, waitForCall } from "./clock";

/** Pause between lists of marks. */
export interface PaceOptions {
  /** Milliseconds from the end of one list to the start of the next. */
  readonly pauseMs: number;
  /** `"table"`: between lists of one table. `"node"`: between any two lists of marks. `"off"`: no list waits. */
  readonly by: "table" | "node" | "off";
}

/** Key of a mark table within its node. */
export function paceKey(url: MarkUrl, type: MarkType): string {
  return `${formatUrl(url)}/${type}`;
}

/** Lists of one table, or of all tables of a node. */
interface ListQueue {
  underWay: number;
  endedAt: number | undefined;
  readonly waiting: Set<() => void>;
}

/**
 * The pace of the lists of marks of one node, for all callers of the process
 * (docs/contributing/contract.md#pace-of-mark-lists). An abandoned list counts like any other, since the node worked for it.
 *
 * @example
 * ```ts
 * const leave = await pace.enter(paceKey(url, "shost"), { pauseMs: 3_000, by: "table" }, clock);
 * try { await listMarks(); } finally { leave(); }
 * ```
 */
export class MarkPace {
  private readonly all: ListQueue = { underWay: 0, endedAt: undefined, waiting: new Set() };
  private readonly tables = new Map<string, ListQueue>();

  /**
   * Waits until a list of the table may begin, and returns the function to call at its end.
   *
   * @param table See {@link paceKey}.
   * @throws the signal's reason when it aborts first
   */
  async enter(table: string, { pauseMs, by }: PaceOptions, clock: Clock, signal?: AbortSignal): Promise<() => void> {
    const queue = by === "node" ? this.all : this.queue(table);
    while (by !== "off") {
      signal?.throwIfAborted();
      const wait = queue.endedAt === undefined ? 0 : queue.endedAt + pauseMs - clock.monotonic();
      if (queue.underWay > 0) await waitForCall(queue.waiting, signal);
      else if (wait > 0) await clock.sleep(wait, signal);
      else break;
    }
    const queues = [this.all, this.queue(table)];
    for (const each of queues) each.underWay += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      for (const each of queues) {
        each.underWay -= 1;
        each.endedAt = clock.monotonic();
        for (const proceed of each.waiting) proceed();
      }
    };
  }

  private queue(table: string): ListQueue {
    const queue = this.tables.get(table) ?? { underWay: 0, endedAt: undefined, waiting: new Set() };
    this.tables.set(table, queue);
    return queue;
  }
}
