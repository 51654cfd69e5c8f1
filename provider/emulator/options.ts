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

/** Options of an emulator. Everything has a default. */
export interface EmulatorOptions {
  /**
   * Its content; default: a small demo. An object of the published schema, in code, JSON or YAML; in code the entries of a set may be the result of a list. Or a function that gives
   * it, which is called once the ports are taken: for content that takes time to load.
   */
  readonly state?: GivenState | (() => GivenState | Promise<GivenState>);
  /**
   * File that keeps its content between runs, default none. A file that exists is used instead of `state`; its folder
   * must exist. A change by a request is on the disk before its answer. Marks that packets leave are kept a tenth of a second
   * later, by writing everything anew: meant for up to some ten thousand marks.
   */
  readonly persist?: string;
  /** Port of the protocol; 0 (default) takes a free one. */
  readonly port?: number;
  /** Port of the control API; 0 (default) takes a free one. */
  readonly controlPort?: number;
  /** Address to listen on, default `127.0.0.1`. Elsewhere than on loopback the control API needs a token. */
  readonly host?: string;
  /**
   * Token of the control API (`Authorization: Bearer …`); default: none on loopback, a random one elsewhere, where it has at
   * least 16 characters.
   */
  readonly controlToken?: string;
  /**
   * Base address by which clients reach the protocol port, where that is another than the emulator's own: behind mapped ports or
   * a proxy. `endpoint`, `signalingUrl` and redirects say it. Default: its own.
   */
  readonly advertise?: string;
  /** A name, `seed:N`, or single switches; default: `default`. */
  readonly dialect?: string | DialectSettings;
  /** Seed of faults and traffic that are drawn by chance; default: a random one, which `emulator.seedNumber` tells. */
  readonly seed?: number;
  /** Real time before each request takes effect, default 0; `"5ms..40ms"` draws it for each request, by `seed`. */
  readonly latency?: Latency;
  /** Real time before a commit takes effect, beyond `latency`, default 0; a range as there. */
  readonly commitLatency?: Latency;
  /** Bytes a second that each connection carries in either direction, such as `"10MB/s"`; default: no limit. */
  readonly bandwidth?: number | string;
  /** Base address of a real node: requests of the node API are passed on to it instead of being carried out. Default: none. */
  readonly proxy?: string;
  /** Base address of a real signaling receiver (`{signal_url}`), to which requests of the signaling API are passed on. Default: none. */
  readonly proxySignaling?: string;
  /** File that keeps the answers to passed-on requests, secrets cut out. It must not exist. Default: none. */
  readonly record?: string;
  /** File that was recorded: its requests are answered as they were then. Default: none. */
  readonly replay?: string;
  /** With `replay`, what was never recorded is refused with 501 (`"refuse"`, default), or answered by the emulator (`"emulate"`). */
  readonly unseen?: "refuse" | "emulate";
  /** Credentials that a caller of the node API must send; default: none. */
  readonly auth?: NodeAuth;
  /**
   * Serves https on the protocol port. `true`: with a certificate made for this run, see `emulator.tls`; `"mutual"`: and
   * clients need one, too; an object: with these (PEM), and with `ca` clients need a certificate that it signed.
   */
  readonly tls?: TlsChoice;
  /** Limits of the journal; default: 20 000 requests and two million data items. */
  readonly journalLimits?: Partial<JournalLimits>;
  /** Real time without a request after which the next one begins another run, default 5 s; see `emulator.runs`. */
  readonly runPause?: Duration;
  /** Limits of the mark tables of each profile; default: 1 048 576 records in each, expired ones kept for 60 s. */
  readonly marks?: MarkLimits;
  /** Is called with each journal entry once it is answered. */
  readonly onRequest?: (entry: JournalEntry) => void;
  /**
   * Whether closing fails with an `UnmetFaultError` when a fault that was set was never met, as
   * `emulator.expectAllFaultsMet()` does; the end of a block with `await using` leaves it to the run. Default false. Faults that were
   * taken back do not count.
   */
  readonly expectAllFaultsMet?: boolean;
  /** The machine's clock and timers, for tests. */
  readonly wall?: Wall;
}

/** Options with all defaults in place: spans in milliseconds, rates in bytes a second. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** @throws {TypeError} naming the option that is wrong. */
export function resolveOptions(options: EmulatorOptions) {
  // The state is checked where it is loaded; errors name the wrong place in it.
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
    throw new TypeError("`record` keeps what is passed on: say to whom by `proxy` or `proxySignaling`.");
  if (unseen !== undefined && replay === undefined) throw new TypeError("`unseen` has a meaning only with `replay`.");
}

function controlToken({ controlToken: given }: EmulatorOptions, host: string): string | undefined {
  if (isLoopback(host)) return given;
  if (given === undefined) return randomBytes(24).toString("base64url");
  if (given.length >= SHORTEST_TOKEN) return given;
  throw new TypeError(
    `\`controlToken\` must have at least ${SHORTEST_TOKEN} characters where ${host} is listened on, since every client that reaches this machine can try tokens; it has ${given.length}. Without one a random one is made.`,
  );
}

/** True when only this machine reaches an address that is listened on. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

const port = z.int().min(0).max(65_535);
const pem = z.string().min(1);
const httpUrl = z.url({ protocol: /^https?$/, error: "must be an address such as http://192.0.2.10" });
const run = z.custom((value) => typeof value === "function", "must be a function");

/** See `EmulatorOptions`. The state has a schema of its own and is read where it is loaded. */
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
