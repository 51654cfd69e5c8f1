import { z } from "zod";
import { json } from "../http/reply";

/** The answer of operations that return nothing. */
export const done = z.object({ status: z.literal("ok") }).describe("Done.");
export const ok = () => json(200, { status: "ok" });

/** Prefixes with their values. */
export const entries = z.record(z.string(), z.number());

/** See `Duration`. */
export const duration = z.union([z.number(), z.string()]).describe("Milliseconds, or a text such as 1h.");
