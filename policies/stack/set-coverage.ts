import { z } from "zod";
import { wideFamilies } from "../../provider/model/coverage";
import { type Finding, type LeftOut, stackRule } from "../rule";
import { known } from "./known";
import { bySet } from "./one-set";

/** Refuses resources of a stack that together cover a quarter of a family in one set: a default route in pieces is one. */
export const setCoverage = stackRule({
  name: "set-coverage",
  level: "mandatory",
  description: "All resources that write to one set of a node cover together no more than a quarter of a family.",
  needs: [],
  configure: ["rules.set-coverage"],
  exceptionsBy: ["set"],
  config: z.strictObject({
    wide: z
      .array(z.enum(["IPv4", "IPv6"]))
      .default([])
      .describe("Families of which sets may cover more, such as [IPv6]."),
  }),
  example: {
    resources: ["0.0.0.0/3", "32.0.0.0/3", "64.0.0.0/3"].map((prefix, index) => ({
      kind: "PrefixSet" as const,
      name: `blocked-${index}`,
      inputs: { arena: "edge", set: "blocked", exclusive: false, entries: { [prefix]: 1 } },
    })),
  },

  *judge({ sets }, { settings }): Generator<Finding | LeftOut> {
    const { values, leftOut } = known(sets, (resource) =>
      resource.nodes && resource.url && resource.entries ? [resource] : [],
    );
    yield* leftOut;
    for (const { holders, url } of bySet(values.flat())) {
      const [resource, another] = holders;
      // One resource alone is judged by prefix-length.
      if (!resource || !another) continue;
      const prefixes = holders.flatMap(({ entries }) => entries.map(({ prefix }) => prefix.toString()));
      const families = wideFamilies(prefixes).map((family) => `IPv${family}` as const);
      const wide = families.filter((family) => !settings.wide.includes(family));
      if (wide.length === 0) continue;
      yield {
        resource,
        problem: `the ${wide.join(" and ")} entries of ${holders.length} resources for ${url} together cover more than a quarter of all addresses`,
        remedy: "Write the intended prefixes, or list the family in `wide`.",
      };
    }
  },
});
