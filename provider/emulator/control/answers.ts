import { z } from "zod";
import { MARK_TYPES } from "../../model/mark";
import { FAULT_KINDS, type FaultKind } from "../behaviour/fault-kinds";
import { faultSchema } from "../behaviour/fault-schema";
import { protocolSchema } from "../packet/packet";

/** Schemas that several answers share. */

const count = z.int();

/** Prefixes with their values. */
export const entries = z.record(z.string(), z.number());

export const runSchema = z
  .object({
    run: count.describe("Counts from 1 and never repeats."),
    label: z.string().optional().describe("Label given by a client or a test."),
    from: z.string().optional().describe("Virtual time of its first request, ISO 8601."),
    requests: count.describe("Requests to either API."),
    failed: count.describe("Requests that were refused or failed, or have no answer."),
    commits: count.describe("Applied commits."),
    inserted: count.describe("Entries inserted by the commits."),
    removed: count.describe("Entries removed by the commits."),
    changed: count.describe("Entries whose value the commits changed."),
    starts: count.describe("Starts of signaling that took effect."),
    stops: count.describe("Stops of signaling that took effect."),
  })
  .describe("Counts of a run of requests.")
  .meta({ id: "Run" });

export const sources = z.object({
  proxy: z.string().optional().describe("Base address of the real node that answers."),
  proxySignaling: z.string().optional().describe("Base address of the real receiver that answers."),
  record: z.string().optional().describe("File for the answers to passed-on requests."),
  replay: z.string().optional().describe("File with recorded answers."),
  replayed: z
    .array(z.enum(["node", "signaling"]))
    .optional()
    .describe("With `replay`: the APIs that it answers. The emulator answers the others itself."),
  unseen: z.enum(["refuse", "emulate"]).optional().describe("With `replay`: treatment of an unrecorded request."),
  persist: z.string().optional().describe("File with the emulator's content."),
});

const changes = z
  .object({
    inserted: entries.describe("Inserted prefixes with their values."),
    removed: entries.describe("Removed prefixes with their former values."),
    changed: z
      .record(
        z.string(),
        z.object({ from: z.number().describe("The value before."), to: z.number().describe("The value after.") }),
      )
      .describe("Prefixes with changed values."),
    size: count.describe("Entries of the set after the commit."),
  })
  .describe("Changes of a set by a commit.")
  .meta({ id: "SetCommitRecord" });

const commitRecord = changes
  .extend({
    sets: z
      .record(z.string(), changes)
      .optional()
      .describe(
        "With the switch `commitUrl`: the changes of each set, by its url. The other members are those of all of them together.",
      ),
  })
  .describe("Changes by a commit: JSON, as the journal keeps it.")
  .meta({ id: "CommitRecord" });

