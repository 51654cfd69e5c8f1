import { setMaxListeners } from "node:events";
import { type AuditRecord, appendAudit, requireAuditLog } from "../apply/audit-log";
import { InFlight } from "../apply/in-flight";
import { pause } from "../client/clock";
import type { NodeOptions, ReceiverOptions } from "../client/options";
import { systemWorld, type World } from "../client/world";
import type { About } from "../engine/handler";
import { SecretArguments } from "../engine/secret-arguments";
import { Advice } from "../messages/advice";
import type { AnyEvent } from "../messages/events";
import { Notices } from "../messages/notices";
import { attempt, caught } from "../model/errors";
import type { JsonObject } from "../model/json";
import { KeyRegistry, type OtherProcesses, type Place } from "../reconcile/desired";
import { RemovalBudget } from "../reconcile/limits/removals";
import type { ReadConfig } from "../settings/config-keys";
import type { Environment } from "../settings/environment-credentials";
import { readSettings, type Settings, type Target } from "../settings/settings";
import { Declarations } from "./conflicts";
import type { Shared } from "./connections";
import { Look } from "./look";
import { NodeInUse } from "./node-in-use";
import { ReceiverInUse } from "./receiver-in-use";
import { SameMachine } from "./same-machine";
import { NO_NOTES, type SentNotes } from "./sent-before";
import type { TimeLimits } from "./time-limit";

/** Milliseconds after a check's answer within which the engine shows the state of the same resource. */
const TOLD_WITHIN_MS = 100;
/** Longest wait for states that the engine is about to show, in milliseconds. */
const TOLD_AT_MOST_MS = 5_000;

/** Surroundings of the runtime in its process. */
export interface Surroundings {
  readonly env: Environment;
  readonly print: (line: string) => void;
  /** Takes each event at once, with all its prefixes, secret ones included. */
  readonly observe?: (event: AnyEvent) => void;
  /** Clocks, timers, randomness and transport, where they are not the system's. */
  readonly world?: Partial<World>;
  /** Steps that the engine runs in parallel by default; absent if that is not known. */
  readonly usualSteps?: number;
  /** Other provider processes of the same deployment, where there can be some. */
  readonly others?: OtherProcesses;
  /** Notes that outlive the process; none by default. */
  readonly notes?: SentNotes;
  /** Time limits of operations, where the engine gives them. */
  readonly limits?: TimeLimits;
}

/**
 * Settings, connections, writers, and desired and managed keys, which the resources of one deployment share. The engine starts
 * one provider process for each provider resource of a deployment, usually one.
 */
export class Runtime {
  /** Secrets that no message and no line of the audit log may show. */
  readonly secrets = new SecretArguments((resource) => this.placeOf(resource));
  readonly notices: Notices;
  readonly advice = new Advice();
  readonly look: Look;
  readonly shared: Shared;
  readonly env: Environment;
  /** Time that single operations have. */
  readonly limits: TimeLimits | undefined;
  private config: ReadConfig = () => undefined;
  private read: Settings | undefined;
  private readonly nodes = new Map<string, NodeInUse>();
  /** Nodes by name, and the unnamed one: reading a configuration of a thousand nodes for each would take seconds. */
  private readonly named = new Map<string | undefined, NodeInUse>();
  private readonly receivers = new Map<string, ReceiverInUse>();
  private readonly runningOperations = new Set<Promise<void>>();
  private readonly checks = new Set<Promise<void>>();
  /** Urns of resources whose check got unknown arguments, and `undefined` once there is one. */
  private readonly previewed = new Set<string | undefined>();
  private readonly ending = new AbortController();
  private instant: number | undefined;

  constructor({ env, print, observe, world: given, usualSteps, others, notes = NO_NOTES, limits }: Surroundings) {
    const world = { ...systemWorld, ...given };
    const desired = new KeyRegistry("desired", others);
    const removed = new KeyRegistry("removed", others);
    const changed = new KeyRegistry("changed", others);
    const sync = () => others?.sync();
    this.env = env;
    this.limits = limits;
    this.notices = new Notices((line) => print(this.secrets.hide(this.advice.line(line))), observe);
    this.look = new Look(world, this, () => this.settings);
    this.shared = {
      world,
      notices: this.notices,
      audit: (make) => this.audit(make),
      inFlight: new InFlight(world, usualSteps),
      desired,
      adopted: new KeyRegistry("adopted", others),
      managed: new KeyRegistry("managed", others),
      sets: new Map(),
      commits: new Map(),
      declared: new Declarations(),
      notes,
      run: {},
      sync,
      secretObjects: this.secrets.objects,
      sameMachine: new SameMachine(
        this.notices,
        () => this.settings.distinctNodes,
        (object) => desired.anywhere(object),
        (object) => desired.ofOthers(object),
      ),
      removals: (url, label, endpoint) =>
        new RemovalBudget(() => this.settings, url, label, { endpoint, removed, changed, sync }),
    };
  }

  /** Takes the stack's configuration. Synchronous, since the engine's first calls do not wait for it. */
  configure(config: ReadConfig): void {
    this.config = config;
    this.read = undefined;
    this.named.clear();
  }

  /** @throws {ConfigError} when configuration or environment make no sense. */
  get settings(): Settings {
    this.read ??= readSettings(this.config, this.env);
    return this.read;
  }

  /** Milliseconds since 1970, for comparison with `expires`: one time for all that runs without a pause, such as a check. */
  get today(): number {
    if (this.instant === undefined) {
      this.instant = this.shared.world.wall();
      queueMicrotask(() => {
        this.instant = undefined;
      });
    }
    return this.instant;
  }

