import { type ForwarderWorld, pause } from "../world";

/** How often mark tables are listed (docs/contract.md#pace-of-mark-lists). */
export interface PaceOptions {
  /** From the end of one list of a table to the start of the next, failed tries included. */
  readonly pauseMs: number;
  /** `table`: each table for itself. `node`: one list at a time, and the pause between any two. */
  readonly by: "table" | "node";
  /** World time before which nothing is listed: somebody may have listed shortly before us. */
  readonly notBefore?: number;
}

/**
 * The pace of the lists of one node. A turn that was not taken because the signal aborted costs nothing.
 *
 * @example
 * ```ts
 * const end = await pace.turn("fra1/edge/web/shost", signal);
 * try { await list(); } finally { end(); }
 * ```
 */
export class Pace {
  /** When the last list of each table, or of the node, ended. */
  private readonly ends = new Map<string, number>();
  private readonly queues = new Map<string, Promise<void>>();
  /** When the last list of all ended. */
  lastEnd: number | undefined;

  constructor(
    private readonly options: PaceOptions,
    private readonly world: ForwarderWorld,
  ) {}

  /** Milliseconds until a table may be listed. */
  waitFor(table: string): number {
    const { pauseMs, notBefore = Number.NEGATIVE_INFINITY } = this.options;
    const end = this.ends.get(this.keyOf(table)) ?? Number.NEGATIVE_INFINITY;
    return Math.max(0, notBefore - this.world.now(), end + pauseMs - this.world.now());
  }

  /** Waits until a table may be listed, and for those who asked before. Call what it answers when the list has ended. */
  async turn(table: string, signal: AbortSignal): Promise<() => void> {
    const key = this.keyOf(table);
    const before = this.queues.get(key) ?? Promise.resolve();
    let leave = (): void => {};
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.queues.set(
      key,
      before.then(() => mine),
    );
    await before;
    // A timer may fire a little early.
    for (let wait = this.waitFor(table); wait > 0 && !signal.aborted; wait = this.waitFor(table)) {
      await pause(this.world, wait, signal);
    }
    if (signal.aborted) {
      leave();
      signal.throwIfAborted();
    }
    return () => {
      this.lastEnd = this.world.now();
      this.ends.set(key, this.lastEnd);
      leave();
    };
  }

  private keyOf(table: string): string {
    return this.options.by === "node" ? "" : table;
  }
}
