import { Crowd } from "../batch/crowd";
import { ObservedSet } from "../batch/observed-set";
import { realSchedule, type Schedule } from "../batch/schedule";
import { SetWriter } from "../batch/set-writer";
import { SharedReads } from "../batch/shared-reads";
import { RequestError } from "../client/errors";
import { NodeClient } from "../client/node-client";
import { DEFAULTS, type NodeOptions, type ReceiverOptions } from "../client/options";
import { SignalingClient } from "../client/signaling-client";
import type { World } from "../client/world";
import type { Prefix } from "../model/prefix";
import { formatUrl, type PrefixSetUrl } from "../model/resource-url";
import { type AuditRecord, appendAudit } from "./audit-log";
import { type Environment, type ReadConfig, readSettings, type Settings, type Target } from "./settings";
import { KeyRegistry, type Place } from "./wanted";

/** A node in use: where it is and what is kept for it in this process. */
export interface NodeInUse extends Place {
  /** How messages call it: its name, else its address. */
  readonly label: string;
  readonly client: NodeClient;
  readonly fromEnvironment: boolean;
  /** Writer and shared list of one set. */
  set(url: PrefixSetUrl): SetInUse;
}

export interface SetInUse {
  readonly writer: SetWriter;
  readonly reads: SharedReads<ObservedSet>;
}

/** A receiver in use. */
export interface ReceiverInUse extends Place {
  readonly label: string;
  readonly client: SignalingClient;
  readonly fromEnvironment: boolean;
  readonly reads: SharedReads<readonly Prefix[]>;
}

/** What the runtime needs from the process that it lives in. */
export interface Surroundings {
  readonly env: Environment;
  /** Shows a sentence to the user. */
  readonly print: (line: string) => void;
  readonly now: () => number;
  /** Timers, randomness and transport of the clients, where they are not the system's. */
  readonly world?: Partial<World>;
  /** Timers of the writers, where they are not the system's. */
  readonly schedule?: Schedule;
}

/** Refusals by which the node says nothing about the entries sent: smaller requests would meet the same. */
const ABOUT_THE_CALLER: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 401, 403, 405, 407, 501, 505, 507]);

/**
 * Everything that the resources of one deployment share: settings, connections, writers, and what has been said about
 * which keys. The engine starts one provider process for each deployment.
 */
export class Runtime {
  /** Keys that some resource of this deployment wants; nothing of it may be removed. */
  readonly wanted = new KeyRegistry();
  /** Keys that the state of some resource of this deployment holds. */
  readonly owned = new KeyRegistry();

  private config: ReadConfig = () => undefined;
  private read: Settings | undefined;
  private readonly nodes = new Map<string, NodeInUse>();
  private readonly receivers = new Map<string, ReceiverInUse>();
  private readonly said = new Set<string>();
  private readonly crowd: Crowd;

  constructor(readonly surroundings: Surroundings) {
    this.crowd = new Crowd(surroundings.schedule);
  }

  /** Takes the stack's configuration. Synchronous, since the engine's first calls do not wait for it. */
  configure(config: ReadConfig): void {
    this.config = config;
    this.read = undefined;
  }

  /** @throws {ConfigError} when configuration or environment make no sense. */
  get settings(): Settings {
    this.read ??= readSettings(this.config, this.surroundings.env);
    return this.read;
  }

  /** The node for an argument. Nothing is sent yet. @throws {ConfigError} */
  node(argument: unknown): NodeInUse {
    const target = this.settings.node(argument);
    return cached(this.nodes, target, () => this.openNode(target));
  }

  /** The receiver for an argument. Nothing is sent yet. @throws {ConfigError} */
  receiver(argument: unknown): ReceiverInUse {
    const target = this.settings.receiver(argument);
    return cached(this.receivers, target, () => {
      const client = new SignalingClient(target.options, this.surroundings.world);
      const { endpoint } = client;
      const reads = new SharedReads<readonly Prefix[]>(() => client.status(), this.surroundings.now);
      const label = target.name ?? endpoint;
      return { name: target.name, endpoint, label, client, reads, fromEnvironment: target.fromEnvironment };
    });
  }

  /** Shows a line once; the engine asks the same question twice for one resource. */
  say(line: string): void {
    if (this.said.has(line)) return;
    this.said.add(line);
    this.surroundings.print(line);
  }

  /** Shows a warning. */
  warn(message: string): void {
    this.say(`warning: ${message}`);
  }

  /** Writes a mutation to the audit log, if the stack has one. */
  audit(record: AuditRecord): void {
    const { auditLog, actor } = this.settings;
    if (auditLog === undefined) return;
    appendAudit(auditLog, { time: new Date(this.surroundings.now()).toISOString(), actor, ...record });
  }

  /** Counts an operation as in hand until it has ended. */
  during<T>(operation: Promise<T>): Promise<T> {
    const ended = operation.then(
      () => void this.inHand.delete(ended),
      () => void this.inHand.delete(ended),
    );
    this.inHand.add(ended);
    return operation;
  }

  /** Settles when nothing is in hand. */
  async idle(): Promise<void> {
    while (this.inHand.size > 0) await Promise.all(this.inHand);
  }

  private readonly inHand = new Set<Promise<void>>();

  private openNode({ name, options, fromEnvironment }: Target<NodeOptions>): NodeInUse {
    const client = new NodeClient(options, this.surroundings.world);
    const sets = new Map<string, SetInUse>();
    const label = name ?? client.endpoint;
    const set = (url: PrefixSetUrl) => {
      const key = formatUrl(url);
      const known = sets.get(key);
      if (known) return known;
      const made = this.openSet(client, url, { name, endpoint: client.endpoint, label }, options);
      sets.set(key, made);
      return made;
    };
    return { name, endpoint: client.endpoint, label, client, fromEnvironment, set };
  }

  private openSet(
    client: NodeClient,
    url: PrefixSetUrl,
    node: Place & { readonly label: string },
    options: NodeOptions,
  ): SetInUse {
    const key = formatUrl(url);
    const list = async () => ObservedSet.of(await client.listPrefixSet(url));
    const reads = new SharedReads(list, this.surroundings.now);
    const writer = new SetWriter({
      label: `${key} on ${node.label}`,
      reads,
      requests: {
        list,
        insert: (entries) => client.insert(url, entries),
        delete: (spellings, how) => client.delete(url, spellings, how),
        commit: () => client.commit(url),
      },
      judge: {
        isRefusal: (error): error is Error =>
          error instanceof RequestError && error.outcome === "refused" && !ABOUT_THE_CALLER.has(error.status ?? 0),
        wasRepeated: (error) => error instanceof RequestError && error.tries > 1,
      },
      quietMs: options.commitCoalesceMs ?? DEFAULTS.commitCoalesceMs,
      deadlineMs: options.deadlineMs ?? DEFAULTS.deadlineMs,
      foreignStaged: options.foreignStaged,
      isWanted: (prefix) => this.wanted.has(node, key, prefix),
      warn: (message) => this.warn(message),
      crowd: this.crowd,
      now: this.surroundings.now,
      schedule: this.surroundings.schedule ?? realSchedule,
    });
    return { writer, reads };
  }
}

/** Connections with equal options are one connection, whoever asks; a rotated key makes another one. */
function cached<O extends NodeOptions | ReceiverOptions, T>(
  known: Map<string, T>,
  target: Target<O>,
  open: () => T,
): T {
  const key = JSON.stringify([target.name, target.options]);
  const found = known.get(key) ?? open();
  known.set(key, found);
  return found;
}
