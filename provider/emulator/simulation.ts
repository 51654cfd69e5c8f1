import type { Dialect } from "./behaviour/dialect";
import { Faults } from "./behaviour/faults";
import { Journal } from "./journal/journal";
import { RequestCounts } from "./journal/request-counts";
import type { ResolvedOptions } from "./options";
import { SignalingDeployment } from "./signaling/signaling-deployment";
import { Bindings } from "./state/bindings";
import { defaultClients, defaultState, defaultTestClients } from "./state/default-state";
import { World } from "./state/holdings";
import { PacketPath } from "./state/packet-path";
import { Snapshots } from "./state/snapshots";
import { type EmulatorState, parseState, type SignalingClientState } from "./state/state";
import { VirtualClock, type Wall } from "./time/clock";
import { Waits } from "./time/waits";

/** What a state becomes once it is loaded. Replaced whole by a seed, never changed in part. */
interface Loaded {
  readonly world: World;
  readonly signaling: SignalingDeployment;
  readonly testSignaling: SignalingDeployment;
  readonly bindings: Bindings;
  readonly packetPath: PacketPath;
}

/** Everything that an emulator is besides its sockets: the APIs, the control API and the in-process API all work on it. */
export class Core {
  readonly clock: VirtualClock;
  readonly waits: Waits;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly counts = new RequestCounts();
  readonly snapshots = new Snapshots();
  private readonly listeners = new Set<() => void>();
  /** How the open points of the contract are settled at the moment. */
  dialect: Dialect;
  private loaded: Loaded;
  private readonly initial: EmulatorState;

  constructor(
    readonly options: ResolvedOptions,
    wall: Wall,
  ) {
    this.clock = new VirtualClock(wall);
    this.waits = new Waits(wall);
    this.faults = new Faults(options.seed);
    this.journal = new Journal(options.journalLimits);
    this.journal.listen(this.counts.count);
    this.dialect = options.dialect;
    this.initial = options.state ?? defaultState;
    this.loaded = this.load(this.initial);
  }

  get world(): World {
    return this.loaded.world;
  }
  get signaling(): SignalingDeployment {
    return this.loaded.signaling;
  }
  get testSignaling(): SignalingDeployment {
    return this.loaded.testSignaling;
  }
  get bindings(): Bindings {
    return this.loaded.bindings;
  }
  get packetPath(): PacketPath {
    return this.loaded.packetPath;
  }

  /** Replaces what is held. @throws {StateError} and then nothing is replaced. */
  seed(state: EmulatorState): void {
    const loaded = this.load(state);
    this.loaded = loaded;
    this.changed();
  }

  /** To be called after every change of what is held. */
  changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** Calls back after every change of what is held. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Back to the start. */
  reset(): void {
    this.clock.restart();
    this.faults.clear();
    this.journal.clear();
    this.dialect = this.options.dialect;
    this.seed(this.initial);
  }

  /** What is held, in the form that {@link seed} takes. */
  export(): EmulatorState {
    const clients = (deployment: SignalingDeployment) => [...deployment.clients.values()].map((it) => it.export());
    return {
      ...this.world.export((arena, profile) => this.packetPath.marks(arena, profile).export()),
      signaling: { clients: clients(this.signaling), testClients: clients(this.testSignaling) },
    };
  }

  /** Drops all staged entries of the node, as a restart does. */
  discardStaged(): void {
    for (const [, set] of this.world.sets()) set.discard();
    this.changed();
  }

  private load(state: EmulatorState): Loaded {
    const parsed = parseState(state);
    const world = new World(parsed);
    const deployment = (clients: readonly SignalingClientState[]) =>
      new SignalingDeployment(clients, this.clock, () => this.changed());
    const signaling = deployment(parsed.signaling?.clients ?? defaultClients);
    const testSignaling = deployment(parsed.signaling?.testClients ?? defaultTestClients);
    const bindings = new Bindings(world, signaling);
    const packetPath = new PacketPath(world, bindings, this.clock, this.options.marks);
    return { world, signaling, testSignaling, bindings, packetPath };
  }
}
