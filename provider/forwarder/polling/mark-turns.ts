import { DEFAULTS, type NodeOptions } from "../../client";
import { parseEndpoint } from "../../client/endpoint";
import { paceKey } from "../../client/mark-pace";
import type { NodeMemories } from "../../client/node-memory";
import { NODE_PATH } from "../../wire/node-command";
import type { TableName } from "../table";
import { type ForwarderWorld, pause } from "../world";

/** Milliseconds from the end of a list of a table to the start of the next: the larger of `everyMs` and the node's own. */
export function pauseOf(node: Pick<NodeOptions, "markPace" | "markPauseMs">, everyMs: number): number {
  const { markPace = DEFAULTS.markPace, markPauseMs = DEFAULTS.markPauseMs } = node;
  return markPace === "off" ? everyMs : Math.max(everyMs, markPauseMs);
}

/** What the pace of a node rests on. */
export interface TurnParts {
  readonly world: ForwarderWorld;
  /** The pace of all nodes, of everybody in the process. */
  readonly memories: NodeMemories;
  /** The node's options as they are now. */
  options(): NodeOptions;
  everyMs(): number;
  /** A list of ours has ended, at this time of the machine's clock. */
  listed(now: number): void;
}

/**
 * When the mark tables of a node may be listed (docs/contract.md#pace-of-mark-lists). The pace itself is that of the whole
 * process, which whoever else lists marks keeps, too; what this adds is the time before this process.
 */
export class MarkTurns {
  private held = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: TurnParts) {}

  /** Time of the machine's clock before which nothing is listed, whatever the pace says. */
  get notBefore(): number {
    return this.held;
  }

  /** As the configuration is now. */
  get pauseMs(): number {
    return pauseOf(this.parts.options(), this.parts.everyMs());
  }

  /**
   * Another process may have listed the node until so many milliseconds ago: what is left of a pause passes first. Which
   * table it was is not known, so it holds for all.
   */
  listedAgo(agoMs: number): void {
    this.held = this.parts.world.monotonic() + Math.max(0, this.pauseMs - agoMs);
  }

  /**
   * Waits until a table may be listed; call what it answers when the list has ended, however it went.
   *
   * @throws the signal's reason when it aborts first
   */
  async enter({ arena, profile, type }: TableName, signal: AbortSignal): Promise<() => void> {
    const { world, memories, options, listed } = this.parts;
    const { endpoint, markPace: by = DEFAULTS.markPace } = options();
    if (by !== "off") await this.untilFree(signal);
    signal.throwIfAborted();
    const memory = memories.of(parseEndpoint(endpoint, "endpoint", NODE_PATH).shown);
    const key = paceKey({ kind: "mark", arena, profile }, type);
    const leave = await memory.marks.enter(key, { pauseMs: this.pauseMs, by }, world, signal);
    return () => {
      leave();
      listed(world.monotonic());
    };
  }

  private async untilFree(signal: AbortSignal): Promise<void> {
    const { world } = this.parts;
    // A timer may fire a little early.
    for (let wait = this.held - world.monotonic(); wait > 0 && !signal.aborted; wait = this.held - world.monotonic()) {
      await pause(world, wait, signal);
    }
  }
}
