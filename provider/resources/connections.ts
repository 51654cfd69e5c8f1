import { Activity } from "../batch/activity";
import { Announced, type InFlight } from "../batch/in-flight";
import { type RemovalCheck, SetWriter } from "../batch/set-writer";
import { SharedReads } from "../batch/shared-reads";
import { NodeClient } from "../client/node-client";
import type { ObservedSet } from "../client/node-set";
import { DEFAULTS, type NodeOptions, type ReceiverOptions } from "../client/options";
import { SignalingClient } from "../client/signaling-client";
import type { World } from "../client/world";
import { Prefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { formatUrl, type PrefixSetUrl } from "../model/resource-url";
import type { Elsewhere, Held } from "./elsewhere";
import type { Notices } from "./notices";
import type { Target } from "./settings";
import { Silence } from "./silence";
import type { KeyRegistry, Keys, Place } from "./wanted";

/** What all connections of a deployment share. */
export interface Shared {
  readonly world: World;
  readonly notices: Notices;
  readonly inFlight: InFlight;
  /** Keys that some resource of this deployment wants; nothing of it may be removed. */
  readonly wanted: KeyRegistry;
  /** Keys that the state of some resource of this deployment holds. */
  readonly owned: KeyRegistry;
  /** Keys that the state of a resource holds which another one replaces in this deployment. */
  readonly leaving: KeyRegistry;
  /** The same objects at other addresses. */
  readonly elsewhere: Elsewhere;
  /** Limits what this deployment removes from a set. */
  readonly removals: (url: string, label: string) => RemovalCheck;
}

/** A node or receiver in use: where it is, and how it was found. */
export interface Connection extends Place {
  /** How messages call it: its name, else its address. */
  readonly label: string;
  /** True when the address comes from the environment, which no diff may show. */
  readonly fromEnvironment: boolean;
  /** What to do where it does not serve a resource whose state names it, and the configuration does not. */
  readonly wayOut: string | undefined;
}

/** A node in use, and what is kept for it in this process. Nothing is sent before a set is asked for something. */
export class NodeInUse implements Connection {
  readonly name: string | undefined;
  readonly endpoint: string;
  readonly label: string;
  readonly fromEnvironment: boolean;
  readonly wayOut: string | undefined;
  /** Only where a refresh goes on without a node that does not answer. */
  readonly silence: Silence | undefined;
  private readonly client: NodeClient;
  private readonly sets = new Map<string, SetInUse>();

  constructor(
    private readonly target: Target<NodeOptions>,
    private readonly shared: Shared,
  ) {
    this.client = new NodeClient(target.options, shared.world, target.name);
    this.name = target.name;
    this.endpoint = this.client.endpoint;
    this.label = target.name ?? this.endpoint;
    this.fromEnvironment = target.fromEnvironment;
    this.wayOut = target.wayOut;
    this.silence = target.options.onUnreachable === "skip" ? new Silence(shared.world) : undefined;
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
    const { world, notices, inFlight, elsewhere, removals } = this.shared;
    const [wanted, owned] = [this.shared.wanted.of(this, url), this.shared.owned.of(this, url)];
    const set = this.client.set(address);
    const reads = new SharedReads(() => set.observe(), world);
    const label = `${url} on ${this.label}`;
    const announced = new Announced(inFlight);
    const writer: SetWriter = new SetWriter({
      set,
      reads,
      wanted,
      notices,
      inFlight,
      announced,
      clock: world,
      label,
      commitCoalesceMs: options.commitCoalesceMs ?? DEFAULTS.commitCoalesceMs,
      deadlineMs: options.deadlineMs ?? DEFAULTS.deadlineMs,
      foreignStaged: options.foreignStaged,
      removals: removals(url, label),
      elsewhere: {
        before: (observed) => elsewhere.before(url, held, observed),
        spare: (remove) => elsewhere.spare(url, held, remove),
        after: (removed) => elsewhere.after(url, held, removed),
      },
    });
    const held: Held = {
      endpoint: this.endpoint,
      label: `Set ${label}`,
      wanted: this.shared.wanted.at(this, url),
      leaving: this.shared.leaving.at(this, url),
      activity: writer.activity,
      list: async () => (await set.observe()).values,
      last: () => set.last?.values,
      putBack: (entries) => writer.putBack(entries),
    };
    elsewhere.register(url, held);
    return { url, writer, reads, announced, wanted, owned };
  }
}

/** What a `PrefixSet` is announced as. */
export const WHOLE_SET = "all entries";

/** A set of a node in use. */
export interface SetInUse {
  readonly url: string;
  readonly writer: SetWriter;
  readonly reads: SharedReads<ObservedSet>;
  /** Resources that were checked, by what they manage of this set: the prefix of an entry, {@link WHOLE_SET}. */
  readonly announced: Announced;
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
  readonly wayOut = undefined;
  readonly client: SignalingClient;
  /** Starts and stops under way. */
  readonly activity = new Activity();
  /** What is active here, beside what is active at other addresses. */
  readonly held: Held;
  readonly reads: SharedReads<readonly Prefix[]>;
  /** Prefixes that some resource of this deployment wants active. */
  readonly wanted: Keys;
  /** Prefixes that some resource of this deployment started, by its state. */
  readonly owned: Keys;

  constructor({ name, options, fromEnvironment }: Target<ReceiverOptions>, shared: Shared) {
    const { world, wanted, owned, leaving, elsewhere } = shared;
    this.client = new SignalingClient(options, world, name);
    this.name = name;
    this.endpoint = this.client.endpoint;
    this.label = name ?? this.endpoint;
    this.fromEnvironment = fromEnvironment;
    let last: ListedMap | undefined;
    const list = async () => {
      const active = await this.client.status();
      last = new Map(active.map((prefix) => [prefix.toString(), 1]));
      return active;
    };
    this.reads = new SharedReads<readonly Prefix[]>(list, world);
    this.wanted = wanted.of(this, SIGNALING);
    this.owned = owned.of(this, SIGNALING);
    this.held = {
      endpoint: this.endpoint,
      label: `Signaling at ${this.label}`,
      wanted: wanted.at(this, SIGNALING),
      leaving: leaving.at(this, SIGNALING),
      activity: this.activity,
      list: async () => {
        await list();
        return last ?? new Map();
      },
      last: () => last,
      putBack: (entries) => this.client.ensureActive([...entries.keys()].map((it) => Prefix.fromCanonical(it))),
    };
    elsewhere.register(SIGNALING, this.held);
  }
}
