import { z } from "zod";
import { MAX_VALUE } from "../../model/entry";
import { CONTROL } from "../defaults";
import { addressProblem } from "../journal/address-filter";
import { type Packet, packetSchema, TrafficSource } from "../packets";
import { durationSchema } from "../time/duration";
import { markTypeSchema } from "../validation/mark-type";
import { prefixText, strictly } from "../validation/strict";

/**
 * Arguments of an emulator's methods, checked at run time for plain JavaScript. The control API describes and checks its
 * operations by the same schemas.
 */

const filterMembers = z.strictObject({
  cmd: z
    .enum(["list", "insert", "delete", "commit"])
    .optional()
    .describe("Of the node API: list, insert, delete or commit."),
  op: z.enum(["status", "start", "stop"]).optional().describe("Of the signaling API: status, start or stop."),
  api: z.enum(["node", "signaling", "test", "other"]).optional().describe("node, signaling, test or other."),
  url: z
    .string()
    .optional()
    .describe("The resource of a command, with or without a trailing slash; a * at the end matches the rest."),
  client: z.string().optional().describe("The signaling client."),
  type: markTypeSchema.optional().describe("Of a list of marks: shost, dhost, sdhost or conn."),
  status: z.int().optional().describe("Status of the answer."),
  run: z.union([z.int(), z.string()]).optional().describe("Number or label of a run."),
  contains: prefixText.optional().describe("A prefix or an address that a data item equals or covers."),
});

/** Filter of journal entries: every given member must match. */
export const journalFilter = filterMembers.superRefine(({ url, cmd }, context) => {
  const message = url === undefined ? undefined : addressProblem(url, cmd);
  if (message !== undefined) context.addIssue({ code: "custom", path: ["url"], message });
});

/** Range of the matching entries. */
export const journalRange = z.strictObject({
  since: z.int().min(0).optional().describe("Only entries with at least this index."),
  limit: z.int().min(0).optional().describe("Largest number of entries: the newest ones, in order."),
});

/** Longest wait for a request, and the first journal entry to consider. */
export const requestWait = z.strictObject({
  within: durationSchema.optional().describe("Real time, milliseconds or a text such as 2s; default 5s."),
  since: z
    .int()
    .min(0)
    .optional()
    .describe("Only a request with at least this index; default: any that the journal has."),
});

/** Number of expected requests. */
export const requestCount = z.union([
  z.int().min(0),
  z
    .strictObject({ exactly: z.int().min(0), min: z.int().min(0), max: z.int().min(0) })
    .partial()
    .refine(
      ({ exactly, min, max }) => (exactly === undefined) !== (min === undefined && max === undefined),
      "needs `exactly`, or `min`, `max` or both",
    )
    .refine(({ min = 0, max = min }) => min <= max, "`min` must be at most `max`"),
]);

export const requestOrder = z.array(journalFilter).min(1);

/** Changes of a set by an operator at the node's console. */
export const setChanges = z
  .strictObject({
    insert: z.record(z.string(), z.int().min(0).max(MAX_VALUE)).describe("Entries to insert, with their values."),
    delete: z.array(z.string()).describe("Entries to delete."),
  })
  .partial();

/** Changes of signalings without a request. */
export const signalChanges = z
  .strictObject({
    start: z.array(z.string()).describe("Prefixes to start."),
    stop: z.array(z.string()).describe("Prefixes to stop."),
  })
  .partial();

/** A resource address, a prefix or an address. */
export const text = z.string();

export const name = z.string().min(1).max(CONTROL.snapshotCharacters);

/** Filter of the records of a mark table. */
export const markQuery = z.strictObject({
  id: z.int().min(0).optional().describe("Only marks of rules with this id."),
  contains: prefixText
    .optional()
    .describe("Only records with this address, or with one in this prefix, as source, destination or only address."),
  limit: z
    .int()
    .min(1)
    .max(CONTROL.allMarks)
    .optional()
    .describe("Most records: first IPv4, then IPv6, each in the order in which they first appeared."),
});

/** One of the four mark tables of a profile, and a filter of its records. */
export const markTable = markQuery.extend({ url: z.string().describe("Of the profile."), type: markTypeSchema });

/** Kind of traffic and number of its packets. */
export const generatedTraffic = z.strictObject({
  traffic: z.instanceof(TrafficSource, { error: 'must be a source such as synFlood({ to: ["198.51.100.7"] })' }),
  count: z.int().min(0),
  options: z.strictObject({ signal: z.instanceof(AbortSignal, { error: "must be an AbortSignal" }).optional() }),
});

/** Checks packets one by one while they are received, since a source may be endless. @throws {TypeError} */
export function* checkedPackets(packets: Iterable<Packet>): Generator<Packet, void> {
  if (typeof packets !== "object" || packets === null || !(Symbol.iterator in packets)) {
    throw new TypeError('receive(): must be an array of packets, such as [{ from, to, proto: "tcp" }].');
  }
  let at = 0;
  for (const packet of packets) {
    yield strictly(packetSchema, packet, `receive(): packet ${at}`);
    at += 1;
  }
}
