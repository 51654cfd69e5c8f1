import { z } from "zod";
import { MARK_TYPES } from "../../model/mark";
import type { JournalEntry } from "../journal/journal";
import type { Run } from "../journal/runs";
import { entries } from "./answers";

const count = z.int();

/** A run of requests, see {@link Run}. */
export const runSchema = z.object({
  run: count.describe("Counts from 1 and never repeats."),
  label: z.string().optional(),
  from: z.string().optional().describe("Virtual time of its first request."),
  requests: count,
  failed: count.describe("Requests that were answered with a status of 400 or more, or not at all."),
  commits: count,
  inserted: count,
  removed: count,
  changed: count,
  starts: count,
  stops: count,
} satisfies { [Name in keyof Required<Run>]: z.ZodType<Run[Name]> });

/** One request with its answer, see {@link JournalEntry}. */
export const journalEntry = z.object({
  index: count.describe("Counts from 0 and never repeats."),
  run: count.describe("The run that it belongs to."),
  time: z.string().describe("Virtual time of arrival."),
  api: z.enum(["node", "signaling", "test", "other"]),
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  concurrent: count.describe("Requests of this API that were in progress when this one arrived, itself included."),
  cmd: z.enum(["list", "insert", "delete", "commit"]).optional(),
  url: z.string().optional(),
  rawUrl: z.string().optional(),
  type: z.enum(MARK_TYPES).optional(),
  tooSoon: z.boolean().optional(),
  op: z.enum(["status", "start", "stop"]).optional(),
  client: z.string().optional(),
  entries: count.optional().describe("Number of data items or prefixes."),
  data: z.array(z.unknown()).optional(),
  status: count.optional().describe("Absent while no answer was sent, and for good when a fault withheld it."),
  answerBytes: count.optional(),
  answer: z.string().optional().describe("The first 2 KB of the answer's body."),
  answerHeaders: z.record(z.string(), z.string()).optional(),
  durationMs: z.number().optional().describe("Real time until the answer was handed over, or withheld."),
  fault: z.string().optional(),
  commit: z
    .object({
      inserted: entries,
      removed: entries,
      changed: z.record(z.string(), z.object({ from: z.number(), to: z.number() })),
      size: count,
    })
    .optional(),
} satisfies { [Name in keyof Required<JournalEntry>]: z.ZodType<JournalEntry[Name]> });
