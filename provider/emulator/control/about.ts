import { z } from "zod";
import { deviations } from "../behaviour/dialect";
import { CONTROL } from "../defaults";
import { credentials, type EmulatorInfo } from "../info";
import { sources } from "./answers";
import { metrics } from "./metrics";
import { constant, getter, method, operation } from "./operation";

const client = z.object({ clientId: z.string(), secretKey: z.string(), prefixes: z.array(z.string()) });

const info = operation("GET /info", "Addresses, clients and dialect: the content of the command's ready line.", {
  answer: sources.extend({
    endpoint: z.string(),
    signalingUrl: z.string(),
    testSignalingUrl: z.string(),
    control: z.string(),
    clients: z.array(client),
    testClients: z.array(client),
    dialect: z.record(z.string(), z.unknown()).describe("Switches of the dialect that differ from the default."),
    controlToken: z.string().optional(),
    tls: z.object({ ca: z.string(), cert: z.string(), key: z.string() }).optional(),
  }),
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
    type: "text/plain; version=0.0.4; charset=utf-8",
    run: metrics,
  }),
};
