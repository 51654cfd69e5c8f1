import { z } from "zod";
import { MARK_TYPES } from "../../model/mark";
import { json } from "../http/reply";
import type { MarkRecord } from "../marks";
import { background, carpetBombing, dnsAmplification, packetSchema, synFlood } from "../packets";
import { protocolSchema } from "../packets/packet";
import { asItIs } from "./client-call";
import { type ControlRoute, route } from "./route";

const KINDS = { background, synFlood, dnsAmplification, carpetBombing };

/** More records than any table holds. */
const ALL = 100_000_000;

const markRecord = z.object({
  address: z.string().optional(),
  source: z.string().optional(),
  destination: z.string().optional(),
  sourcePort: z.int().optional(),
  destinationPort: z.int().optional(),
  protocol: protocolSchema.optional(),
  id: z.int(),
  value: z.int().optional(),
  lifetime: z.number().optional(),
  age: z.number().optional(),
  expiredFor: z.number().optional(),
} satisfies { [Name in keyof Required<MarkRecord>]: z.ZodType<MarkRecord[Name]> });

const verdict = z.object({
  verdict: z.enum(["accept", "drop"]),
  profile: z.string().optional(),
  rule: z.object({ id: z.int().optional(), name: z.string().optional() }).optional(),
  marks: z.array(z.object({ type: z.enum(MARK_TYPES), id: z.int(), value: z.int() })),
});
const summary = z.object({ packets: z.int(), bytes: z.int(), accepted: z.int(), dropped: z.int(), unbound: z.int() });
const counter = z.object({ packets: z.int(), bytes: z.int() }).nullable();

/** Packets that arrive at the node, and what they leave behind. */
export const trafficRoutes: readonly ControlRoute[] = [
  route({
    method: "POST",
    path: "/packets",
    summary: "Packets that arrive, in order; what became of each.",
    body: z.array(packetSchema).max(100_000),
    answer: z.array(verdict),
    calls: { receive: { request: (packets) => ({ body: [...packets] }), result: asItIs } },
    run: ({ emulator, body }) => json(200, emulator.receive(body)),
  }),
  route({
    method: "POST",
    path: "/traffic",
    summary:
      "Generated traffic that arrives; what became of it in sum. Ends with its caller, and with a reset or another state: the sum is of the packets until then.",
    body: z.strictObject({
      kind: z.enum(Object.keys(KINDS) as [keyof typeof KINDS]),
      to: z.array(z.string()).min(1).describe("Prefixes of recipients."),
      from: z.array(z.string()).min(1).optional().describe("Prefixes of senders; default: documentation prefixes."),
      count: z.int().min(1).max(100_000_000).describe("How many packets."),
      seed: z.int().min(0).optional().describe("Default: the emulator's seed."),
    }),
    answer: summary,
    run: async ({ emulator, response, body: { kind, count, seed = emulator.seedNumber, ...options } }) => {
      const gone = new AbortController();
      response.once("close", () => gone.abort());
      return json(200, await emulator.replay(KINDS[kind]({ seed, ...options }), count, { signal: gone.signal }));
    },
  }),
  route({
    method: "GET",
    path: "/marks",
    summary: "The marks of a profile, expired ones that are still kept included.",
    query: z.strictObject({
      url: z.string().describe("Of the profile."),
      type: z.enum(MARK_TYPES),
      limit: z.coerce.number().int().min(1).max(ALL).optional().describe("Most records, default 1000."),
    }),
    answer: z.object({ active: z.int(), expired: z.int(), records: z.array(markRecord) }),
    calls: {
      marks: { request: (url, type) => ({ query: { url, type, limit: ALL } }), result: ({ records }) => records },
      markTable: { request: (url, type, limit) => ({ query: { url, type, limit } }), result: asItIs },
    },
    run: ({ emulator, query: { url, type, limit = 1_000 } }) => json(200, emulator.markTable(url, type, limit)),
  }),
  route({
    method: "GET",
    path: "/counters",
    summary:
      "What the count actions of a profile counted, in the order of its rules; null for rules that do not count.",
    query: z.strictObject({ url: z.string().describe("Of the profile.") }),
    answer: z.array(counter),
    calls: {
      counters: { request: (url) => ({ query: { url } }), result: (counters) => counters.map((it) => it ?? undefined) },
    },
    run: ({ emulator, query }) =>
      json(
        200,
        emulator.counters(query.url).map((it) => it ?? null),
      ),
  }),
];
