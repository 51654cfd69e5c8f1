import { type Dialect, type DialectSettings, dialect } from "./behaviour/dialect";
import { EmulatorContents } from "./contents";
import type { ClientTls } from "./http/tls";
import type { EmulatorOptions } from "./options";
import { type ClientCredentials, credentials, type EmulatorInfo } from "./signaling/credentials";
import type { VirtualClock } from "./time/clock";
import { type Assembly, assemble } from "./wiring";

/**
 * A running emulator: a node and a signaling receiver on loopback, and what a test asks and changes behind the backs of their clients.
 *
 * @example
 * ```ts
 * await using emulator = await startEmulator();
 * await fetch(`${emulator.endpoint}/fapi`, { method: "POST", … });
 * emulator.prefixSet("prefixset://edge/blocked").applied;   // { "192.0.2.0/24": 1, … }
 * ```
 */
export class Emulator extends EmulatorContents implements AsyncDisposable {
  private constructor(private readonly parts: Assembly) {
    super(parts.simulation);
    parts.control.serve(this);
  }

  /** See `startEmulator`. @internal */
  static async start(options: EmulatorOptions): Promise<Emulator> {
    return new Emulator(await assemble(options));
  }

  /** With `tls: true` or `"mutual"`: what a client trusts, and its own certificate, in PEM. */
  get tls(): ClientTls | undefined {
    return this.parts.tls;
  }

  /** The virtual clock: `advance("1h")`, `freeze()`, `now`. */
  get clock(): VirtualClock {
    return this.simulation.clock;
  }

  /** Base address of the node API, without `/fapi`. */
  get endpoint(): string {
    return this.parts.server.origin;
  }

  /** Base address of the signaling API. */
  get signalingUrl(): string {
    return `${this.parts.server.origin}/path`;
  }

  /** Base address of the test deployment of the signaling API. */
  get testSignalingUrl(): string {
    return `${this.parts.server.origin}/request`;
  }

  /** Base address of the control API, which is no part of the protocol. */
  get control(): string {
    return this.parts.controlServer.origin;
  }

  /** The token that the control API wants, if it wants one. */
  get controlToken(): string | undefined {
    return this.simulation.options.controlToken;
  }

  /** The clients of the signaling API. */
  get clients(): readonly ClientCredentials[] {
    return credentials(this.simulation.contents.signaling);
  }

  /** The two clients of the test deployment. */
  get testClients(): readonly ClientCredentials[] {
    return credentials(this.simulation.contents.testSignaling);
  }

  /** What the ready line of the command says. */
  info(): EmulatorInfo {
    const { endpoint, signalingUrl, testSignalingUrl, control, clients, testClients, controlToken, tls } = this;
    const info = { endpoint, signalingUrl, testSignalingUrl, control, clients, testClients };
    return { ...info, ...(controlToken !== undefined && { controlToken }), ...(tls && { tls }) };
  }

  /** The seed of everything that is drawn by chance. */
  get seedNumber(): number {
    return this.simulation.options.seed;
  }

  /** How the open points of the contract are settled. */
  get dialect(): Dialect {
    return this.simulation.dialect;
  }

  /** Changes the dialect from the next request on, by name or by switches; switches not given have their defaults. */
  setDialect(choice: string | DialectSettings): void {
    this.simulation.dialect = dialect(choice);
  }

  /**
   * Stops serving, breaks all connections, and writes what is still to be kept.
   *
   * @throws {UnmetFaultError} with the option `expectAllFaultsMet`, once all is closed.
   */
  async close(): Promise<void> {
    this.clock.clear();
    this.simulation.contents.packetPath.end();
    this.simulation.waits.end();
    await Promise.all([this.parts.server.close(), this.parts.controlServer.close()]);
    await this.parts.persistence?.close();
    await this.parts.elsewhere.close();
    if (this.simulation.options.expectAllFaultsMet) this.expectAllFaultsMet();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
