import { z } from "zod";
import { connectionSchema, hostBitsSchema } from "../arguments";
import { noteShape } from "../entries";

const { reason, ticket } = noteShape();

/** The arguments of a `CloudSignaling`. The single prefixes and `receiver` are checked by modules of their own. */
export const cloudSignalingSchema = z.strictObject({
  prefixes: z.array(z.unknown(), { error: "is not an array of prefixes" }).min(1, "is empty: name at least one prefix"),
  stops: z.enum(["started", "all", "none"], { error: 'is none of "started", "all", "none"' }).optional(),
  reason,
  ticket,
  hostBits: hostBitsSchema.optional(),
  receiver: connectionSchema.optional(),
});
