import type { Turn } from "../ledger/protocol";
import { type NodeParts, NodePoller, type NodeView } from "./node-poller";

/** The nodes that are polled here: all of the configuration, or those that a cluster gives us. */
export class NodePollers {
  private readonly pollers = new Map<string, NodePoller>();

  constructor(private readonly parts: NodeParts) {}

  /**
   * Polls a node until the signal aborts, and until what was under way has ended.
   *
   * @param turn That of a cluster.
   */
  async run(name: string, signal: AbortSignal, turn?: Turn): Promise<void> {
    const poller = new NodePoller(name, this.parts, turn);
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
    const results = await Promise.all(names.map((name) => new NodePoller(name, this.parts).once(signal)));
    return results.every((ok) => ok);
  }

  get views(): NodeView[] {
    return [...this.pollers.values()].map(({ view }) => view);
  }

  /** Nodes that were not tried yet. */
  get untried(): string[] {
    return [...this.pollers.values()].filter(({ tried }) => !tried).map(({ name }) => name);
  }
}
