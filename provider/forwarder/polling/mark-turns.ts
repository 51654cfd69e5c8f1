import { pause } from "../../client/clock";
import { parseNodeEndpoint } from "../../client/endpoint";
import { paceKey } from "../../client/mark-pace";
import { DEFAULTS, type NodeOptions } from "../../client/options";
import type { NodeMemories } from "../../client/world";
import type { LiveConfig } from "../config/config";
import type { SecretFiles } from "../config/secret-files";
import type { Delivery } from "../delivery/delivery";
import type { Ledger, Opened } from "../ledger/protocol";
import type { Turn } from "../reading/arrived-list";
import type { TableName } from "../table";
import type { Metrics } from "../telling/metrics";
import type { Troubles } from "../telling/troubles";
import type { ForwarderWorld } from "../world";

/** Milliseconds from the end of a list of a table to the start of the next: the larger of `everyMs` and the node's own. */
export function pauseOf(node: Pick<NodeOptions, "markPace" | "markPauseMs">, everyMs: number): number {
  const { markPace = DEFAULTS.markPace, markPauseMs = DEFAULTS.markPauseMs } = node;
  return markPace === "off" ? everyMs : Math.max(everyMs, markPauseMs);
}

/** Time of the last list of any node with this state folder, by this run or the one before. */
export class LastList {
  /** On the machine's clock; `undefined` where it is not known. */
  at: number | undefined;

  /** @param openedAt When this run began. */
  constructor(
    private readonly before: Opened["listedBefore"],
    private readonly openedAt: number,
  ) {
    if (typeof before === "number") this.at = before;
  }

  /** Least number of milliseconds since the last list of the former run. */
  beforeThisRun(now: number): number {
    if (this.before === "never") return Number.POSITIVE_INFINITY;
    const then = this.before === "unknown" ? this.openedAt : this.before;
    // The clock begins at 0 when the machine starts: the difference is then too small, never too large.
    return Math.max(0, now - then);
  }
}

/** Parts of the forwarder that polling needs. */
export interface PollingParts {
  readonly config: LiveConfig;
  readonly world: ForwarderWorld;
  /** Memory of nodes in this process, the pace of their lists included. */
  readonly memories: NodeMemories;
  readonly lastList: LastList;
  /** Tables that the last run of each node has taken over. */
  readonly tablesBefore: readonly TableName[];
  readonly ledger: Ledger;
  readonly delivery: Pick<Delivery, "room" | "wake">;
  readonly secrets: Pick<SecretFiles, "refresh">;
  readonly metrics: Metrics;
  readonly troubles: Troubles;
  /** Tables whose last reading the disk has refused, by their keys. */
  readonly refusedByDisk: Set<string>;
}

/**
 * Decides when the mark tables of a node may be listed (docs/contributing/contract.md#pace-of-mark-lists). The pace is shared with
 * every other client of this process; this class adds the time before this process.
 */
export class MarkTurns {
  /**
   * Time of the machine's clock before which nothing is listed, even if the pace allows it: another process may have listed the
   * node. It holds for all tables, since the listed one is unknown.
   */
  readonly notBefore: number;

  /** @param turn That of a cluster: another member may have listed the node until now. */
  constructor(
    private readonly node: string,
    private readonly parts: Pick<PollingParts, "config" | "world" | "memories" | "lastList">,
    turn?: Turn,
  ) {
    const now = parts.world.monotonic();
    const agoMs = turn !== undefined && turn.since > 0 ? 0 : parts.lastList.beforeThisRun(now);
    this.notBefore = now + Math.max(0, this.pauseMs - agoMs);
  }

  /** As the configuration is now. */
  get pauseMs(): number {
    const { config } = this.parts;
    return pauseOf(config.node(this.node), config.current.everyMs);
  }

  /**
   * Waits until a table may be listed; call what it answers when the list has ended, however it went.
   *
   * @throws the signal's reason when it aborts first
   */
  async enter({ arena, profile, type }: TableName, signal: AbortSignal): Promise<() => void> {
    const { config, world, memories, lastList } = this.parts;
    const { endpoint, markPace: by = DEFAULTS.markPace } = config.node(this.node);
    if (by !== "off") await this.untilFree(signal);
    signal.throwIfAborted();
    const memory = memories.of(parseNodeEndpoint(endpoint).shown);
    const key = paceKey({ kind: "mark", arena, profile }, type);
    const leave = await memory.marks.enter(key, { pauseMs: this.pauseMs, by }, world, signal);
    return () => {
      leave();
      lastList.at = world.monotonic();
    };
  }

  private async untilFree(signal: AbortSignal): Promise<void> {
    const { world } = this.parts;
    const left = () => this.notBefore - world.monotonic();
    // A timer may fire a little early.
    for (let wait = left(); wait > 0 && !signal.aborted; wait = left()) await pause(world, wait, signal);
  }
}
