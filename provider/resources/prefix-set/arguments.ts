import { z } from "zod";
import type { CanonicalPrefix } from "../../model/prefix";
import {
  connectionSchema,
  hostBitsSchema,
  onExistingSchema,
  prefixListSchema,
  setShape,
  shortestSchema,
} from "../arguments";
import type { Properties } from "../handler";

/** The arguments of a `PrefixSet`. `entries` and `node` are judged by modules of their own. */
export const prefixSetSchema = z.strictObject({
  ...setShape,
  entries: z.unknown(),
  exclusive: z.boolean({ error: "is neither true nor false" }).optional(),
  onExisting: onExistingSchema.optional(),
  onDestroy: z.enum(["clear", "keep"], { error: 'is neither "clear" nor "keep"' }).optional(),
  hostBits: hostBitsSchema.optional(),
  forbiddenPrefixes: prefixListSchema.optional(),
  requiredPrefixes: prefixListSchema.optional(),
  shortestPrefix: shortestSchema.optional(),
  maxEntries: z.number({ error: "is not a number" }).int("is not an integer").min(0, "is negative").optional(),
  maxRemovals: z
    .custom<number | string>(isLimit, { error: 'is neither a number of entries nor a percentage such as "20%"' })
    .optional(),
  allowEmpty: z.boolean({ error: "is neither true nor false" }).optional(),
  node: connectionSchema.optional(),
});

function isLimit(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && value >= 0;
  return typeof value === "string" && /^(100|[0-9]{1,2})(\.[0-9]+)?%$/.test(value);
}

/** Valid arguments, as far as they are known. */
export type PrefixSetArguments = Partial<z.output<typeof prefixSetSchema>>;

/** Outputs that are no arguments. */
export const PREFIX_SET_OUTPUTS = ["url", "count", "endpoint", "adopted", "unsettled"] as const;

/** The entries of checked inputs or of outputs, which are canonical already. */
export function entriesOf(props: Properties): Map<CanonicalPrefix, number> {
  const { entries } = props;
  if (typeof entries !== "object" || entries === null) return new Map();
  return new Map(Object.entries(entries) as [CanonicalPrefix, number][]);
}

/** The arguments among the outputs. */
export function argumentsOf(props: Properties): Properties {
  const outputs: readonly string[] = PREFIX_SET_OUTPUTS;
  return Object.fromEntries(Object.entries(props).filter(([key]) => !outputs.includes(key)));
}
