import { z } from "zod";
import { setPattern, stackPattern } from "../config/values";
import { matches } from "../pattern";
import { type Offender, resourceRule } from "../rule";
import { NotYetKnown } from "../unknown";

/** Rules on a node look at the value of a match: a value that none of them knows does nothing. */
export const allowedValues = resourceRule({
  name: "allowed-values",
  level: "advisory",
  description:
    "Entries have only the values that are allowed for the stack and the set; without configuration every value is.",
  on: ["PrefixSet", "PrefixSetEntry"],
  needs: [],
  configure: ["rules.allowed-values.allowed"],
  config: z.strictObject({
    allowed: z
      .array(
        z.strictObject({
          stack: stackPattern.default("**"),
          set: setPattern.default("prefixset://**"),
          values: z.array(z.int().min(0).max(4_294_967_295)).min(1),
        }),
      )
      .default([])
      .describe("List of `{ stack, set, values }`; the first that matches both patterns counts (default none)."),
  }),
  example: {
    settings: { allowed: [{ stack: "prod", values: [1, 2] }] },
    stack: "prod",
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1, "203.0.113.0/24": 7 } },
      },
    ],
  },

  *judge(resource, { settings }) {
    const row = settings.allowed.find(({ stack, set }) => matches(stack, resource.stack) && matches(set, resource.url));
    if (!row) return;
    const values = new Set(row.values);
    const offenders: Offender[] = [];
    for (const { prefix, value } of resource.entries) {
      if (value !== undefined && !values.has(value)) offenders.push({ prefix, detail: `value ${value}` });
    }
    if (offenders.length > 0) {
      yield {
        problem: `entries with a value other than ${row.values.join(", ")}`,
        of: resource.entries.length,
        offenders,
        remedy: "Give them a value that rules on the node know.",
      };
    }
    if (resource.entries.some(({ value }) => value === undefined)) throw new NotYetKnown("value");
  },
});
