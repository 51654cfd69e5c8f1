import { z } from "zod";
import { MAX_VALUE } from "../../provider/model/entry";
import { setPattern, stackPattern } from "../config/values";
import { entriesFinding } from "../entries-finding";
import { binds, bindsSet } from "../pattern";
import { resourceRule } from "../rule";

/** Rules on a node compare the value of a match, so an entry has no effect if no rule names its value. */
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
          values: z.array(z.int().min(0).max(MAX_VALUE)).min(1),
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
    const row = settings.allowed.find(({ stack, set }) => binds(stack, resource.stack) && bindsSet(set, resource.url));
    if (!row) return;
    const values = new Set(row.values);
    yield* entriesFinding(resource, {
      reads: "value",
      offence: ({ value }) => (values.has(value) ? undefined : `value ${value}`),
      problem: `entries with a value other than ${row.values.join(", ")}`,
      remedy: "Use a value that rules on the node compare with.",
    });
  },
});
