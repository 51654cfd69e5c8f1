import type { AuditRecord } from "../apply/audit-log";
import { SharedReads } from "../apply/shared-reads";
import { SignalingIncomplete } from "../client/errors";
import type { ReceiverOptions } from "../client/options";
import { SignalingClient } from "../client/signaling-client";
import type { EventPlace } from "../messages/events";
import { messageOf } from "../model/errors";
import { Prefix } from "../model/prefix";
import { type ListedMap, mapOf } from "../model/prefix-map";
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
  /** Active prefixes by the last status of this process, and by its own starts and stops since. */
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
    this.sent = new SentBefore(shared.notes, `${this.endpoint} ${SIGNALING}`, shared.run);
    sameMachine.register(SIGNALING, this);
  }

  async list(): Promise<ListedMap> {
    return mapOf(texts(await this.active()));
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
  private async logged<K extends "started" | "stopped", T extends Readonly<Record<K | "already", readonly Prefix[]>>>(
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
      this.follow(of, [...result[of], ...result.already]);
      if (result[of].length > 0) log(result[of], "applied");
      return result;
    } catch (error) {
      const [changed, already] = error instanceof SignalingIncomplete ? [error[of], error.already] : [[], []];
      this.follow(of, [...changed, ...already]);
      const open = error instanceof SignalingIncomplete && (!error.verified || error.outcome === "unknown");
      log(open ? [...changed, ...error.missing] : changed, messageOf(error));
      throw error;
    }
  }

  /** Adds a start or stop to the last status, in a new map, since comparisons keep the old one. */
  private follow(of: "started" | "stopped", prefixes: readonly Prefix[]): void {
    if (!this.listed) return;
    const now = new Map(this.listed);
    for (const prefix of texts(prefixes)) {
      if (of === "started") now.set(prefix, 1);
      else now.delete(prefix);
    }
    this.listed = now;
  }

  private async active(options?: { readonly until?: number }): Promise<readonly Prefix[]> {
    const before = this.listed;
    const active = await this.client.status(options);
    // A start or stop may have ended after this status was sent.
    if (this.listed === before) this.listed = mapOf(texts(active));
    return active;
  }
}

function texts(prefixes: readonly Prefix[]) {
  return prefixes.map((prefix) => prefix.toString());
}
