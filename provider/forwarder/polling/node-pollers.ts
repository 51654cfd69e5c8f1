import type { LiveConfig } from "../config/config";
import type { Turn } from "../ledger/protocol";
import { MarkTurns } from "./mark-turns";
import { NodePoller, type NodeView } from "./node-poller";
import type { PollingParts } from "./table-poller";

/** What polling the nodes of a configuration needs. */
export interface NodesParts extends Omit<PollingParts, "turns" | "config" | "options"> {
  readonly config: LiveConfig;
  /** Milliseconds, at least, since the run before this one has listed anything. */
  sinceLastRun(): number;
  /** A list has ended, at this time of the machine's clock. */
  listed(now: number): void;
}

/** The nodes that are polled here: all of the configuration, or those that a cluster gives us. */
export class NodePollers {
  private readonly pollers = new Map<string, NodePoller>();

  constructor(private readonly parts: NodesParts) {}

  /**
   * Polls a node until the signal aborts, and until what was under way has ended.
   *
   * @param turn That of a cluster.
   */
  async run(name: string, signal: AbortSignal, turn?: Turn): Promise<void> {
    const poller = this.pollerOf(name, turn);
    this.pollers.set(name, poller);
    try {
      await poller.run(signal);
    } finally {
      if (this.pollers.get(name) === poller) this.pollers.delete(name);
    }
  }

  /** One round of every node. @returns whether all of it succeeded. */
  async once(signal: AbortSignal): Promise<boolean> {
    const names = Object.keys(this.parts.config.current.nodes);
    const results = await Promise.all(names.map((name) => this.pollerOf(name, undefined).once(signal)));
    return results.every((ok) => ok);
  }

  get views(): NodeView[] {
    return [...this.pollers.values()].map(({ view }) => view);
  }

  /** Nodes that were not tried yet. */
  get untried(): string[] {
    return [...this.pollers.values()].filter(({ tried }) => !tried).map(({ name }) => name);
  }

  private pollerOf(name: string, turn: Turn | undefined): NodePoller {
    const { config, sinceLastRun, ...parts } = this.parts;
    const options = () => {
      const found = config.current.nodes[name];
      if (!found) throw new TypeError(`There is no node ${name}.`);
      return found;
    };
    const everyMs = () => config.current.everyMs;
    const turns = new MarkTurns({
      world: parts.world,
      memories: parts.memories,
      options,
      everyMs,
      listed: parts.listed,
    });
    // Somebody else may have listed it just now.
    turns.listedAgo(turn !== undefined && turn.since > 0 ? 0 : sinceLastRun());
    return new NodePoller(name, { ...parts, turns, config: () => config.current, options }, turn);
  }
}
