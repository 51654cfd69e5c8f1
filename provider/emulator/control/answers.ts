import { z } from "zod";
import { MARK_TYPES } from "../../model/mark";
import { FAULT_KINDS, type FaultKind } from "../behaviour/fault-kinds";
import { faultSchema } from "../behaviour/fault-schema";
import type { EmulatorSources } from "../info";
import type { JournalEntry } from "../journal/entry";
import type { Run } from "../journal/runs";
import type { MarkLosses, MarkRecord } from "../marks";
import { protocolSchema } from "../packet/packet";
import type { TrafficSummary } from "../packets";

/** Schemas that several answers share. */

const count = z.int();

/** Prefixes with their values. */
const entries = z.record(z.string(), z.number());

/** A run of requests, see {@link Run}. */
export const runSchema = z
  .object({
    run: count.describe("Counts from 1 and never repeats."),
    label: z.string().optional(),
    from: z.string().optional().describe("Virtual time of its first request."),
    requests: count,
    failed: count.describe("Requests with an answer of status 400 or more, or without an answer."),
    commits: count,
    inserted: count,
    removed: count,
    changed: count,
    starts: count,
    stops: count,
  } satisfies { [Name in keyof Required<Run>]: z.ZodType<Run[Name]> })
  .meta({ id: "Run" });

/** See `EmulatorSources`. */
export const sources = z.object({
  proxy: z.string().optional(),
  proxySignaling: z.string().optional(),
  record: z.string().optional(),
  replay: z.string().optional(),
  unseen: z.enum(["refuse", "emulate"]).optional(),
  persist: z.string().optional(),
} satisfies { [Name in keyof Required<EmulatorSources>]: z.ZodType<EmulatorSources[Name]> });

/** One request with its answer, see {@link JournalEntry}. */
export const journalEntry = z
  .object({
    index: count.describe("Counts from 0 and never repeats."),
    run: count.describe("Its run."),
    label: z.string().optional().describe("Label of its run."),
    time: z.string().describe("Virtual time of arrival."),
    api: z.enum(["node", "signaling", "test", "other"]),
    method: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.string()),
    concurrent: count.describe("Requests of this API in progress when this one arrived, itself included."),
    cmd: z.enum(["list", "insert", "delete", "commit"]).optional(),
    url: z.string().optional(),
    rawUrl: z.string().optional(),
    type: z.enum(MARK_TYPES).optional(),
    tooSoon: z.boolean().optional(),
    op: z.enum(["status", "start", "stop"]).optional(),
    client: z.string().optional(),
    entries: count.optional().describe("Number of data items or prefixes."),
    data: z.array(z.unknown()).optional(),
    status: count.optional().describe("Absent until the answer is sent; a fault may withhold it."),
    answerBytes: count.optional(),
    answer: z.string().optional().describe("The first 2 KB of the answer's body."),
    answerHeaders: z.record(z.string(), z.string()).optional(),
    durationMs: z.number().optional().describe("Real time until the answer was sent or withheld."),
    fault: z.string().optional(),
    commit: z
      .object({
        inserted: entries,
        removed: entries,
        changed: z.record(z.string(), z.object({ from: z.number(), to: z.number() })),
        size: count,
      })
      .optional(),
  } satisfies { [Name in keyof Required<JournalEntry>]: z.ZodType<JournalEntry[Name]> })
  .meta({ id: "JournalEntry" });

const KINDS = Object.keys(FAULT_KINDS) as [FaultKind, ...FaultKind[]];

/** A fault that was set. */
export const activeFault = z
  .object({
    id: z.int(),
    fault: faultSchema.and(z.object({ kind: z.enum(KINDS) })),
    seen: z.int(),
    hits: z.int(),
    spent: z.boolean(),
  })
  .meta({ id: "ActiveFault" });

/** A fault that affected no request. */
export const unmetFault = activeFault.pick({ id: true, fault: true }).extend({ reason: z.string() });

/** A record of a mark, see `MarkRecord`. */
export const markRecord = z
  .object({
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
  } satisfies { [Name in keyof Required<MarkRecord>]: z.ZodType<MarkRecord[Name]> })
  .meta({ id: "MarkRecord" });

/** Marks lost to full tables, see `MarkLosses`. */
export const markLosses = z.object({
  evicted: count.describe("Live marks that new ones replaced in a full table."),
  refused: count.describe("New marks that a full table refused."),
} satisfies { [Name in keyof Required<MarkLosses>]: z.ZodType<MarkLosses[Name]> });

/** Outcome for a packet, see `Verdict`. */
export const verdict = z.object({
  verdict: z.enum(["accept", "drop"]),
  profile: z.string().optional(),
  rule: z.object({ id: z.int().optional(), name: z.string().optional() }).optional(),
  marks: z.array(z.object({ type: z.enum(MARK_TYPES), id: z.int(), value: z.int() })),
});

/** Outcome for generated traffic, see `TrafficSummary`. */
export const trafficSummary = z.object({
  packets: z.int(),
  bytes: z.int(),
  accepted: z.int(),
  dropped: z.int(),
  unbound: z.int(),
  ...markLosses.shape,
} satisfies { [Name in keyof Required<TrafficSummary>]: z.ZodType<TrafficSummary[Name]> });
