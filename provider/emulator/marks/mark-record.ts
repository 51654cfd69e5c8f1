import { z } from "zod";
import { MAX_VALUE } from "../../model/entry";
import { parseAddress } from "../packet/address";
import { portSchema, protocolSchema } from "../packet/packet";
import { bounded } from "../validation/bounded";
import { readBy } from "../validation/strict";

/** One address; prefixes are refused, since marks have no masks (docs/contributing/contract.md#terms). */
const addressSchema = z.string().superRefine(readBy(parseAddress)).describe("an IPv4 or IPv6 address");

const common = {
  id: z.int().min(0).max(MAX_VALUE).describe("id of the rule that made the record"),
  value: z.int().min(0).max(MAX_VALUE).optional().describe("counter driven by rules; absent: 1"),
  lifetime: z.number().min(0).optional().describe("seconds left; absent: no end"),
  age: z.number().min(0).optional().describe("seconds since the record was added; absent: 0"),
  expiredFor: z.number().min(0).optional().describe("seconds since the record expired; replaces lifetime"),
};
const source = addressSchema.describe("address of the sender");
const destination = addressSchema.describe("address of the recipient");
const single = z.strictObject({ address: addressSchema, ...common });
const pair = z.strictObject({ source, destination, ...common });
const connection = z.strictObject({
  source,
  destination,
  sourcePort: portSchema.optional().describe("port of the sender; absent: 0"),
  destinationPort: portSchema.optional().describe("port of the recipient; absent: 0"),
  protocol: protocolSchema,
  ...common,
});

/**
 * The marks of a profile in a state file.
 *
 * @example
 * ```yaml
 * marks:
 *   shost:
 *     - { address: 203.0.113.45, id: 70001, value: 1234, lifetime: 3600 }
 * ```
 */
export const marksSchema = z
  .strictObject({
    shost: bounded(z.array(single)).optional().describe("by senders"),
    dhost: bounded(z.array(single)).optional().describe("by recipients"),
    sdhost: bounded(z.array(pair)).optional().describe("by pairs of sender and recipient"),
    conn: bounded(z.array(connection)).optional().describe("by connections"),
  })
  .meta({ id: "Marks", description: "the four tables of marks of a profile" });

export type { MarkRecord } from "../answer-types";
export type { MarkRecords } from "./schema-types";
