import { pause } from "../../client/clock";
import type { Turn } from "../reading/arrived-list";
import type { Metrics } from "../telling/metrics";
import type { Troubles } from "../telling/troubles";
import type { ForwarderWorld } from "../world";
import type { Member, NatsLeaseStore } from "./lease-store";
import { shareOut } from "./rendezvous";

/** Parts of the forwarder that sharing of nodes needs. */
export interface LeaseParts {
  readonly store: Pick<NatsLeaseStore, keyof NatsLeaseStore>;
  readonly leaseMs: number;
  /** This forwarder's name among the others. */
  readonly member: string;
  readonly world: ForwarderWorld;
  readonly metrics: Metrics;
  readonly troubles: Troubles;
  nodes(): readonly string[];
  /** Settings that members must share beside the nodes, as a short text. */
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
  polling: Promise<void>;
  /** Resolves when its renewal has been answered. */
  renewing: Promise<void>;
  cancelFence: () => void;
}

export const DIFFERS = "cluster-config";

/** Key of the trouble that nodes have no forwarder. */
export const UNHELD = "unheld";

function unreadText(names: readonly string[]): string {
  return `Another version of the forwarder runs in the cluster, whose announcement this version cannot read: ${names.join(", ")}. Its nodes stay with it while it renews their leases, and cannot be shared with it: run one version on all members.`;
}

function differenceOf({ nodes: own }: Member, others: readonly Member[]): string {
  const descriptions = others.map(({ name, nodes }) => {
    const missing = own.filter((node) => !nodes.includes(node));
    const more = nodes.filter((node) => !own.includes(node));
    const words = [
      ...(missing.length > 0 ? [`lacks ${missing.join(", ")}`] : []),
      ...(more.length > 0 ? [`has ${more.join(", ")}, too`] : []),
    ];
    return `${name} ${words.length > 0 ? words.join(" and ") : "polls the same nodes in another way"}`;
  });
  return `The members of the cluster have different configurations: ${descriptions.join("; ")}. A node is polled by those that have it.`;
}

