import { z } from "zod";

const digits = z.string().regex(/^\d+$/).describe("A number that may be larger than 2^53, as its digits.");
const value = z.union([z.number(), z.string()]);
const counter = z.int().min(0);

const addressesSchema = z
  .strictObject({ ipv4: digits, ipv6: digits })
  .describe("Number of addresses that the prefixes cover, by family; one that several cover counts once.");

const noteSchema = z.strictObject({
  reason: z.string().optional(),
  ticket: z.string().optional(),
  expires: z.string().optional().describe("ISO 8601 time with zone."),
});

const entrySchema = z.strictObject({
  prefix: z.string(),
  from: value.optional().describe("The value before; absent for an added entry."),
  to: value.optional().describe("The value after; absent for a removed entry."),
  note: noteSchema.optional().describe("Note of the entry after the change; for removed entries, before it."),
  noteBefore: noteSchema.optional().describe("Note before the change, if it changes."),
  resource: z.string().describe("Name of the resource in the program."),
  expired: z.literal(true).optional().describe("It is removed because it has expired."),
  marked: counter.optional().describe("With --marks: how many sources that are marked now the prefix covers."),
});

const listSchema = z.strictObject({
  count: counter,
  addresses: addressesSchema,
  marked: counter.optional().describe("With --marks: how many sources that are marked now any of them covers."),
  entries: z.array(entrySchema).describe("IPv4 before IPv6, the widest first."),
});

export const resourceSchema = z.strictObject({
  name: z.string(),
  type: z.enum(["PrefixSet", "PrefixSetGroup", "PrefixSetEntry", "CloudSignaling"]),
  operation: z.enum(["create", "update", "replace", "delete"]),
});

const marksSchema = z.union([
  z.strictObject({
    sources: counter.describe("Number of sources that are marked now, in the profiles that the set concerns."),
  }),
  z.strictObject({ unasked: z.string().describe("Why the node was not asked, or did not answer.") }),
]);

const setSchema = z.strictObject({
  node: z.string().describe("Name in the configuration, else the address; of several nodes their number."),
  nodes: z
    .array(z.string())
    .optional()
    .describe(
      "With a PrefixSetGroup: the nodes, where all of this is the same at several. Counts are those of one node.",
    ),
  endpoint: z.string().optional().describe("Address of the node, without credentials, if it is known."),
  url: z.string().describe("prefixset://ARENA/SET or prefixset://ARENA/PROFILE/SET."),
  resources: z.array(resourceSchema),
  in: listSchema,
  out: listSchema,
  changed: listSchema.describe("Another value."),
  renoted: listSchema.describe("The same value and other notes: nothing is sent for them."),
  kept: counter.describe("Entries that leave the program and stay at the node (onDestroy)."),
  unproven: counter
    .optional()
    .describe(
      "Of a node that leaves its group: entries that stay, since it may be the same machine as one that wants them.",
    ),
  unknown: counter.describe("Resources of which the preview does not know all entries yet."),
  hidden: z.boolean().describe("True if a part is secret, so that not every change can be seen."),
  drift: z
    .strictObject({ in: counter, out: counter, changed: counter })
    .optional()
    .describe("Differences that a refresh found between node and state: entries more, fewer, with other values."),
  expiring: z.array(z.strictObject({ prefix: z.string(), expires: z.string() })).describe("The soonest first."),
  marks: marksSchema.optional(),
});

const signalingSchema = z.strictObject({
  receiver: z.string(),
  resource: resourceSchema,
  started: z.array(z.string()),
  stopped: z.array(z.string()),
  left: z.array(z.string()).describe("Leave the program and go on running (stops)."),
  note: noteSchema.optional(),
  unknown: z.boolean(),
});

const restoredSchema = z.strictObject({
  resource: resourceSchema,
  place: z.string().optional().describe("Node or receiver; of a group, `what` names the nodes."),
  url: z.string().optional().describe("The set."),
  what: z.string().describe("Count, and the first ones."),
});

const wholeSchema = z.strictObject({
  operation: z.enum(["replace", "delete"]),
  type: resourceSchema.shape.type,
  names: z.array(z.string()).describe("One resource, or the single entries of one set."),
  place: z.string().describe("Node or receiver."),
  url: z.string().optional().describe("The set before."),
  becomes: z.string().optional().describe("The set after a replacement, if it is another one."),
  reasons: z.array(z.string()).describe("Arguments that make a replacement necessary."),
  prefixes: counter.describe("Entries that the resources held."),
  addresses: addressesSchema,
  kept: z.boolean().describe("True if all of it stays at the node or receiver."),
});

const policyFindingSchema = z.strictObject({
  policy: z.string(),
  message: z.string(),
  urn: z.string().optional().describe("The resource; absent: the whole stack."),
});

const policiesSchema = z
  .strictObject({
    rules: counter.describe("Number of policies that judged."),
    mandatory: z.array(policyFindingSchema).describe("Findings that forbid the change."),
    advisory: z.array(policyFindingSchema),
  })
  .describe("With --policies: what the policies said.");

/** The form of `report --output json`, published as schemas/report.schema.json. */
export const reportSchema = z.strictObject({
  project: z.string(),
  stack: z.string(),
  failed: z.boolean().describe("True if the preview ended with an error."),
  totals: z.strictObject({
    in: counter,
    out: counter,
    changed: counter,
    renoted: counter,
    addressesIn: addressesSchema,
    addressesOut: addressesSchema,
    sets: counter,
    nodes: counter,
    started: counter,
    stopped: counter,
    deleted: counter,
    replaced: counter,
    restored: counter.describe("Resources that restore something."),
  }),
  whole: z.array(wholeSchema).describe("Resources that are deleted or replaced."),
  sets: z.array(setSchema),
  signalings: z.array(signalingSchema),
  restored: z
    .array(restoredSchema)
    .describe(
      "Entries and signalings that nodes and receivers lost since the last run, and this up restores: no change of the program.",
    ),
  others: z.record(z.string(), counter).describe("Resources of other kinds by what is done with them."),
  errors: z.array(z.string()),
  warnings: z.array(z.string()),
  policies: policiesSchema.optional(),
  found: z.array(z.string()).describe("Findings of the preview at nodes and receivers."),
});

/** Changes of a preview, for renderers. */
export type Report = z.output<typeof reportSchema>;
export type SetReport = z.output<typeof setSchema>;
export type SignalingReport = z.output<typeof signalingSchema>;
export type Restored = z.output<typeof restoredSchema>;
export type WholeChange = z.output<typeof wholeSchema>;
export type EntryList = z.output<typeof listSchema>;
export type EntryChange = z.output<typeof entrySchema>;
export type ResourceChange = z.output<typeof resourceSchema>;
export type Addresses = z.output<typeof addressesSchema>;

/** The JSON Schema of {@link reportSchema}. */
export function reportJsonSchema(): object {
  return {
    title: "The changes of a preview, as pulumi-packetfilter report prints them",
    ...z.toJSONSchema(reportSchema),
  };
}
