import type { Turn } from "../ledger/protocol";
import type { Metrics } from "../operating/metrics";
import type { Troubles } from "../operating/troubles";
import { type ForwarderWorld, pause } from "../world";
import type { Member, NatsLeaseStore } from "./lease-store";
import { shareOut } from "./rendezvous";

/** What sharing nodes needs of the forwarder. */
export interface LeaseParts {
  readonly store: Pick<NatsLeaseStore, keyof NatsLeaseStore>;
  readonly leaseMs: number;
  /** This forwarder's name among the others. */
  readonly member: string;
  readonly world: ForwarderWorld;
  readonly metrics: Metrics;
  readonly troubles: Troubles;
  /** The nodes that are shared. */
  nodes(): readonly string[];
  /** What members are to have in common beside the nodes, as a short text. */
  polling(): string;
  /** The epoch of our last turn of a node, if the state knows one. */
  lastEpoch(node: string): number | undefined;
  /** Polls a node until the signal aborts; resolves when nothing is under way any more. */
  poll(node: string, turn: Turn, signal: AbortSignal): Promise<void>;
}

interface HeldLease {
  revision: number;
  readonly stop: AbortController;
  /** Resolves when the node is not polled any more. */
  readonly polling: Promise<void>;
  cancelFence: () => void;
}

/** Key of the trouble that members have different configurations. */
export const DIFFERS = "cluster-config";

function differenceOf({ nodes: own = [] }: Member, others: readonly Member[]): string {
  const told = others.map(({ name, nodes = own }) => {
    const missing = own.filter((node) => !nodes.includes(node));
    const more = nodes.filter((node) => !own.includes(node));
    const words = [
      ...(missing.length > 0 ? [`lacks ${missing.join(", ")}`] : []),
      ...(more.length > 0 ? [`has ${more.join(", ")}, too`] : []),
    ];
    return `${name} ${words.length > 0 ? words.join(" and ") : "polls the same nodes in another way"}`;
  });
  return `The members of the cluster have different configurations: ${told.join("; ")}. A node is polled by those that have it.`;
}

/** A third of a lease: two renewals may fail. */
const TICKS = 3;
/** The part of a lease that is left when the holder stops by itself. */
const MARGIN = 1 / 6;

/**
 * Shares nodes with other forwarders, one poller a node. A lease is renewed three times while it lasts. The holder counts on
 * its own monotonic clock from before the renewal that succeeded last, and stops, running request included, a margin before the
 * lease can end: without NATS no node is polled twice. Others may poll only what they could take, and only after a whole
 * pause, so that no two machines' clocks are ever compared.
 */
export class Leases {
  private readonly held = new Map<string, HeldLease>();
  private readonly turns = new Map<string, Turn>();
  private hurry = (): void => {};

  constructor(private readonly parts: LeaseParts) {}

  /** Takes part until the signal aborts, then gives everything back. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, leaseMs, store, member, troubles } = this.parts;
    while (!signal.aborted) {
      try {
        await this.tick(signal);
        troubles.end("cluster", {}, "The cluster's leases can be reached again.");
      } catch (error) {
        const reason = error instanceof Error ? error.message || error.name : String(error);
        troubles.begin(
          "cluster",
          {},
          `The cluster's leases cannot be reached: ${reason}. Nodes are polled until their leases end.`,
        );
      }
      const pauseOver = new AbortController();
      this.hurry = () => pauseOver.abort();
      await pause(world, leaseMs / TICKS, AbortSignal.any([signal, pauseOver.signal]));
    }
    await Promise.all([...this.held].map(([node]) => this.giveBack(node)));
    await store.leave(member).catch(() => {});
    await store.close().catch(() => {});
  }

  /** The nodes are others: they are shared at once. */
  wake(): void {
    this.hurry();
  }

