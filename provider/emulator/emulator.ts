import { failRun, UnmetFaultError } from "./behaviour/unmet-faults";
import * as given from "./control/arguments";
import { isolatedAsJson, isolatedOptions } from "./control/emulators";
import { EmulatorMembers } from "./control/operations";
import { receiveTraffic } from "./control/traffic";
import { Isolated, type IsolatedOptions } from "./isolated";
import type { EmulatorOptions } from "./options";
import type { TrafficSource, TrafficSummary } from "./packets";
import type { VirtualClock } from "./time/clock";
import { strictly } from "./validation/strict";
import { type Assembly, assemble } from "./wiring";

/**
 * A running emulator: a node and a signaling receiver on loopback, with members for a test to read and change them behind the backs of their clients.
 *
 * @example
 * ```ts
 * await using emulator = await startEmulator();
 * await fetch(`${emulator.endpoint}/fapi`, { method: "POST", body: '{"url":"prefixset://edge/blocked","cmd":"list"}' });
 * emulator.prefixSet("prefixset://edge/blocked").applied;   // { "192.0.2.0/24": 1, … }
 * ```
 */
export class Emulator extends EmulatorMembers implements AsyncDisposable {
  /** Resolves when it serves no more: closed here, or stopped from afar. */
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
    // Errors of closing go to callers that close it themselves.
    parts.simulation.stop = () => void this.close().catch(() => {});
    this.#isolated = new Isolated(async ({ label, ...given }) => {
      const emulator = await Emulator.start({ ...inherited(options, parts), ...given });
      emulator.beginRun(label);
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

  /** The seed of everything that is drawn by chance. */
  get seedNumber(): number {
    return this.parts.simulation.options.seed;
  }

  /**
   * Receives the next `count` packets of generated traffic, and sums up. Other requests are served meanwhile.
   *
   * @param options `signal` ends it, as `reset`, `seed` and the end of the emulator do; the sum is of the packets until then.
   */
  async receiveTraffic(traffic: TrafficSource, count: number, options: Ending = {}): Promise<TrafficSummary> {
    strictly(given.generatedTraffic, { traffic, count, options }, "receiveTraffic()");
    return receiveTraffic(this.parts.simulation, traffic, count, options.signal);
  }

  /**
   * Another emulator in this process, with state, journal, faults, clock and addresses of its own. It ends when it is closed, when its label is
   * ended (`DELETE /emulators/{label}`), or with this one; a reset of this one does not touch it.
   *
   * @throws {TypeError} where an option is wrong or the label is in use; {StateError} where the state is wrong.
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
   * Stops serving, breaks all connections, and writes changes that are not yet kept.
   *
   * @throws {UnmetFaultError} with the option `expectAllFaultsMet`, once all is closed.
   */
  close(): Promise<void> {
    this.closing ??= this.#end();
    return this.closing;
  }

  /**
   * As {@link close}, but for faults that were never met: they fail the run, not the block. What is thrown at the end of a block with
   * `await using` hides the failure of the block itself, of which nothing is known here.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.close();
    } catch (error) {
      if (!(error instanceof UnmetFaultError)) throw error;
      failRun(error);
    }
  }

  async #end(): Promise<void> {
    const { simulation, server, controlServer, persistence, unlock, backends } = this.parts;
    simulation.clock.clear();
    simulation.contents.packetPath.end();
    simulation.waits.end();
    await Promise.all([server.close(), controlServer.close(), this.#isolated.endAll()]);
    await persistence?.close();
    await unlock?.();
    await backends.close();
    this.ended();
    if (simulation.options.expectAllFaultsMet) this.expectAllFaultsMet();
  }
}

/** Way to end something that takes time. */
interface Ending {
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** Options that an isolated emulator inherits from the one that starts it: all but ports, files and other machines. */
function inherited(options: EmulatorOptions, { simulation }: Assembly): EmulatorOptions {
  const { host, dialect, latency, commitLatency, bandwidth, auth, tls, journalLimits, runPause, marks, wall } = options;
  const { controlToken, seed } = simulation.options;
  const state = simulation.initial;
  const same = { host, dialect, latency, commitLatency, bandwidth, auth, tls, journalLimits, runPause, marks, wall };
  return { ...same, controlToken, seed, state };
}
