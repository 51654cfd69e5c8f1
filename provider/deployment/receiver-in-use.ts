import { SharedReads } from "../apply/shared-reads";
import type { ReceiverOptions } from "../client/options";
import { SignalingClient } from "../client/signaling-client";
import type { EventPlace } from "../messages/events";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { type Keys, type KeysHere, SIGNALING } from "../reconcile/desired";
import type { Target } from "../settings/settings";
import type { Connection, Shared } from "./connections";
import type { Addressed } from "./same-machine";
import { SentBefore } from "./sent-before";

/** A receiver in use, with its registries in this process. */
export class ReceiverInUse implements Connection, Addressed {
  readonly name: string | undefined;
  readonly endpoint: string;
  readonly label: string;
  readonly place: EventPlace;
  readonly fromEnvironment: boolean;
  readonly remedy = undefined;
  readonly client: SignalingClient;
  readonly reads: SharedReads<readonly Prefix[]>;
  /** Prefixes that some resource of this deployment wants active. */
  readonly desired: Keys;
  /** Prefixes that some resource of this deployment started, by its state. */
  readonly managed: Keys;
  readonly wantedHere: KeysHere;
  /** Notes of killed runs about this receiver. */
  readonly sent: SentBefore;
  /** Prefixes that the look of this process saw active; `undefined` without a look. */
  observed: ReadonlySet<CanonicalPrefix> | undefined;
  private listed: ListedMap | undefined;

  constructor({ name, options, fromEnvironment }: Target<ReceiverOptions>, shared: Shared) {
    const { world, desired, managed, sameMachine } = shared;
    this.client = new SignalingClient(options, world, name, () => shared.secretObjects.has(SIGNALING, this));
    this.name = name;
    this.endpoint = this.client.endpoint;
    this.label = name ?? this.endpoint;
    this.place = { at: this.label };
    this.fromEnvironment = fromEnvironment;
    this.reads = new SharedReads((options) => this.active(options), world);
    this.desired = desired.of(this, SIGNALING);
    this.managed = managed.of(this, SIGNALING);
    this.wantedHere = desired.at(this, SIGNALING);
    this.sent = new SentBefore(shared.notes, `${this.endpoint} ${SIGNALING}`);
    sameMachine.register(SIGNALING, this);
  }

  async list(): Promise<ListedMap> {
    return asMap(await this.active());
  }

  last(): ListedMap | undefined {
    return this.listed;
  }

  /** @throws {Error} if not all are active afterwards */
  async restore(entries: ListedMap): Promise<undefined> {
    await this.client.ensureActive([...entries.keys()].map((prefix) => Prefix.fromCanonical(prefix)));
  }

  private async active(options?: { readonly until?: number }): Promise<readonly Prefix[]> {
    const active = await this.client.status(options);
    this.listed = asMap(active);
    return active;
  }
}

function asMap(active: readonly Prefix[]): ListedMap {
  return new Map(active.map((prefix) => [prefix.toString(), 1]));
}
