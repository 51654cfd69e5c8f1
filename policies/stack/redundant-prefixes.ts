import { z } from "zod";
import { setPattern } from "../config/values";
import { matchesAny } from "../pattern";
import { stackRule } from "../rule";
import { reducible } from "./aggregate";
import { known } from "./known";
import { bySet } from "./one-set";

/** The capacity of a node is limited, and a list without repetition is easier to review. */
export const redundantPrefixes = stackRule({
  name: "redundant-prefixes",
  level: "advisory",
  description:
    "No set holds an entry that a covering one of equal value, reason and expiry makes redundant, nor entries that one prefix could replace.",
  needs: [],
  configure: ["rules.redundant-prefixes"],
  config: z.strictObject({
    except: z.array(setPattern).default([]).describe("Patterns of sets to which the rule does not apply."),
  }),
  example: {
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: {
          arena: "edge",
          set: "blocked",
          entries: { "203.0.113.0/25": 1, "203.0.113.128/25": 1, "203.0.113.7/32": 1 },
        },
      },
    ],
  },

  *judge({ sets }, { settings }) {
    const { values, leftOut } = known(sets, (resource) => {
      if (matchesAny(settings.except, resource.url)) return [];
      return resource.nodes && resource.entries ? [resource] : [];
    });
    yield* leftOut;
    for (const { url, holders } of bySet(values.flat())) {
      const resource = holders[0];
      const entries = holders.flatMap((holder) => holder.entries);
      const count = entries.length;
      const { redundant, aggregates } = reducible(entries);
      if (redundant.length > 0) {
        yield {
          resource,
          problem: `entries of ${url} that are redundant, since a covering one has the same value, reason and expiry`,
          of: count,
          offenders: redundant.map(({ prefix, coveredBy }) => ({ prefix, detail: `covered by ${coveredBy}` })),
          remedy: "Remove them.",
        };
      }
      if (aggregates.length > 0) {
        const parts = aggregates.reduce((sum, one) => sum + one.parts.length, 0);
        yield {
          resource,
          problem: `prefixes that can replace ${parts} of the ${count} entries of ${url}`,
          offenders: aggregates.map((one) => ({ prefix: one.aggregate, detail: `for ${one.parts.length} entries` })),
          remedy: "Replace them by the aggregate.",
        };
      }
    }
  },
});
