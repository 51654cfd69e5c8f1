import { SHARED_FOR_MS } from "../batch/times";
import type { Clock } from "../client/clock";
import { NodeClient } from "../client/node-client";
import { NodeConnection } from "../client/node-connection";
import { NodeSet } from "../client/node-set";
import type { NodeOptions } from "../client/options";
import { formatUrl, type PrefixSetUrl } from "../model/resource-url";
import type { Connection, Shared } from "./connections";
import { DeploymentSet } from "./deployment-set";
import type { Target } from "./settings";

/** A node in use, and what is kept for it in this process. Nothing is sent before a set is asked for something. */
export class NodeInUse implements Connection {
  readonly name: string | undefined;
  readonly endpoint: string;
  readonly label: string;
  readonly fromEnvironment: boolean;
  readonly wayOut: string | undefined;
  /** Only where a refresh goes on without a node that does not answer. */
  readonly unreachable: Unreachable | undefined;
  private readonly connection: NodeConnection;
  private readonly sets = new Map<string, DeploymentSet>();

  constructor(
    private readonly target: Target<NodeOptions>,
    private readonly shared: Shared,
  ) {
    this.connection = new NodeConnection(target.options, shared.world, target.name);
    this.name = target.name;
    this.endpoint = this.connection.endpoint;
    this.label = target.name ?? this.endpoint;
    this.fromEnvironment = target.fromEnvironment;
    this.wayOut = target.wayOut;
    this.unreachable = target.options.onUnreachable === "skip" ? new Unreachable(shared.world) : undefined;
  }

  /** A set of this node, with its one writer and its shared list. */
  set(address: PrefixSetUrl): DeploymentSet {
    const url = formatUrl(address);
    const known = this.sets.get(url);
    if (known) return known;
    const listed = new NodeSet(this.connection, address, () => this.shared.secretObjects.has(url, this));
    const set = new DeploymentSet(this, listed, this.target.options, this.shared);
    this.sets.set(url, set);
    return set;
  }

  /**
   * What proves that a set which the node refused to list is not there, as half a sentence. A proxy or another machine
   * refuses, too: only a node that lists the profiles of the arena is believed.
   *
   * @param status Of the refusal.
   */
  async proofOfAbsence({ arena, profile }: PrefixSetUrl, status: number | undefined): Promise<string | undefined> {
    const client = new NodeClient(this.target.options, this.shared.world, this.target.name);
    const profiles = await client.listProfiles(arena).catch(() => undefined);
    await client.close();
    if (!profiles) return undefined;
    const isGone = profile !== undefined && profiles.every(({ name }) => name !== profile);
    if (isGone) return `the node lists the profiles of ${arena}, and ${profile} is not among them`;
    return status === 404 ? `the node lists the profiles of ${arena}, and answers 404 to this set` : undefined;
  }
}

/**
 * That a node did not answer a refresh which goes on without it. For a while the other resources of the node are not asked
 * about either: each would wait for its own time-out.
 */
class Unreachable {
  private last: { readonly at: number; readonly message: string } | undefined;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** What the last list failed with, if that was a moment ago. */
  get message(): string | undefined {
    return this.last && this.clock.monotonic() - this.last.at < SHARED_FOR_MS ? this.last.message : undefined;
  }

  /** Remembers that the node did not answer. */
  keep(message: string): void {
    this.last = { at: this.clock.monotonic(), message };
  }
}