export const journalEntry = z
  .object({
    index: count.describe("Counts from 0 and never repeats, even after old entries were dropped."),
    run: count.describe("Number of its run, see `Run`."),
    label: z.string().optional().describe("Label of its run, if it has one."),
    time: z.string().describe("Virtual time of arrival, ISO 8601."),
    api: z
      .enum(["node", "signaling", "test", "other"])
      .describe("The API of the request; other: a path of none of them."),
    method: z.string().describe("HTTP method."),
    path: z.string().describe("Path with secrets replaced by `***`."),
    headers: z
      .record(z.string(), z.string())
      .describe("Header values; those that may be secret are replaced by `***`."),
    concurrent: count.describe("Requests of this API in progress when this one arrived, itself included."),
    cmd: z.enum(["list", "insert", "delete", "commit"]).optional().describe("The command of the node API."),
    url: z.string().optional().describe("The resource in canonical text, without a trailing slash."),
    rawUrl: z.string().optional().describe("The resource in the request's spelling."),
    type: z.enum(MARK_TYPES).optional().describe("The type of a list of marks."),
    tooSoon: z
      .boolean()
      .optional()
      .describe("True for a list of marks less than three seconds after the end of the previous one."),
    op: z.enum(["status", "start", "stop"]).optional().describe("The operation of the signaling API."),
    client: z.string().optional().describe("The client id of the signaling API."),
    entries: count.optional().describe("Number of data items or prefixes."),
    data: z
      .array(z.unknown())
      .optional()
      .describe(
        "The data items or prefixes of the request. One of more than 100 characters is the beginning of its text.",
      ),
    status: count.optional().describe("Absent until the answer is sent; a fault may withhold it."),
    refused: z.boolean().optional().describe("True for a refusal with a status below 400, as some dialects answer it."),
    answerBytes: count.optional().describe("Length of the answer's body in bytes, as sent; absent like `status`."),
    answer: z.string().optional().describe("The first 2 KB of the answer's body."),
    answerHeaders: z
      .record(z.string(), z.string())
      .optional()
      .describe("Headers of the answer, without those that every answer has."),
    durationMs: z
      .number()
      .optional()
      .describe(
        "Milliseconds of real time, to a tenth, from the arrival of the head until the answer was sent or withheld. Absent while the request is in progress.",
      ),
    fault: z.string().optional().describe("Kind of the fault that affected the request."),
    commit: commitRecord.optional().describe("Changes of the commit, once it was applied."),
  })
  .describe("One request and its answer as JSON, without secrets.")
  .meta({ id: "JournalEntry" });

const KINDS = Object.keys(FAULT_KINDS) as [FaultKind, ...FaultKind[]];

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

export const markRecord = z
  .object({
    address: z.string().optional().describe("The key of `shost` and `dhost`."),
    source: z.string().optional().describe("Sender in the key of `sdhost` and `conn`."),
    destination: z.string().optional().describe("Recipient in the key of `sdhost` and `conn`."),
    sourcePort: z.int().optional().describe("Part of the key of `conn`; absent in other tables."),
    destinationPort: z.int().optional().describe("Part of the key of `conn`; absent in other tables."),
    protocol: protocolSchema.optional().describe("L4 protocol, part of the key of `conn`; absent in other tables."),
    id: z.int().describe("Id of the rule that made the record."),
    value: z.int().optional().describe("Default 1."),
    lifetime: z.number().optional().describe("Seconds left, to the millisecond. Absent: no end."),
    age: z.number().optional().describe("Seconds since the record was added. Default 0."),
    expiredFor: z.number().optional().describe("Seconds since the record expired; only in expired records."),
  })
  .describe("One record of a table in the form of a state file; its address members depend on the type.")
  .meta({ id: "MarkRecord" });

export const markLosses = z
  .object({
    evicted: count.describe("Live marks that new ones replaced in a full table."),
    refused: count.describe("New marks that a full table refused."),
  })
  .describe("Records lost to a full table.");

const markTouch = z
  .object({
    type: z.enum(MARK_TYPES).describe("Its table."),
    id: z.int().describe("Id of the record."),
    value: z.int().describe("Value of the record, afterwards."),
  })
  .describe("A mark that a packet made or changed.")
  .meta({ id: "MarkTouch" });

export const verdict = z
  .object({
    verdict: z.enum(["accept", "drop"]).describe("Decision about the packet."),
    profile: z
      .string()
      .optional()
      .describe("The profile of its destination; absent if no bound prefix contains it: the packet is accepted."),
    rule: z
      .object({ id: z.int().optional().describe("Its id."), name: z.string().optional().describe("Its name.") })
      .optional()
      .describe("The rule that decided; absent if none did: the packet is accepted."),
    marks: z.array(markTouch).describe("Marks that it made or changed, in order."),
  })
  .describe("Outcome for a packet.");

export const trafficSummary = z
  .object({
    packets: z.int().describe("Number of packets."),
    bytes: z.int().describe("Total bytes."),
    accepted: z.int().describe("Accepted packets."),
    dropped: z.int().describe("Dropped packets."),
    unbound: z.int().describe("Packets without a profile."),
    ...markLosses.shape,
  })
  .describe("Outcome for many packets.");