/** A third of a lease: two renewals may fail. */
const TICKS = 3;
/** Of a lease, how long renewing may take: two of them, one after the other, are to fit before the holder stops. */
const SLOW = 0.4;
/** Number of leases for which a node may have no forwarder: its takeover takes one and some seconds. */
const UNHELD_LEASES = 2;
/** Between two rounds of requests that take longer than a third of a lease. */
const LEAST_PAUSE_MS = 10;
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
  /** Time from which each node has had no forwarder. */
  private readonly unheld = new Map<string, number>();
  private hurry = new AbortController();
  /** True once this member had all the nodes that it was to have. */
  hasShared = false;

  constructor(private readonly parts: LeaseParts) {}

  /** Takes part until the signal aborts, then gives everything back. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, member } = this.parts;
    // Leases are renewed while nodes are shared out: over a slow line, those requests take longer than a lease.
    await Promise.all([this.repeat(signal, () => this.keep()), this.repeat(signal, () => this.share(signal))]);
    await Promise.all([...this.held].map(([node]) => this.giveBack(node)));
    await store.leave(member).catch(() => {});
    await store.close().catch(() => {});
  }

  private async repeat(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const { store, world, leaseMs, troubles, metrics } = this.parts;
    while (!signal.aborted) {
      const began = world.monotonic();
      try {
        await work();
        metrics.set("cluster_reachable", 1);
        troubles.end("cluster", {}, "The cluster's leases can be reached again.");
      } catch (error) {
        const polled =
          this.held.size > 0 ? "Nodes are polled until their leases end." : "No node is polled until then.";
        const message = `The cluster's leases cannot be reached: ${store.words(error)}. They are asked for again. ${polled}`;
        metrics.set("cluster_reachable", 0);
        troubles.begin("cluster", {}, message);
      }
      // A third of a lease from one beginning to the next, but never without a pause.
      const left = Math.max(leaseMs / TICKS - (world.monotonic() - began), LEAST_PAUSE_MS);
      await pause(world, left, AbortSignal.any([signal, this.hurry.signal]));
    }
  }

  /** Shares the nodes again at once, after a change of them. */
  wake(): void {
    this.hurry.abort();
    this.hurry = new AbortController();
  }

  private get self(): Member {
    const { member, nodes, polling } = this.parts;
    return { name: member, nodes: [...nodes()].sort(), polling: polling() };
  }

  /** Announces this member, and renews its leases. */
  private async keep(): Promise<void> {
    const { store, world } = this.parts;
    const asked = world.monotonic();
    const renewed = [...this.held].map(([node, held]) => this.renew(node, held));
    const announced = store.announce(this.self).then(() => this.compareWithLease(world.monotonic() - asked));
    await Promise.all([announced, ...renewed]);
  }

  /** Gives back nodes of other members, and takes those of this member. */
  private async share(signal: AbortSignal): Promise<void> {
    const { store, member } = this.parts;
    const { members, unread, held } = await store.look();
    const others = members.filter(({ name }) => name !== member);
    this.compare(this.self, others, unread);
    const owners = shareOut([this.self, ...others]);
    this.compareHeld([...owners.keys()], held);
    await Promise.all(
      [...this.held.keys()].filter((node) => owners.get(node) !== member).map((node) => this.giveBack(node)),
    );
    const missing = [...owners].filter(([node, owner]) => owner === member && !this.held.has(node));
    if (!signal.aborted) await Promise.all(missing.map(([node]) => this.take(node)));
    // Nodes that their holder gives back follow in the next round.
    this.hasShared ||= missing.every(([node]) => this.held.has(node));
  }

  /** Reports if NATS is too slow to renew leases in time. */
  private compareWithLease(tookMs: number): void {
    const { troubles, leaseMs } = this.parts;
    if (tookMs <= leaseMs * SLOW) troubles.end("cluster-slow", {}, "NATS answers soon enough for the leases again.");
    else {
      const message = `NATS takes ${Math.round(tookMs)} ms to answer, which is too long for leases of ${leaseMs} ms: some of them end, and their nodes are taken over again. \`cluster.leaseMs\` should be ${Math.ceil(tookMs / SLOW / 1_000) * 1_000} or more.`;
      if (!troubles.all.has("cluster-slow")) troubles.begin("cluster-slow", {}, message);
    }
  }

  /** Reports members whose configuration differs from this one, in nodes or `watch`, and those that cannot be compared. */
  private compare(self: Member, others: readonly Member[], unread: readonly string[]): void {
    const { metrics, troubles } = this.parts;
    const differing = others.filter(({ nodes, polling }) => polling !== self.polling || `${nodes}` !== `${self.nodes}`);
    const sentences = [
      ...(differing.length > 0 ? [differenceOf(self, differing)] : []),
      ...(unread.length > 0 ? [unreadText(unread)] : []),
    ];
    metrics.set("cluster_config_differs", sentences.length > 0 ? 1 : 0);
    if (sentences.length === 0)
      troubles.end(DIFFERS, {}, "All members of the cluster poll the same nodes in the same way.");
    else troubles.begin(DIFFERS, {}, sentences.join(" "));
  }

  /** Reports nodes that no member polls. */
  private compareHeld(nodes: readonly string[], held: ReadonlySet<string>): void {
    const { troubles, world, leaseMs } = this.parts;
    const now = world.monotonic();
    for (const node of this.unheld.keys()) if (held.has(node) || !nodes.includes(node)) this.unheld.delete(node);
    for (const node of nodes) if (!held.has(node) && !this.unheld.has(node)) this.unheld.set(node, now);
    const late = [...this.unheld].filter(([, since]) => now - since > leaseMs * UNHELD_LEASES).map(([node]) => node);
    if (late.length === 0) troubles.end(UNHELD, {}, "Every node is polled by a forwarder again.");
    else troubles.begin(UNHELD, { nodes: late }, `No forwarder polls these nodes: ${late.sort().join(", ")}.`);
  }

  private async take(node: string): Promise<void> {
    const { store, member, world, metrics, leaseMs } = this.parts;
    const asked = world.monotonic();
    const revision = await store.take(node, member);
    if (revision === undefined) return;
    const stop = new AbortController();
    const held: HeldLease = {
      revision,
      stop,
      polling: Promise.resolve(),
      renewing: Promise.resolve(),
      cancelFence: () => {},
    };
    this.held.set(node, held);
    metrics.set("lease_held", 1, { node });
    this.fence(node, held, asked);
    try {
      // Over a slow line, part of the lease has passed.
      const isLate = world.monotonic() - asked > leaseMs * MARGIN;
      const [turn] = await Promise.all([this.begin(node), isLate && this.renew(node, held)]);
      // The lease is renewed meanwhile, or has ended.
      if (!stop.signal.aborted) held.polling = this.parts.poll(node, turn, stop.signal);
    } catch (error) {
      await this.giveBack(node);
      throw error;
    }
  }

  private async begin(node: string): Promise<Turn> {
    const { store, member, lastEpoch } = this.parts;
    const before = this.turns.get(node);
    const last = before?.epoch ?? lastEpoch(node);
    const { epoch, takeover } = await store.beginTurn(node, member, last);
    // Of the turns before a restart, the state knows the last one that read something.
    const turn: Turn = { epoch, since: takeover ? epoch : (before?.since ?? last ?? 0) };
    this.turns.set(node, turn);
    return turn;
  }

  /** Renews a lease, one renewal after the other: each needs the revision of the one before. */
  private renew(node: string, held: HeldLease): Promise<void> {
    held.renewing = held.renewing.catch(() => {}).then(() => this.renewNow(node, held));
    return held.renewing;
  }

  private async renewNow(node: string, held: HeldLease): Promise<void> {
    if (this.held.get(node) !== held) return;
    const { store, member, world } = this.parts;
    const asked = world.monotonic();
    const revision = await store.renew(node, member, held.revision);
    if (revision !== undefined) held.revision = revision;
    if (this.held.get(node) !== held) return;
    if (revision === undefined) {
      this.lose(
        node,
        held,
        `Node ${node} is not polled any more: another forwarder has its lease, or the answer to a renewal was lost.`,
      );
      return;
    }
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
    await Promise.all([held.polling, held.renewing.catch(() => {})]);
    // A lease that cannot be given back ends by itself.
    await this.parts.store.release(node, held.revision).catch(() => {});
  }
}
