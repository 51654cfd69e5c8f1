import { z } from "zod";
import { json, text } from "../http/reply";
import { metrics } from "../journal/metrics";
import { stateJsonSchema } from "../state/state-schema";
import { asItIs } from "./client-call";
import { openApi } from "./openapi";
import { type ControlRoute, route } from "./route";

const credentials = z.array(z.object({ clientId: z.string(), secretKey: z.string(), prefixes: z.array(z.string()) }));

/** What the emulator is, for people and programs. */
export const aboutRoutes: readonly ControlRoute[] = [
  route({
    method: "GET",
    path: "/info",
    summary: "Addresses and clients: what the ready line of the command says.",
    answer: z.object({
      endpoint: z.string(),
      signalingUrl: z.string(),
      testSignalingUrl: z.string(),
      control: z.string(),
      clients: credentials,
      testClients: credentials,
      controlToken: z.string().optional(),
      tls: z.object({ ca: z.string(), cert: z.string(), key: z.string() }).optional(),
    }),
    calls: { info: { result: asItIs } },
    reads: {
      clients: { result: ({ clients }) => clients },
      testClients: { result: ({ testClients }) => testClients },
    },
    run: ({ emulator }) => json(200, emulator.info()),
  }),
  route({
    method: "GET",
    path: "/health",
    summary: "Answers as soon as the emulator serves: for containers and scripts that wait for it. Needs no token.",
    answer: z.object({ status: z.literal("ok") }),
    run: () => json(200, { status: "ok" }),
  }),
  route({
    method: "GET",
    path: "/metrics",
    summary: "Counters and gauges in the text format of Prometheus.",
    answerType: "text/plain",
    run: ({ simulation }) => ({ ...text(200, metrics(simulation)), type: "text/plain; version=0.0.4; charset=utf-8" }),
  }),
  route({
    method: "GET",
    path: "/openapi.json",
    summary: "This description.",
    answer: z.looseObject({ openapi: z.string() }),
    run: ({ routes }) => json(200, openApi(routes)),
  }),
  route({
    method: "GET",
    path: "/state.schema.json",
    summary: "JSON Schema of the state.",
    answer: z.looseObject({ $schema: z.string() }),
    run: () => json(200, stateJsonSchema()),
  }),
];
