import { z } from "zod";
import { isForeign, typeIn, typeToken } from "../../provider/model/resource-kind";
import { resourceRule } from "../rule";

/** Refuses resources of this package under another type: tools that select by type (policies, `--target`, audits) miss them. */
export const foreignType = resourceRule({
  name: "foreign-type",
  level: "mandatory",
  description: "Every resource that this package serves has the type of its kind.",
  on: ["PrefixSet", "PrefixSetGroup", "PrefixSetEntry", "CloudSignaling"],
  needs: [],
  configure: ["rules.foreign-type"],
  exceptionsBy: ["set"],
  config: z.strictObject({}),
  example: {
    resources: [
      {
        kind: "PrefixSet",
        type: "pulumi-nodejs:dynamic/other:Set",
        name: "blocked",
        inputs: { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } },
      },
    ],
  },

  *judge({ urn, meta: { kind } }) {
    const type = typeIn(urn);
    if (!isForeign(type, kind)) return;
    yield {
      problem: `the type ${JSON.stringify(type)} hides it from tools that select by type`,
      remedy: `Declare it with the class ${kind}, whose type is ${typeToken(kind)}.`,
    };
  },
});