  private async tick(signal: AbortSignal): Promise<void> {
    const { store, member, nodes, polling } = this.parts;
    const self: Member = { name: member, nodes: [...nodes()].sort(), polling: polling() };
    await store.announce(self);
    await Promise.all([...this.held.keys()].map((node) => this.renew(node)));
    const others = (await store.members()).filter(({ name }) => name !== member);
    this.compare(self, others);
    const owners = shareOut([self, ...others]);
    for (const node of this.held.keys()) {
      if (owners.get(node) !== member) await this.giveBack(node);
    }
    const missing = [...owners].filter(([node, owner]) => owner === member && !this.held.has(node));
    if (!signal.aborted) await Promise.all(missing.map(([node]) => this.take(node)));
  }

  /** Says which members poll other nodes than this one, or in another way: they were given different configurations. */
  private compare(self: Member, others: readonly Member[]): void {
    const { metrics, troubles } = this.parts;
    const differing = others.filter(
      ({ nodes, polling }) =>
        (polling !== undefined && polling !== self.polling) || (nodes !== undefined && `${nodes}` !== `${self.nodes}`),
    );
    metrics.set("cluster_config_differs", differing.length > 0 ? 1 : 0);
    if (differing.length === 0) troubles.end(DIFFERS, {}, "All members of the cluster poll the same nodes alike.");
    else troubles.begin(DIFFERS, {}, differenceOf(self, differing));
  }

  private async take(node: string): Promise<void> {
    const { store, member, world, metrics, poll, lastEpoch } = this.parts;
    const asked = world.monotonic();
    const revision = await store.take(node, member);
    if (revision === undefined) return;
    const before = this.turns.get(node);
    const last = before?.epoch ?? lastEpoch(node);
    const { epoch, takeover } = await store.beginTurn(node, member, last);
    // Of the turns before a restart, the state knows the last one that read something.
    const turn: Turn = { epoch, since: takeover ? epoch : (before?.since ?? last ?? 0) };
    this.turns.set(node, turn);
    const stop = new AbortController();
    const held: HeldLease = { revision, stop, polling: poll(node, turn, stop.signal), cancelFence: () => {} };
    this.held.set(node, held);
    metrics.set("lease_held", 1, { node });
    this.fence(node, held, asked);
  }

  private async renew(node: string): Promise<void> {
    const { store, member, world } = this.parts;
    const held = this.held.get(node);
    if (!held) return;
    const asked = world.monotonic();
    const revision = await store.renew(node, member, held.revision);
    if (this.held.get(node) !== held) return;
    if (revision === undefined) {
      this.lose(node, held, `Node ${node} is polled by another forwarder now: our lease was lost.`);
      return;
    }
    held.revision = revision;
    this.fence(node, held, asked);
  }

  /** Stops by ourselves before the lease can end for the others. */
  private fence(node: string, held: HeldLease, asked: number): void {
    const { world, leaseMs } = this.parts;
    held.cancelFence();
    const left = asked + leaseMs * (1 - MARGIN) - world.monotonic();
    held.cancelFence = world.after(Math.max(0, left), () => {
      if (this.held.get(node) === held)
        this.lose(node, held, `Node ${node} is not polled any more: its lease could not be renewed.`);
    });
  }

  private lose(node: string, held: HeldLease, message: string): void {
    const { metrics, troubles } = this.parts;
    this.end(node, held);
    metrics.add("lease_lost_total", { node });
    troubles.begin(`lease/${node}`, { node }, message);
    troubles.end(`lease/${node}`, { node }, `Node ${node} is taken again when it can be.`);
  }

  private end(node: string, held: HeldLease): void {
    held.cancelFence();
    held.stop.abort();
    this.held.delete(node);
    this.parts.metrics.set("lease_held", 0, { node });
  }

  /** Stops polling a node, and lets others have it at once. */
  private async giveBack(node: string): Promise<void> {
    const held = this.held.get(node);
    if (!held) return;
    this.end(node, held);
    await held.polling;
    // Where it cannot be given back it ends by itself.
    await this.parts.store.release(node, held.revision).catch(() => {});
  }
}
