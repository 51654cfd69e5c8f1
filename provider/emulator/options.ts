import { randomBytes, randomInt } from "node:crypto";
import { z } from "zod";
import { dialect } from "./behaviour/dialect";
import { OPTIONS, SHORTEST_TOKEN } from "./defaults";
import type { EmulatorOptions } from "./options-types";
import {
  bandwidthSchema,
  bytesPerSecond,
  durationSchema,
  latencyRange,
  latencySchema,
  milliseconds,
} from "./time/duration";
import { strictly } from "./validation/strict";

export type { EmulatorOptions, NodeAuth } from "./options-types";

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
const text = z.string().min(1);
const httpUrl = z.url({ protocol: /^https?$/, error: "must be an address such as http://192.0.2.10" });
const run = z.custom((value) => typeof value === "function", "must be a function");
export const credentialsSchema = z
  .union([
    z.strictObject({ bearer: text.describe("A token, as `Authorization: Bearer …` has it.") }),
    z.strictObject({
      basic: z
        .strictObject({ user: z.string().describe("The user."), password: z.string().describe("The password.") })
        .describe("User and password of `Authorization: Basic …`."),
    }),
  ])
  .describe("Credentials that a caller of the node API must send; the contract leaves them open.");
const tlsChoice = z.union([
  z.boolean(),
  z.literal("mutual"),
  z.strictObject({ cert: text, key: text, ca: text.optional() }),
]);
const journalLimits = z.strictObject({ requests: z.int().min(0), items: z.int().min(0) }).partial();
const markLimits = z
  .strictObject({ capacity: z.int().min(1), keepExpired: z.number().min(0), onFull: z.enum(["evict", "refuse"]) })
  .partial();

/** Options of an emulator. The state is checked by its own schema when it is loaded. */
export const optionsSchema = z
  .strictObject({
    state: z
      .unknown()
      .describe(
        "Its content, by the published schema; default: a small demo. In code, the entries of a set may be the result of a list. A function that returns the content is called once the ports are taken: for content that takes time to load.",
      ),
    persist: text.describe(
      "File that keeps its content between runs; default: none. An existing file is used instead of `state`; its folder must exist. A change by a request is on disk before its answer. Marks of packets are written a tenth of a second later, with the whole state: suitable for some ten thousand marks.",
    ),
    port: port.describe("Port of the protocol; 0 (default) takes a free one."),
    controlPort: port.describe("Port of the control API; 0 (default) takes a free one."),
    host: text.describe(
      "Address to listen on, default `127.0.0.1`. On other addresses than loopback, the control API requires a token.",
    ),
    controlToken: text.describe(
      "Token of the control API (`Authorization: Bearer …`). Default: none on loopback; elsewhere a random one, and a given one needs at least 16 characters.",
    ),
    advertise: httpUrl.describe(
      "Base address by which clients reach the protocol port, if it differs from the emulator's own: behind mapped ports or a proxy. `endpoint`, `signalingUrl` and redirects use it. Default: its own.",
    ),
    dialect: z.unknown().describe("A name, `seed:N`, or single switches; default: `default`."),
    seed: z
      .int()
      .min(0)
      .describe("Seed of random faults and traffic. Default: a random one, see `emulator.seedNumber`."),
    latency: latencySchema.describe(
      'Real time before each request takes effect, default 0; a range such as `"5ms..40ms"` is drawn for each request, by `seed`.',
    ),
    commitLatency: latencySchema.describe(
      "Real time before a commit takes effect, in addition to `latency`, default 0; also a range.",
    ),
    bandwidth: bandwidthSchema.describe(
      'Bytes a second that each connection carries in either direction, such as `"10MB/s"`; default: no limit.',
    ),
    proxy: httpUrl.describe(
      "Base address of a real node, to which requests of the node API are passed on. Default: none.",
    ),
    proxySignaling: httpUrl.describe(
      "Base address of a real signaling receiver (`{signal_url}`), to which requests of the signaling API are passed on. Default: none.",
    ),
    record: text.describe("New file for the answers to passed-on requests, without secrets. Default: none."),
    replay: text.describe("A recorded file, whose requests are answered as recorded. Default: none."),
    unseen: z
      .enum(["refuse", "emulate"])
      .describe(
        'With `replay`: an unrecorded request is refused with 501 (`"refuse"`, default), or answered by the emulator (`"emulate"`).',
      ),
    auth: credentialsSchema.describe("Credentials that a caller of the node API must send; default: none."),
    tls: tlsChoice.describe(
      'Serves https on the protocol port. `true`: with a certificate made for this run, see `emulator.tls`; `"mutual"`: clients need one, too; an object: with this certificate and key (PEM); with `ca`, clients need a certificate signed by it.',
    ),
    journalLimits: journalLimits.describe(
      "Limits of the journal; default: 20 000 requests and two million data items.",
    ),
    runPause: durationSchema.describe(
      "Real time without a request after which the next one begins a new run, default 5 s; see `emulator.runs`.",
    ),
    marks: markLimits.describe(
      "Limits of the mark tables of each profile; default: 1 048 576 records in each, for IPv4 and IPv6 each, expired ones kept for 60 s.",
    ),
    onRequest: run.describe("Called with each journal entry once it is answered, before the changes of a late commit."),
    expectAllFaultsMet: z
      .boolean()
      .describe(
        "Whether closing fails with an `UnmetFaultError` if a fault affected no request, as `emulator.expectAllFaultsMet()` does. The end of a block with `await using` sets the exit code instead. Removed faults do not count. Default false.",
      ),
    wall: z.looseObject({ now: run, timer: run }).describe("The machine's clock and timers, for tests."),
  })
  .partial()
  .describe("Options of an emulator. Every option has a default.");
