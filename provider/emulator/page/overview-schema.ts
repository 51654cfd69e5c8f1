import { z } from "zod";
import { MARK_TYPES } from "../../model/mark";

/** Parts of the overview. */
const set = z.object({
  name: z.string(),
  url: z.string(),
  applied: z.int().describe("Entries."),
  changes: z.int().describe("Staged changes that wait for a commit."),
  revision: z.int().describe("Grows with every change of the applied entries."),
});

const profile = z.object({
  name: z.string(),
  url: z.string(),
  bound: z
    .array(z.object({ prefix: z.string(), signaling: z.boolean() }))
    .describe("Prefixes bound to it now, with those that an active signaling brought."),
  rules: z.array(
    z.object({
      rule: z.looseObject({ id: z.int().optional(), name: z.string().optional() }),
      counter: z.object({ packets: z.int(), bytes: z.int() }).nullable(),
    }),
  ),
  sets: z.array(set),
  marks: z.array(
    z.object({
      type: z.enum(MARK_TYPES),
      active: z.int(),
      expired: z.int(),
      ids: z
        .array(z.object({ id: z.int(), records: z.int() }))
        .describe("Live records by id, the largest groups first."),
    }),
  ),
});

/** An arena with its global sets and its profiles. */
export const arena = z.object({ name: z.string(), sets: z.array(set), profiles: z.array(profile) });

/** A client of the signaling API, without its secret. */
export const client = z.object({
  clientId: z.string(),
  deployment: z.enum(["signaling", "test"]),
  prefixes: z.array(z.string()),
  active: z.array(z.string()),
  from: z.string().optional().describe("The profile of its prefixes without signaling."),
  to: z.string().optional().describe("The profile of its prefixes with active signaling."),
});
