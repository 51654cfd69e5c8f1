import { z } from "zod";
import { durationSchema } from "../time/duration";
import { bandwidthSchema, latencySchema } from "../time/latency";

const port = z.int().min(0).max(65_535);
const pem = z.string().min(1);
const httpUrl = z.url({ protocol: /^https?$/, error: "must be an address such as http://192.0.2.10" });
const run = z.custom((value) => typeof value === "function", "must be a function");

/** See `EmulatorOptions`. The state has a schema of its own and is read where it is loaded. */
export const optionsSchema = z.strictObject({
  state: z.unknown().optional(),
  persist: z.string().min(1).optional(),
  port: port.optional(),
  controlPort: port.optional(),
  host: z.string().min(1).optional(),
  advertise: httpUrl.optional(),
  controlToken: z.string().min(1).optional(),
  dialect: z.unknown().optional(),
  seed: z.int().min(0).optional(),
  latency: latencySchema.optional(),
  commitLatency: latencySchema.optional(),
  bandwidth: bandwidthSchema.optional(),
  proxy: httpUrl.optional(),
  proxySignaling: httpUrl.optional(),
  record: z.string().min(1).optional(),
  replay: z.string().min(1).optional(),
  unseen: z.enum(["refuse", "emulate"]).optional(),
  runPause: durationSchema.optional(),
  auth: z
    .union([
      z.strictObject({ bearer: z.string().min(1) }),
      z.strictObject({ basic: z.strictObject({ user: z.string(), password: z.string() }) }),
    ])
    .optional(),
  tls: z
    .union([z.boolean(), z.literal("mutual"), z.strictObject({ cert: pem, key: pem, ca: pem.optional() })])
    .optional(),
  journalLimits: z.strictObject({ requests: z.int().min(0).optional(), items: z.int().min(0).optional() }).optional(),
  marks: z
    .strictObject({
      capacity: z.int().min(1).optional(),
      keepExpired: z.number().min(0).optional(),
      onFull: z.enum(["evict", "refuse"]).optional(),
      cacheBytes: z.int().min(0).optional(),
    })
    .optional(),
  onRequest: run.optional(),
  expectAllFaultsMet: z.boolean().optional(),
  wall: z.looseObject({ now: run, timer: run }).optional(),
});
