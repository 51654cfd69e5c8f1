import { randomBytes, randomInt } from "node:crypto";
import { z } from "zod";
import { type DialectSettings, dialect } from "./behaviour/dialect";
import { OPTIONS, SHORTEST_TOKEN } from "./defaults";
import type { TlsChoice } from "./http/certificates";
import type { JournalEntry } from "./journal/entry";
import type { JournalLimits } from "./journal/journal";
import type { MarkLimits } from "./marks";
import type { GivenState } from "./state/given-state";
import type { Wall } from "./time/clock";
import {
  bandwidthSchema,
  bytesPerSecond,
  type Duration,
  durationSchema,
  type Latency,
  latencyRange,
  latencySchema,
  milliseconds,
} from "./time/duration";
import { strictly } from "./validation/strict";

/** Credentials that a caller of the node API must send; the contract leaves them open. */
export type NodeAuth =
  | {
      /** A token, as `Authorization: Bearer …` has it. */
      readonly bearer: string;
    }
  | {
      /** User and password of `Authorization: Basic …`. */
      readonly basic: {
        /** The user. */
        readonly user: string;
        /** The password. */
        readonly password: string;
      };
    };

/** Options of an emulator. Every option has a default. */
export interface EmulatorOptions {
  /**
   * Its content, by the published schema; default: a small demo. In code, the entries of a set may be the result of a list.
   * A function that returns the content is called once the ports are taken: for content that takes time to load.
   */
  readonly state?: GivenState | (() => GivenState | Promise<GivenState>);
  /**
   * File that keeps its content between runs; default: none. An existing file is used instead of `state`; its folder must
   * exist. A change by a request is on disk before its answer. Marks of packets are written a tenth of a second later, with
   * the whole state: suitable for some ten thousand marks.
   */
  readonly persist?: string;
  /** Port of the protocol; 0 (default) takes a free one. */
  readonly port?: number;
  /** Port of the control API; 0 (default) takes a free one. */
  readonly controlPort?: number;
  /** Address to listen on, default `127.0.0.1`. On other addresses than loopback, the control API requires a token. */
  readonly host?: string;
  /**
   * Token of the control API (`Authorization: Bearer …`). Default: none on loopback; elsewhere a random one, and a given one
   * needs at least 16 characters.
   */
  readonly controlToken?: string;
  /**
   * Base address by which clients reach the protocol port, if it differs from the emulator's own: behind mapped ports or a
   * proxy. `endpoint`, `signalingUrl` and redirects use it. Default: its own.
   */
  readonly advertise?: string;
  /** A name, `seed:N`, or single switches; default: `default`. */
  readonly dialect?: string | DialectSettings;
  /** Seed of random faults and traffic. Default: a random one, see `emulator.seedNumber`. */
  readonly seed?: number;
  /** Real time before each request takes effect, default 0; a range such as `"5ms..40ms"` is drawn for each request, by `seed`. */
  readonly latency?: Latency;
  /** Real time before a commit takes effect, in addition to `latency`, default 0; also a range. */
  readonly commitLatency?: Latency;
  /** Bytes a second that each connection carries in either direction, such as `"10MB/s"`; default: no limit. */
  readonly bandwidth?: number | string;
  /** Base address of a real node, to which requests of the node API are passed on. Default: none. */
  readonly proxy?: string;
  /** Base address of a real signaling receiver (`{signal_url}`), to which requests of the signaling API are passed on. Default: none. */
  readonly proxySignaling?: string;
  /** New file for the answers to passed-on requests, without secrets. Default: none. */
  readonly record?: string;
  /** A recorded file, whose requests are answered as recorded. Default: none. */
  readonly replay?: string;
  /** With `replay`: an unrecorded request is refused with 501 (`"refuse"`, default), or answered by the emulator (`"emulate"`). */
  readonly unseen?: "refuse" | "emulate";
  /** Credentials that a caller of the node API must send; default: none. */
  readonly auth?: NodeAuth;
  /**
   * Serves https on the protocol port. `true`: with a certificate made for this run, see `emulator.tls`; `"mutual"`: clients
   * need one, too; an object: with this certificate and key (PEM); with `ca`, clients need a certificate signed by it.
   */
  readonly tls?: TlsChoice;
  /** Limits of the journal; default: 20 000 requests and two million data items. */
  readonly journalLimits?: Partial<JournalLimits>;
  /** Real time without a request after which the next one begins a new run, default 5 s; see `emulator.runs`. */
  readonly runPause?: Duration;
  /** Limits of the mark tables of each profile; default: 1 048 576 records in each, for IPv4 and IPv6 each, expired ones kept for 60 s. */
  readonly marks?: MarkLimits;
  /** Called with each journal entry once it is answered. */
  readonly onRequest?: (entry: JournalEntry) => void;
  /**
   * Whether closing fails with an `UnmetFaultError` if a fault affected no request, as `emulator.expectAllFaultsMet()` does.
   * The end of a block with `await using` sets the exit code instead. Removed faults do not count. Default false.
   */
  readonly expectAllFaultsMet?: boolean;
  /** The machine's clock and timers, for tests. */
  readonly wall?: Wall;
}

