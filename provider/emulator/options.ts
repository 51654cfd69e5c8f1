import { randomBytes, randomInt } from "node:crypto";
import { type Dialect, type DialectSettings, dialect } from "./behaviour/dialect";
import type { NodeAuth } from "./http/admission";
import type { TlsChoice } from "./http/tls";
import type { JournalEntry, JournalLimits } from "./journal/journal";
import type { MarkStoreOptions } from "./marks";
import type { EmulatorState } from "./state/state";
import type { Wall } from "./time/clock";
import { type Duration, milliseconds } from "./time/duration";

/** How an emulator starts. Everything has a default. */
export interface EmulatorOptions {
  /** What it holds; default: a small demo. An object of the published schema, in code, JSON or YAML. */
  readonly state?: EmulatorState;
  /**
   * File in which what it holds is kept between runs, default none. A file that exists is used instead of `state`. Meant for up
   * to some ten thousand marks: the file is written whole.
   */
  readonly persist?: string;
  /** Port of the protocol; 0 (default) takes a free one. */
  readonly port?: number;
  /** Port of the control API; 0 (default) takes a free one. */
  readonly controlPort?: number;
  /** Address to listen on, default `127.0.0.1`. Elsewhere than on loopback the control API needs a token. */
  readonly host?: string;
  /** Token of the control API (`Authorization: Bearer …`); default: none on loopback, a random one elsewhere. */
  readonly controlToken?: string;
  /** A name, `seed:N`, or single switches; default: `default`. */
  readonly dialect?: string | DialectSettings;
  /** Seed of faults and traffic that are drawn by chance; default: a random one, which `emulator.seedNumber` tells. */
  readonly seed?: number;
  /** Real time before each request takes effect, default 0. */
  readonly latency?: Duration;
  /** Real time before a commit takes effect, beyond `latency`, default 0. */
  readonly commitLatency?: Duration;
  /** What a caller of the node API must send; default: nothing. */
  readonly auth?: NodeAuth;
  /**
   * Serves https on the protocol port. `true`: with a certificate made for this run, see `emulator.tls`; `"mutual"`: and
   * clients need one, too; an object: with these (PEM), and with `ca` clients need a certificate that it signed.
   */
  readonly tls?: TlsChoice;
  /** How much the journal keeps; default: 20 000 requests and two million data items. */
  readonly journalLimits?: Partial<JournalLimits>;
  /** Real time without a request after which the next one begins another run, default 5 s; see `emulator.runs`. */
  readonly runPause?: Duration;
  /** Limits of the mark tables of each profile; default: 1 048 576 records in each, expired ones kept for 60 s. */
  readonly marks?: Omit<MarkStoreOptions, "now">;
  /** Is called with each journal entry once it is answered. */
  readonly onRequest?: (entry: JournalEntry) => void;
  /** The machine's clock and timers, for tests. */
  readonly wall?: Wall;
}

/** Options with all defaults in place. */
export interface ResolvedOptions {
  readonly state: EmulatorState | undefined;
  readonly port: number;
  readonly controlPort: number;
  readonly host: string;
  readonly controlToken: string | undefined;
  readonly dialect: Dialect;
  readonly seed: number;
  readonly latency: number;
  readonly commitLatency: number;
  readonly journalLimits: JournalLimits;
  readonly runPause: number;
  readonly marks: Omit<MarkStoreOptions, "now"> | undefined;
  readonly auth: NodeAuth | undefined;
  readonly tls: TlsChoice;
}

/** @throws {TypeError} naming the option that is wrong. */
export function resolveOptions(
  options: EmulatorOptions,
  random: () => number = () => randomInt(2 ** 31),
): ResolvedOptions {
  const { requests = 20_000, items = 2_000_000 } = options.journalLimits ?? {};
  const host = options.host ?? "127.0.0.1";
  return {
    state: options.state,
    port: port(options.port, "port"),
    controlPort: port(options.controlPort, "controlPort"),
    host,
    controlToken: options.controlToken ?? (isLoopback(host) ? undefined : randomBytes(24).toString("base64url")),
    dialect: dialect(options.dialect),
    seed: options.seed ?? random(),
    latency: milliseconds(options.latency ?? 0),
    commitLatency: milliseconds(options.commitLatency ?? 0),
    journalLimits: { requests, items },
    runPause: milliseconds(options.runPause ?? "5s"),
    marks: options.marks,
    auth: options.auth,
    tls: options.tls ?? false,
  };
}

function port(value: number | undefined, name: string): number {
  if (value === undefined) return 0;
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  throw new TypeError(`\`${name}\` must be a port number from 0 to 65535, it is ${value}.`);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}
