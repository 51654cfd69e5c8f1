import { z } from "zod";
import { resourceRule } from "../rule";

const name = z.string().refine(
  (text) => {
    try {
      return Boolean(new RegExp(text, "u"));
    } catch {
      return false;
    }
  },
  { error: (issue) => `${JSON.stringify(issue.input)} is not a regular expression` },
);

const DEFAULT = "^[a-z0-9][a-z0-9._-]*$";

/** Similar names put entries into the wrong set. */
export const naming = resourceRule({
  name: "naming",
  level: "advisory",
  description: "Arenas, profiles and sets are named as agreed.",
  on: ["PrefixSet", "PrefixSetEntry"],
  needs: [],
  configure: ["rules.naming"],
  exceptionsBy: ["set"],
  config: z.strictObject({
    arena: name.default(DEFAULT).describe(`Regular expression for arenas (default ${DEFAULT}).`),
    profile: name.default(DEFAULT).describe(`Regular expression for profiles (default ${DEFAULT}).`),
    set: name.default(DEFAULT).describe(`Regular expression for sets (default ${DEFAULT}).`),
  }),
  example: {
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: { arena: "edge", set: "Blocked_NEW", entries: { "192.0.2.0/24": 1 } },
      },
    ],
  },

  *judge(resource, { settings }) {
    for (const part of ["arena", "profile", "set"] as const) {
      const text = resource[part];
      if (text === undefined || new RegExp(settings[part], "u").test(text)) continue;
      yield {
        problem: `the name of the ${part}, ${JSON.stringify(text)}, does not match ${settings[part]}`,
        remedy: "Use the agreed name; a set cannot be renamed by this package, so change it on the node as well.",
      };
    }
  },
});
