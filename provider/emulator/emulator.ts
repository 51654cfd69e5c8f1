import { failRun, UnmetFaultError } from "./behaviour/unmet-faults";
import * as given from "./control/arguments";
import { isolatedAsJson, isolatedOptions } from "./control/emulators";
import { EmulatorMembers } from "./control/operations";
import { receiveTraffic } from "./control/traffic";
import { Isolated, type IsolatedOptions } from "./isolated";
import type { EmulatorOptions } from "./options";
import type { TrafficSource, TrafficSummary } from "./packets";
import type { VirtualClock } from "./time/clock";
import { IdleWatch } from "./time/idle-watch";
import { strictly } from "./validation/strict";
import { type Assembly, assemble } from "./wiring";

/**
 * A running emulator: a node and a signaling receiver. By its members, a test reads and changes them without their APIs.
 *
 * @example
 * ```ts
 * await using emulator = await startEmulator({
 *   state: { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 } } } } },
 * });
 * emulator.fail({ cmd: "commit", nth: 1, status: 503 });
 * emulator.prefixSet("prefixset://edge/blocked").applied;   // { "192.0.2.0/24": 1 }
 * ```
 */
export class Emulator extends EmulatorMembers implements AsyncDisposable {
  /** Resolves when it has ended: closed here, or stopped over the control API. */
  readonly closed: Promise<void>;
  private closing: Promise<void> | undefined;
  private ended = () => {};

  readonly #isolated: Isolated<Emulator>;

  private constructor(
    private readonly parts: Assembly,
    options: EmulatorOptions,
  ) {
    super(parts.simulation);
    this.closed = new Promise((resolve) => {
      this.ended = resolve;
    });
    // Only callers of `close` get its errors.
    parts.simulation.stop = () => void this.close().catch(() => {});
    this.#isolated = new Isolated(async ({ label, idleMs = 0, ...given }) => {
      const emulator = await Emulator.start({ ...inherited(options, parts), ...given });
      emulator.beginRun(label);
      if (idleMs > 0) emulator.#endWhenIdle(idleMs);
      return emulator;
    });
    parts.simulation.isolated = this.#isolated;
  }

  /** See `startEmulator`. @internal */
  static async start(options: EmulatorOptions): Promise<Emulator> {
    return new Emulator(await assemble(options), options);
  }

  /** The virtual clock: `advance("1h")`, `freeze()`, `now`. */
  get clock(): VirtualClock {
    return this.parts.simulation.clock;
  }

  /** The seed of all random choices. */
  get seedNumber(): number {
    return this.parts.simulation.options.seed;
  }

  /**
   * Receives the next `count` packets of generated traffic and returns the totals. Other requests are served meanwhile.
   *
   * @param options `signal` ends it, as do `reset`, `seed` and the end of the emulator; the totals then cover the packets so far.
   */
  async receiveTraffic(traffic: TrafficSource, count: number, options: Ending = {}): Promise<TrafficSummary> {
    strictly(given.generatedTraffic, { traffic, count, options }, "receiveTraffic()");
    return receiveTraffic(this.parts.simulation, traffic, count, options.signal);
  }

  /**
   * Starts another emulator in this process, with its own state, journal, faults, clock and addresses. It ends when it is
   * closed, by `DELETE /emulators/{label}`, after `idleMs`, or with this one; a reset of this one does not affect it.
   *
   * @throws {TypeError} if an option is wrong or the label is in use; {StateError} if the state is wrong.
   * @example
   * ```ts
   * await using own = await emulator.isolated({ label: "file-7" });
   * await using program = await runProgram(own, { workDir: "infrastructure" });
   * await program.up();
   * own.expectRequests({ cmd: "commit" }, 1);
   * ```
   */
  async isolated(options: IsolatedOptions): Promise<Emulator> {
    return this.#isolated.start(strictly(isolatedOptions, isolatedAsJson(options), "isolated()"));
  }

  /**
   * Stops serving, breaks all connections, and writes pending changes to `persist`.
   *
   * @throws {UnmetFaultError} with the option `expectAllFaultsMet`, once all is closed.
   */
  close(): Promise<void> {
    this.closing ??= this.#end().finally(this.ended);
    return this.closing;
  }

  /**
   * As {@link close}, but unmet faults set the exit code instead of throwing: an error here would hide the failure of the
   * block itself.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.close();
    } catch (error) {
      if (!(error instanceof UnmetFaultError)) throw error;
      failRun(error);
    }
  }

  #endWhenIdle(idleMs: number): void {
    const watch = new IdleWatch(idleMs, this.parts.simulation.stop, this.parts.simulation.waits.timer);
    for (const server of [this.parts.server, this.parts.controlServer]) {
      server.watch((response) => void response.once("close", watch.begin()));
    }
    void this.closed.then(() => watch.stop());
  }

  async #end(): Promise<void> {
    const { simulation, server, controlServer, persistence, unlock, backends } = this.parts;
    simulation.clock.clear();
    simulation.contents.packetPath.end();
    simulation.waits.end();
    await Promise.all([server.close(), controlServer.close(), this.#isolated.endAll()]);
    try {
      await persistence?.whole();
    } finally {
      await Promise.all([unlock?.(), backends.close()]);
    }
    if (simulation.options.expectAllFaultsMet) this.expectAllFaultsMet();
  }
}

/** Option to end a long operation. */
interface Ending {
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** Options that an isolated emulator inherits: all except ports, files, addresses of other machines, `onRequest` and `expectAllFaultsMet`. */
function inherited(options: EmulatorOptions, { simulation }: Assembly): EmulatorOptions {
  const { dialect } = simulation;
  const { host, latency, commitLatency, bandwidth, auth, tls, journalLimits, runPause, marks, wall } = options;
  const { controlToken, seed } = simulation.options;
  const state = simulation.initial;
  const same = { host, dialect, latency, commitLatency, bandwidth, auth, tls, journalLimits, runPause, marks, wall };
  return { ...same, controlToken, seed, state };
}
