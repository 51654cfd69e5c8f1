import { InFlight } from "../batch/in-flight";
import { pause } from "../client/clock";
import type { NodeOptions, ReceiverOptions } from "../client/options";
import { systemWorld, type World } from "../client/world";
import { attempt } from "../model/errors";
import type { JsonObject } from "../model/json";
import { Advice } from "./advice";
import { type AuditRecord, appendAudit } from "./audit-log";
import type { ReadConfig } from "./config-keys";
import { Declarations } from "./conflicts";
import type { Shared } from "./connections";
import type { Environment } from "./environment-credentials";
import type { About } from "./handler";
import { RemovalBudget } from "./limits/removals";
import { Look } from "./look";
import { NodeInUse } from "./node-in-use";
import { Notices } from "./notices";
import { ReceiverInUse } from "./receiver-in-use";
import { SameMachine } from "./same-machine";
import { SecretArguments } from "./secret-arguments";
import { readSettings, type Settings, type Target } from "./settings";
import { KeyRegistry, type OtherProcesses, type Place } from "./wanted";

/** Milliseconds from a check's answer within which the engine tells what the state has of the same resource. */
const TOLD_WITHIN_MS = 100;
/** Milliseconds after which what the engine is about to tell of is waited for no longer. */
const TOLD_AT_MOST_MS = 5_000;

/** Surroundings of the runtime in its process. */
export interface Surroundings {
  readonly env: Environment;
  /** Shows a sentence to the user. */
  readonly print: (line: string) => void;
  /** Clocks, timers, randomness and transport, where they are not the system's. */
  readonly world?: Partial<World>;
  /** Steps that the engine runs in parallel by default; absent if that is not known. */
  readonly usualSteps?: number;
  /** Other provider processes of the same deployment, where there can be some. */
  readonly others?: OtherProcesses;
}

/**
 * Everything that the resources of one deployment share: settings, connections, writers, and which keys
 * are wanted or owned. The engine starts one provider process for each provider resource of a deployment, which is one as a rule.
 */
export class Runtime {
  /** Secrets that no message and no line of the audit log may show. */
  readonly secrets = new SecretArguments((resource) => this.placeOf(resource));
  readonly notices: Notices;
  /** Advice of errors. */
  readonly advice = new Advice();
  /** Look at nodes and receivers before anything is decided. */
  readonly look: Look;
  /** Registries that the connections share, and wanted and owned keys. */
  readonly shared: Shared;
  readonly env: Environment;
  private config: ReadConfig = () => undefined;
  private read: Settings | undefined;
  private readonly nodes = new Map<string, NodeInUse>();
  /** Nodes by their names, and the unnamed one: reading a configuration of a thousand for each of them would take seconds. */
  private readonly named = new Map<string | undefined, NodeInUse>();
  private readonly receivers = new Map<string, ReceiverInUse>();
  private readonly inHand = new Set<Promise<void>>();
  private readonly checks = new Set<Promise<void>>();
  /** Urns of resources whose check got something unknown, and `undefined` once there is one. */
  private readonly previewed = new Set<string | undefined>();
  private readonly ending = new AbortController();

  constructor({ env, print, world: given, usualSteps, others }: Surroundings) {
    const world = { ...systemWorld, ...given };
    const wanted = new KeyRegistry("wanted", others);
    const removed = new KeyRegistry("removed", others);
    const changed = new KeyRegistry("changed", others);
    const learn = () => others?.learn();
    this.env = env;
    this.notices = new Notices((line) => print(this.secrets.hide(line)));
    this.look = new Look(world, this, () => this.settings);
    this.shared = {
      world,
      notices: this.notices,
      inFlight: new InFlight(world, usualSteps),
      wanted,
      owned: new KeyRegistry("owned", others),
      leaving: new KeyRegistry("leaving", others),
      declared: new Declarations(),
      learn,
      secretObjects: this.secrets.objects,
      sameMachine: new SameMachine(
        this.notices,
        () => this.settings.distinctNodes,
        (object) => wanted.anywhere(object),
        (object) => wanted.ofOthers(object),
      ),
      removals: (url, label, endpoint) =>
        new RemovalBudget(() => this.settings, url, label, { endpoint, removed, changed, learn }),
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

  /** Milliseconds since 1970: what `expires` is compared with. */
  get today(): number {
    return this.shared.world.wall();
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

  /** A node that this deployment knows at an address, whatever its name: in use already, or in the configuration. */
  nodeAt(endpoint: string): NodeInUse | undefined {
    const isThere = (node: NodeInUse) => node.endpoint === endpoint && node.wayOut === undefined;
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

  /** @throws {Error} where the stack's configuration lets nothing be changed. */
  requireWritable(subject: string): void {
    if (!this.settings.readOnly) return;
    throw new Error(`${subject}: this stack is read-only (packetfilter:readOnly), nothing was sent.`);
  }

  /** Writes a mutation to the audit log, if it is one; without a log the record is not even made. */
  audit(make: () => AuditRecord | undefined): void {
    const { auditLog, actor } = this.settings;
    const record = auditLog === undefined ? undefined : make();
    if (auditLog === undefined || record === undefined) return;
    appendAudit(auditLog, { time: new Date(this.today).toISOString(), actor, ...this.secrets.hideIn(record) });
  }

  /** Place of a resource's set or signaling, by its arguments or state; `undefined` if it is unknown. */
  private placeOf(resource: JsonObject): Place | undefined {
    const { node, nodes, receiver, prefixes, endpoint } = resource;
    // A group is at many places.
    if (nodes !== undefined) return undefined;
    // Where it fails, the resource's own check or call says what is wrong.
    const place = attempt(() => (prefixes === undefined ? this.node(node) : this.receiver(receiver)));
    if (place === undefined || (endpoint !== undefined && endpoint !== place.endpoint)) return undefined;
    return { name: place.name, endpoint: place.endpoint };
  }

  /** Aborts once the engine wants the process to end: what only waits is waited for no longer. */
  get cancelled(): AbortSignal {
    return this.ending.signal;
  }

  /** The engine wants the process to end. */
  cancel(): void {
    this.ending.abort();
  }

  /** A check got something unknown, which only that of a preview does: in an `up` all that a program says is known by then. */
  seePreview({ urn }: About): void {
    this.previewed.add(urn).add(undefined);
  }

  /** True where what is unknown of a resource is so by its program; of one whose urn is not told, by that of any. */
  isPreview({ urn }: About = {}): boolean {
    return this.previewed.has(urn);
  }

  /** Counts an operation as in hand until it has ended. */
  during<T>(operation: Promise<T>): Promise<T> {
    return counted(this.inHand, operation);
  }

  /** Counts a check as under way until it has ended. */
  checking<T>(check: Promise<T>): Promise<T> {
    return counted(this.checks, check);
  }

  /**
   * Waits for the checks that are under way, which look at nodes first, and for what the engine then tells of the same
   * resources: what their state holds is not known before.
   *
   * @returns whether there was any
   */
  async toldOfMore(): Promise<boolean> {
    if (this.checks.size === 0) return false;
    const until = this.now + TOLD_AT_MOST_MS;
    const wait = () => pause(this.shared.world, TOLD_WITHIN_MS, this.cancelled);
    while (this.checks.size > 0 && this.now < until && !this.cancelled.aborted) await wait();
    await wait();
    return true;
  }

  /** Settles when nothing is in hand. */
  async idle(): Promise<void> {
    while (this.inHand.size > 0) await Promise.all(this.inHand);
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
