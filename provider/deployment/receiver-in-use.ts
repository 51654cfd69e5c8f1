import type { AuditRecord } from "../apply/audit-log";
import { SharedReads } from "../apply/shared-reads";
import { SignalingIncomplete } from "../client/errors";
import type { ReceiverOptions } from "../client/options";
import { SignalingClient } from "../client/signaling-client";
import type { EventPlace } from "../messages/events";
import { messageOf } from "../model/errors";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { type Keys, type KeysHere, SIGNALING } from "../reconcile/desired";
import type { Target } from "../settings/settings";
import type { Connection, Shared } from "./connections";
import type { Addressed } from "./same-machine";
import { SentBefore } from "./sent-before";

type StartOptions = Parameters<SignalingClient["ensureActive"]>[1];
type StopOptions = Parameters<SignalingClient["ensureInactive"]>[1];
type Started = Awaited<ReturnType<SignalingClient["ensureActive"]>>;
type Stopped = Awaited<ReturnType<SignalingClient["ensureInactive"]>>;

/** A receiver in use, with its registries in this process. */
export class ReceiverInUse implements Connection, Addressed {
  readonly name: string | undefined;
  readonly endpoint: string;
  readonly label: string;
  readonly place: EventPlace;
  readonly fromEnvironment: boolean;
  readonly remedy = undefined;
  private readonly client: SignalingClient;
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
  private readonly audit: Shared["audit"];

  constructor({ name, options, fromEnvironment }: Target<ReceiverOptions>, shared: Shared) {
    const { world, audit, desired, managed, sameMachine } = shared;
    this.audit = audit;
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
    await this.start([...entries.keys()].map((prefix) => Prefix.fromCanonical(prefix)));
  }

  /** Starts prefixes that are not active. @param reason The one in the program, for the audit log. */
  start(prefixes: readonly Prefix[], options?: StartOptions, reason?: string): Promise<Started> {
    const change = { of: "started", old: null, new: 1, reason } as const;
    return this.logged(change, this.client.ensureActive(prefixes, options));
  }

  /** Stops active prefixes. @param reason The one in the program, for the audit log. */
  stop(prefixes: readonly Prefix[], options?: StopOptions, reason?: string): Promise<Stopped> {
    const change = { of: "stopped", old: 1, new: null, reason } as const;
    return this.logged(change, this.client.ensureInactive(prefixes, options));
  }

  /** The end of requests, with a line in the audit log. */
  private async logged<K extends "started" | "stopped", T extends Readonly<Record<K, readonly Prefix[]>>>(
    { of, reason, ...change }: Pick<AuditRecord, "reason"> & { readonly of: K } & AuditRecord["prefixes"][string],
    ended: Promise<T>,
  ): Promise<T> {
    const log = (changed: readonly Prefix[], outcome: string) =>
      this.audit(() => {
        const prefixes = Object.fromEntries(changed.map((prefix) => [prefix.toString(), change]));
        return { node: this.label, set: SIGNALING, prefixes, reason, outcome };
      });
    try {
      const result = await ended;
      if (result[of].length > 0) log(result[of], "applied");
      return result;
    } catch (error) {
      log(error instanceof SignalingIncomplete ? error[of] : [], messageOf(error));
      throw error;
    }
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
