import { Crowd } from "../batch/crowd";
import type { NodeOptions, ReceiverOptions } from "../client/options";
import { systemWorld, type World } from "../client/world";
import { type AuditRecord, appendAudit } from "./audit-log";
import { NodeInUse, ReceiverInUse, type Shared } from "./connections";
import { Notices } from "./notices";
import { Secrets } from "./secrets";
import { type Environment, type ReadConfig, readSettings, type Settings, type Target } from "./settings";
import { KeyRegistry } from "./wanted";

/** What the runtime needs from the process that it lives in. */
export interface Surroundings {
  readonly env: Environment;
  /** Shows a sentence to the user. */
  readonly print: (line: string) => void;
  /** Clocks, timers, randomness and transport, where they are not the system's. */
  readonly world?: Partial<World>;
}

/**
 * Everything that the resources of one deployment share: settings, connections, writers, and what has been said about
 * which keys. The engine starts one provider process for each deployment.
 */
export class Runtime {
  /** What must stand in no sentence and no line of the audit log. */
  readonly secrets = new Secrets();
  readonly notices: Notices;
  private readonly shared: Shared;
  private readonly env: Environment;
  private config: ReadConfig = () => undefined;
  private read: Settings | undefined;
  private readonly nodes = new Map<string, NodeInUse>();
  private readonly receivers = new Map<string, ReceiverInUse>();
  private readonly inHand = new Set<Promise<void>>();

  constructor({ env, print, world: given }: Surroundings) {
    const world = { ...systemWorld, ...given };
    this.env = env;
    this.notices = new Notices((line) => print(this.secrets.hide(line)));
    this.shared = {
      world,
      notices: this.notices,
      crowd: new Crowd(world),
      wanted: new KeyRegistry(),
      owned: new KeyRegistry(),
    };
  }

  /** Takes the stack's configuration. Synchronous, since the engine's first calls do not wait for it. */
  configure(config: ReadConfig): void {
    this.config = config;
    this.read = undefined;
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

  /** The node for an argument. Nothing is sent yet. @throws {ConfigError} */
  node(argument: unknown): NodeInUse {
    const target = this.settings.node(argument);
    return cached(this.nodes, target, () => new NodeInUse(target, this.shared));
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

  /** Writes a mutation to the audit log, if the stack has one. */
  audit(record: AuditRecord): void {
    const { auditLog, actor } = this.settings;
    if (auditLog === undefined) return;
    appendAudit(auditLog, { time: new Date(this.today).toISOString(), actor, ...this.secrets.hideIn(record) });
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
