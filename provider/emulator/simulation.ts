import type { Dialect } from "./behaviour/dialect";
import { Faults } from "./behaviour/faults";
import type { EmulatorInfo, EmulatorSources } from "./info";
import { Isolated } from "./isolated";
import { Journal, RequestCounts } from "./journal/journal";
import { Secrets } from "./journal/redaction";
import { Runs } from "./journal/runs";
import { MarkHistory } from "./marks/mark-history";
import type { ResolvedOptions } from "./options";
import { Contents, liveMarks } from "./state/contents";
import { defaultState } from "./state/default-state";
import type { Change } from "./state/persistence";
import { type EmulatorState, readState } from "./state/state";
import { elapsed, VirtualClock, Waits, type Wall } from "./time/clock";
import { Link } from "./time/link";

/** Addresses of an emulator, with its token and certificates. */
export type Addresses = Omit<EmulatorInfo, "clients" | "testClients" | "dialect" | keyof EmulatorSources>;

/**
 * All parts of an emulator except its sockets: content, behaviour, time and journal. The APIs of the protocol, the control
 * API and the object of a test work on one simulation.
 */
export class Simulation {
  readonly clock: VirtualClock;
  readonly waits: Waits;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly counts = new RequestCounts();
  readonly snapshots = new Map<string, EmulatorState>();
  readonly markHistory: MarkHistory;
  /** Start by the date of the machine, which distinguishes an emulator from an earlier one at the same address. */
  readonly started: Date;
  /** The present settings of all switches. */
  dialect: Dialect;
  /** The line to the callers, if it takes time. Replaced at each {@link reset}, so that the same requests wait as long again. */
  link: Link | undefined;
  /** Content. Replaced at every {@link seed}, so read it each time. */
  contents: Contents;
  /** Secrets to redact: those of the signaling clients, of the node API and of the control API. */
  secrets: Secrets;
  private readonly resets = new Set<() => void>();
  private readonly listeners = new Set<(change: Change) => void>();
  /** Resolves when all present changes are on disk; absent without `persist`. */
  durable: (() => Promise<void>) | undefined;
  /** Address by which this process reaches its own protocol port. */
  origin = "";
  /** Ends the emulator of this simulation. */
  stop: () => void = () => {};
  /** Emulators started by this one, each with its own simulation. */
  isolated: Isolated = new Isolated(() => Promise.reject(new Error("this emulator cannot start others")));
  /** State at the start, a copy of the caller's. */
  readonly initial: EmulatorState;

  constructor(
    readonly options: ResolvedOptions,
    private readonly wall: Wall,
    readonly addresses: Addresses,
    /** Sources of its answers, and its files. */
    public sources: EmulatorSources,
    state?: EmulatorState,
  ) {
    this.started = new Date(wall.now());
    this.clock = new VirtualClock(wall);
    this.markHistory = new MarkHistory(this.clock, () => liveMarks(this.contents));
    this.waits = new Waits(wall);
    this.link = this.lineToCallers();
    this.faults = new Faults(options.seed);
    this.journal = new Journal(new Runs(options.runPause, this.elapsed), options.journalLimits);
    this.journal.listen(this.counts.count);
    this.dialect = options.dialect;
    this.initial = readState(state ?? defaultState);
    this.contents = this.load(this.initial);
    this.secrets = this.secretsOf(this.contents);
    this.onChange((change) => {
      if (change === "marks") this.markHistory.follow();
    });
  }

  /** Milliseconds of the machine since a fixed moment, for durations. */
  readonly elapsed = (): number => elapsed(this.wall);

  /** Replaces the content. @throws {StateError} without a change. */
  seed(state: EmulatorState): void {
    const next = this.load(state);
    this.contents.packetPath.end();
    this.contents = next;
    this.secrets = this.secretsOf(next);
    this.markHistory.follow();
    this.changed("content");
  }

  /** Must be called after every change of the content. */
  readonly changed = (change: Change): void => {
    for (const listener of this.listeners) listener(change);
  };

  /** Calls back after every change of the content. */
  onChange(listener: (change: Change) => void): void {
    this.listeners.add(listener);
  }

  /** Calls back after every {@link reset}. */
  readonly onReset = (listener: () => void): void => {
    this.resets.add(listener);
  };

  /** Restores the start: see `Emulator.reset`. */
  reset(): void {
    this.clock.restart();
    this.markHistory.clear();
    this.faults.clear();
    this.journal.clear();
    this.dialect = this.options.dialect;
    this.link = this.lineToCallers();
    this.seed(this.initial);
    for (const listener of this.resets) listener();
  }

  /** Drops all staged entries of the node, as a restart does. */
  discardStaged(): void {
    for (const [, set] of this.contents.holdings.sets()) set.discard();
    this.changed("content");
  }

  private lineToCallers(): Link | undefined {
    const { latency, commitLatency, bandwidth } = this.options;
    const takesTime = latency.to > 0 || commitLatency.to > 0 || bandwidth !== undefined;
    return takesTime ? new Link(this.options, this.waits, this.elapsed) : undefined;
  }

  private secretsOf(contents: Contents): Secrets {
    const { auth, controlToken } = this.options;
    const node = auth === undefined ? [] : "bearer" in auth ? [auth.bearer] : [auth.basic.password];
    return new Secrets([...node, ...(controlToken === undefined ? [] : [controlToken]), ...contents.secretKeys()]);
  }

  private load(state: EmulatorState): Contents {
    const limits = { marks: this.options.marks, lease: this.dialect.lease };
    return new Contents(state, this.clock, limits, () => this.changed("content"));
  }
}
