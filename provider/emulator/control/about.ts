import { z } from "zod";
import { METRICS_TYPE } from "../../model/exposition";
import { deviations } from "../behaviour/dialect";
import { CONTROL } from "../defaults";
import { credentials, type EmulatorInfo } from "../info";
import { sources } from "./answers";
import { metrics } from "./metrics";
import { constant, getter, method, operation } from "./operation";

const client = z
  .object({
    clientId: z.string().describe("Id in the path of its requests."),
    secretKey: z.string().describe("Secret in the path of its requests; it protects only an emulator."),
    prefixes: z.array(z.string()).describe("Prefixes that it may signal, in canonical form."),
  })
  .describe("Credentials and prefixes of a client of the signaling API.")
  .meta({ id: "ClientCredentials" });

/** See `EmulatorInfo`. */
export const infoSchema = sources
  .extend({
    endpoint: z.string().describe("Base url of the node API, without `/fapi`."),
    signalingUrl: z.string().describe("Base url of the signaling API, without client and secret."),
    testSignalingUrl: z.string().describe("Base url of the test deployment."),
    control: z.string().describe("Base url of the control API."),
    clients: z.array(client).describe("Clients of the signaling API."),
    testClients: z.array(client).describe("Clients of the test deployment."),
    dialect: z
      .record(z.string(), z.unknown())
      .describe("The switches of its present dialect that differ from the default."),
    controlToken: z.string().optional().describe("Token of the control API, if it requires one."),
    tls: z
      .object({ ca: z.string(), cert: z.string(), key: z.string() })
      .optional()
      .describe("Certificates made for this run, if any."),
  })
  .describe("Addresses, clients and dialect of an emulator: plain JSON.");

const info = operation("GET /info", "Addresses, clients and dialect: the content of the command's ready line.", {
  answer: infoSchema,
  run: ({ addresses, contents, dialect, sources: from }): EmulatorInfo => ({
    ...from,
    ...addresses,
    clients: credentials(contents.signaling),
    testClients: credentials(contents.testSignaling),
    dialect: deviations(dialect),
  }),
});

/** Facts about the emulator, for people and programs. */
export const about = {
  /** Content of the command's ready line. */
  info: method(info),

  /** Base address of the node API, without `/fapi`. */
  endpoint: constant(info, ({ endpoint }) => endpoint),

  /** Base address of the signaling API. */
  signalingUrl: constant(info, ({ signalingUrl }) => signalingUrl),

  /** Base address of the test deployment of the signaling API. */
  testSignalingUrl: constant(info, ({ testSignalingUrl }) => testSignalingUrl),

  /** Base address of the control API, which is not part of the protocol. */
  control: constant(info, ({ control }) => control),

  /** The token of the control API, if it requires one. */
  controlToken: constant(info, ({ controlToken }) => controlToken),

  /** With `tls: true` or `"mutual"`: certificates for a client to trust, and its own, in PEM. */
  tls: constant(info, ({ tls }) => tls),

  /** The clients of the signaling API. */
  clients: getter(info, ({ clients }) => clients),

  /** The two clients of the test deployment. */
  testClients: getter(info, ({ testClients }) => testClients),

  health: operation(
    "GET /health",
    "Answers once the emulator serves, for containers and scripts that wait for it. Needs no token.",
    { run: () => {} },
  ),

  stop: operation("POST /stop", "Ends the emulator after this answer, as SIGTERM ends the command.", {
    // The answer must be sent before its connection is broken.
    run: (simulation) => void setTimeout(simulation.stop, CONTROL.stopMs),
  }),

  metrics: operation("GET /metrics", "Counters and gauges in the text format of Prometheus.", {
    type: METRICS_TYPE,
    run: metrics,
  }),
};
