import type { Crowd } from "../batch/crowd";
import { SetWriter } from "../batch/set-writer";
import { SharedReads } from "../batch/shared-reads";
import { NodeClient } from "../client/node-client";
import type { ObservedSet } from "../client/observed-set";
import { DEFAULTS, type NodeOptions, type ReceiverOptions } from "../client/options";
import { SignalingClient } from "../client/signaling-client";
import type { World } from "../client/world";
import type { Prefix } from "../model/prefix";
import { formatUrl, type PrefixSetUrl } from "../model/resource-url";
import type { Notices } from "./notices";
import type { Target } from "./settings";
import type { KeyRegistry, Keys, Place } from "./wanted";

/** What all connections of a deployment share. */
export interface Shared {
  readonly world: World;
  readonly notices: Notices;
  readonly crowd: Crowd;
  /** Keys that some resource of this deployment wants; nothing of it may be removed. */
  readonly wanted: KeyRegistry;
  /** Keys that the state of some resource of this deployment holds. */
  readonly owned: KeyRegistry;
}

/** A node or receiver in use: where it is, and how it was found. */
export interface Connection extends Place {
  /** How messages call it: its name, else its address. */
  readonly label: string;
  /** True when the address comes from the environment, which no diff may show. */
  readonly fromEnvironment: boolean;
}

/** A node in use, and what is kept for it in this process. Nothing is sent before a set is asked for something. */
export class NodeInUse implements Connection {
  readonly name: string | undefined;
  readonly endpoint: string;
  readonly label: string;
  readonly fromEnvironment: boolean;
  private readonly client: NodeClient;
  private readonly sets = new Map<string, SetInUse>();

  constructor(
    private readonly target: Target<NodeOptions>,
    private readonly shared: Shared,
  ) {
    this.client = new NodeClient(target.options, shared.world);
    this.name = target.name;
    this.endpoint = this.client.endpoint;
    this.label = target.name ?? this.endpoint;
    this.fromEnvironment = target.fromEnvironment;
  }

  /** A set of this node, with its one writer and its shared list. */
  set(address: PrefixSetUrl): SetInUse {
    const url = formatUrl(address);
    const known = this.sets.get(url) ?? this.open(address, url);
    this.sets.set(url, known);
    return known;
  }

  private open(address: PrefixSetUrl, url: string): SetInUse {
    const { options } = this.target;
    const { world, notices, crowd } = this.shared;
    const [wanted, owned] = [this.shared.wanted.of(this, url), this.shared.owned.of(this, url)];
    const set = this.client.set(address);
    const reads = new SharedReads(() => set.observe(), world);
    const writer = new SetWriter({
      set,
      reads,
      wanted,
      notices,
      crowd,
      clock: world,
      label: `${url} on ${this.label}`,
      quietMs: options.commitCoalesceMs ?? DEFAULTS.commitCoalesceMs,
      deadlineMs: options.deadlineMs ?? DEFAULTS.deadlineMs,
      foreignStaged: options.foreignStaged,
    });
    return { url, writer, reads, wanted, owned };
  }
}

/** A set of a node in use. */
export interface SetInUse {
  readonly url: string;
  readonly writer: SetWriter;
  readonly reads: SharedReads<ObservedSet>;
  /** Prefixes that some resource of this deployment wants in this set. */
  readonly wanted: Keys;
  /** Prefixes that the state of some resource of this deployment holds in this set. */
  readonly owned: Keys;
}

/** What a receiver holds, in the registries of keys and in the audit log. */
export const SIGNALING = "signaling";

/** A receiver in use, and what is kept for it in this process. */
export class ReceiverInUse implements Connection {
  readonly name: string | undefined;
  readonly endpoint: string;
  readonly label: string;
  readonly fromEnvironment: boolean;
  readonly client: SignalingClient;
  readonly reads: SharedReads<readonly Prefix[]>;
  /** Prefixes that some resource of this deployment wants active. */
  readonly wanted: Keys;
  /** Prefixes that some resource of this deployment started, by its state. */
  readonly owned: Keys;

  constructor({ name, options, fromEnvironment }: Target<ReceiverOptions>, { world, wanted, owned }: Shared) {
    this.client = new SignalingClient(options, world);
    this.name = name;
    this.endpoint = this.client.endpoint;
    this.label = name ?? this.endpoint;
    this.fromEnvironment = fromEnvironment;
    this.reads = new SharedReads<readonly Prefix[]>(() => this.client.status(), world);
    this.wanted = wanted.of(this, SIGNALING);
    this.owned = owned.of(this, SIGNALING);
  }
}
