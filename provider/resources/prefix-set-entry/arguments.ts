import { z } from "zod";
import { connectionSchema, entryLimitShape, hostBitsSchema, onExistingSchema, setShape } from "../arguments";
import { noteShape, valueSchema } from "../entries";

/** The arguments of a `PrefixSetEntry`. `node` is checked by a module of its own. */
export const prefixSetEntrySchema = z.strictObject({
  ...setShape,
  prefix: z.string({ error: "is not a text with a prefix in it" }),
  value: valueSchema().optional(),
  ...noteShape(),
  onExisting: onExistingSchema.optional(),
  onDestroy: z.enum(["remove", "keep", "created"], { error: 'is none of "remove", "keep", "created"' }).optional(),
  hostBits: hostBitsSchema.optional(),
  ...entryLimitShape,
  node: connectionSchema.optional(),
});