/** Options with all defaults in place: spans in milliseconds, rates in bytes a second. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** @throws {TypeError} naming the option that is wrong. */
export function resolveOptions(options: EmulatorOptions) {
  // The state is checked when it is loaded; errors name the wrong place in it.
  const isObject = typeof options === "object" && options !== null;
  strictly(optionsSchema, isObject ? { ...options, state: undefined } : options, "startEmulator()");
  checkRecording(options);
  const { requests = OPTIONS.journal.requests, items = OPTIONS.journal.items } = options.journalLimits ?? {};
  const host = options.host ?? OPTIONS.host;
  return {
    port: options.port ?? OPTIONS.port,
    controlPort: options.controlPort ?? OPTIONS.port,
    host,
    controlToken: controlToken(options, host),
    dialect: dialect(options.dialect),
    seed: options.seed ?? randomInt(2 ** 31),
    latency: latencyRange(options.latency ?? 0),
    commitLatency: latencyRange(options.commitLatency ?? 0),
    bandwidth: options.bandwidth === undefined ? undefined : bytesPerSecond(options.bandwidth),
    journalLimits: { requests, items },
    runPause: milliseconds(options.runPause ?? OPTIONS.runPause),
    marks: options.marks,
    auth: options.auth,
    tls: options.tls ?? false,
    expectAllFaultsMet: options.expectAllFaultsMet ?? false,
  };
}

function checkRecording({ proxy, proxySignaling, record, replay, unseen }: EmulatorOptions): void {
  const isProxy = proxy !== undefined || proxySignaling !== undefined;
  if (isProxy && replay !== undefined)
    throw new TypeError("`replay` answers without the node: leave out `proxy` and `proxySignaling`.");
  if (record !== undefined && !isProxy)
    throw new TypeError("`record` needs a real node or receiver: give `proxy` or `proxySignaling`.");
  if (unseen !== undefined && replay === undefined) throw new TypeError("`unseen` has an effect only with `replay`.");
}

function controlToken({ controlToken: given }: EmulatorOptions, host: string): string | undefined {
  if (isLoopback(host)) return given;
  if (given === undefined) return randomBytes(24).toString("base64url");
  if (given.length >= SHORTEST_TOKEN) return given;
  throw new TypeError(
    `\`controlToken\` must have at least ${SHORTEST_TOKEN} characters if the emulator listens on ${host}, since every client that reaches this machine can try tokens; it has ${given.length}. Leave it out for a random one.`,
  );
}

/** True if only this machine reaches an address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

const port = z.int().min(0).max(65_535);
const pem = z.string().min(1);
const httpUrl = z.url({ protocol: /^https?$/, error: "must be an address such as http://192.0.2.10" });
const run = z.custom((value) => typeof value === "function", "must be a function");

/** See `EmulatorOptions`. The state is checked by its own schema when it is loaded. */
const optionsSchema = z
  .strictObject({
    state: z.unknown(),
    persist: z.string().min(1),
    port,
    controlPort: port,
    host: z.string().min(1),
    advertise: httpUrl,
    controlToken: z.string().min(1),
    dialect: z.unknown(),
    seed: z.int().min(0),
    latency: latencySchema,
    commitLatency: latencySchema,
    bandwidth: bandwidthSchema,
    proxy: httpUrl,
    proxySignaling: httpUrl,
    record: z.string().min(1),
    replay: z.string().min(1),
    unseen: z.enum(["refuse", "emulate"]),
    runPause: durationSchema,
    auth: z.union([
      z.strictObject({ bearer: z.string().min(1) }),
      z.strictObject({ basic: z.strictObject({ user: z.string(), password: z.string() }) }),
    ]),
    tls: z.union([z.boolean(), z.literal("mutual"), z.strictObject({ cert: pem, key: pem, ca: pem.optional() })]),
    journalLimits: z.strictObject({ requests: z.int().min(0), items: z.int().min(0) }).partial(),
    marks: z
      .strictObject({ capacity: z.int().min(1), keepExpired: z.number().min(0), onFull: z.enum(["evict", "refuse"]) })
      .partial(),
    onRequest: run,
    expectAllFaultsMet: z.boolean(),
    wall: z.looseObject({ now: run, timer: run }),
  } satisfies Record<keyof EmulatorOptions, z.ZodType>)
  .partial();