  /** Milliseconds of a clock that only goes forward. */
  get now(): number {
    return this.shared.world.monotonic();
  }

  /** The node for an argument. Nothing is sent yet. @throws {ConfigError} */
  node(argument: unknown): NodeInUse {
    if (typeof argument !== "string" && argument !== undefined) return this.open(this.settings.node(argument));
    const node = this.named.get(argument) ?? this.open(this.settings.node(argument));
    this.named.set(argument, node);
    return node;
  }

  /** The node of a target. Nothing is sent yet. */
  open(target: Target<NodeOptions>): NodeInUse {
    return cached(this.nodes, target, () => new NodeInUse(target, this.shared));
  }

  /** A node at an address, in use already or in the configuration, under any name. */
  nodeAt(endpoint: string): NodeInUse | undefined {
    const isThere = (node: NodeInUse) => node.endpoint === endpoint && node.remedy === undefined;
    const inUse = [...this.nodes.values()].find(isThere);
    return inUse ?? this.knownNodes().find(isThere);
  }

  /** The nodes of the configuration. Nothing is sent yet. */
  knownNodes(): NodeInUse[] {
    return this.settings.knownNodes().map((target) => this.open(target));
  }

  /** The receiver for an argument. Nothing is sent yet. @throws {ConfigError} */
  receiver(argument: unknown): ReceiverInUse {
    const target = this.settings.receiver(argument);
    return cached(this.receivers, target, () => new ReceiverInUse(target, this.shared));
  }

  /** @throws {Error} if the stack is read-only, or its audit log cannot be written. */
  requireWritable(subject: string): void {
    const { readOnly, auditLog } = this.settings;
    if (readOnly) throw new Error(`${subject}: this stack is read-only (packetfilter:readOnly), nothing was sent.`);
    if (auditLog !== undefined) requireAuditLog(auditLog, subject);
  }

  /** Writes a mutation to the audit log, if there is a log; without one the record is not made. The mutation is done: a failure is a warning. */
  private audit(make: () => AuditRecord | undefined): void {
    const { auditLog, actor } = this.settings;
    const record = auditLog === undefined ? undefined : make();
    if (auditLog === undefined || record === undefined) return;
    const { node: at, set } = record;
    caught(
      () => appendAudit(auditLog, { time: new Date(this.today).toISOString(), actor, ...this.secrets.hideIn(record) }),
      Error,
      ({ message: reason }) => {
        const url = set.includes("://") ? set : undefined;
        this.notices.report({ kind: "notLogged", at, url, file: auditLog, reason });
      },
    );
  }

  /** Place of a resource's set or signaling, by its arguments or state; `undefined` if it is unknown. */
  private placeOf(resource: JsonObject): Place | undefined {
    const { node, nodes, receiver, prefixes, endpoint } = resource;
    // A group is at many places.
    if (nodes !== undefined) return undefined;
    // The resource's own check or call reports a failure.
    const place = attempt(() => (prefixes === undefined ? this.node(node) : this.receiver(receiver)));
    if (place === undefined || (endpoint !== undefined && endpoint !== place.endpoint)) return undefined;
    return { name: place.name, endpoint: place.endpoint };
  }

  /** Aborts once the engine wants the process to end, or the operation's time has passed: what only waits is waited for no longer. */
  get cancelled(): AbortSignal {
    const [ending, limit] = [this.ending.signal, this.limits?.signal];
    const signal = limit ? AbortSignal.any([ending, limit]) : ending;
    // The checks of a wave listen beside each other, one for each node.
    setMaxListeners(0, signal);
    return signal;
  }

  cancel(): void {
    this.ending.abort();
  }

  /** A check got unknown arguments, as only in a preview: in an `up` all arguments are known by then. */
  seePreview({ urn }: About): void {
    this.previewed.add(urn).add(undefined);
  }

  /** True if unknown arguments of a resource come from its program; without a urn, from the program of any resource. */
  isPreview({ urn }: About = {}): boolean {
    return this.previewed.has(urn);
  }

  /** Counts an operation as running until it has ended. */
  during<T>(operation: Promise<T>): Promise<T> {
    return counted(this.runningOperations, operation);
  }

  /** Counts a check as under way until it has ended. */
  checking<T>(check: Promise<T>): Promise<T> {
    return counted(this.checks, check);
  }

  /** Waits for the checks under way, and for the states that the engine then shows. @returns true if there was a check */
  async waitForPriorStates(): Promise<boolean> {
    if (this.checks.size === 0) return false;
    const until = this.now + TOLD_AT_MOST_MS;
    const wait = () => pause(this.shared.world, TOLD_WITHIN_MS, this.cancelled);
    while (this.checks.size > 0 && this.now < until && !this.cancelled.aborted) await wait();
    await wait();
    return true;
  }

  /** True if no operation is running. */
  get isIdle(): boolean {
    return this.runningOperations.size === 0;
  }

  /** Settles when no operation is running. */
  async idle(): Promise<void> {
    while (this.runningOperations.size > 0) await Promise.all(this.runningOperations);
  }
}

/** Keeps a promise among others until it has ended. */
function counted<T>(all: Set<Promise<void>>, promise: Promise<T>): Promise<T> {
  const ended = promise.then(
    () => void all.delete(ended),
    () => void all.delete(ended),
  );
  all.add(ended);
  return promise;
}

/** Connections with equal options are one connection; a rotated key makes another one. */
function cached<O extends NodeOptions | ReceiverOptions, T>(
  opened: Map<string, T>,
  target: Target<O>,
  open: () => T,
): T {
  const key = JSON.stringify([target.name, target.options]);
  const connection = opened.get(key) ?? open();
  opened.set(key, connection);
  return connection;
}
