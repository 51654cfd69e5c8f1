import { z } from "zod";
import {
  connectionSchema,
  entryLimitShape,
  hostBitsSchema,
  onExistingSchema,
  prefixListSchema,
  setShape,
} from "../arguments";
import { parseShareLimit } from "../limits/removals";

const shareSchema = z
  .custom<number | string>(isShare, { error: 'is neither a number of entries nor a percentage such as "20%"' })
  .optional();

/** The arguments that limit the set. */
export const limitShape = {
  ...entryLimitShape,
  requiredPrefixes: prefixListSchema.optional(),
  maxEntries: z.number({ error: "is not a number" }).int("is not an integer").min(0, "is negative").optional(),
  maxRemovals: shareSchema,
  maxChanges: shareSchema,
  allowEmpty: z.boolean({ error: "is neither true nor false" }).optional(),
};

/** The arguments of a `PrefixSet`. `entries` and `node` are checked by modules of their own. */
export const prefixSetSchema = z.strictObject({
  ...setShape,
  entries: z.unknown(),
  exclusive: z.boolean({ error: "is neither true nor false" }).optional(),
  onExisting: onExistingSchema.optional(),
  onDestroy: z.enum(["clear", "keep"], { error: 'is neither "clear" nor "keep"' }).optional(),
  hostBits: hostBitsSchema.optional(),
  ...limitShape,
  node: connectionSchema.optional(),
});

/** A number as a text is for the configuration, where everything is text. */
function isShare(value: unknown): boolean {
  const isOfKind = typeof value === "number" || (typeof value === "string" && value.endsWith("%"));
  return isOfKind && parseShareLimit(value) !== undefined;
}
