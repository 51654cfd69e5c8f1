import { z } from "zod";
import { prefixSetSchema, shareSchema } from "../prefix-set/state";

/** What may be different at one node; `entries` are checked by a module of their own. `notes` are made of them. */
export const overrideSchema = z.strictObject({
  entries: z.unknown().optional(),
  notes: z.record(z.string(), z.string()).optional(),
  exclusive: prefixSetSchema.shape.exclusive,
  maxRemovals: prefixSetSchema.shape.maxRemovals,
  onExisting: prefixSetSchema.shape.onExisting,
});

/** The arguments of a `PrefixSetGroup`; `entries` and `nodes` may hold unknown parts. */
export const prefixSetGroupSchema = prefixSetSchema.omit({ node: true }).extend({
  nodes: z.unknown(),
  atOnce: z
    .number({ error: "is not a number of nodes" })
    .int("is not an integer")
    .min(1, "is less than one node")
    .optional(),
  maxUnreachable: shareSchema("nodes"),
});

/** So many nodes are changed at a time unless `atOnce` says otherwise. */
export const AT_ONCE = 16;
