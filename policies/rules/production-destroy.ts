import { z } from "zod";
import { resourceRule } from "../rule";

/** Otherwise one mistyped stack name in `pulumi destroy` empties a production set. */
export const productionDestroy = resourceRule({
  name: "production-destroy",
  level: "advisory",
  description: "In production stacks a set that is cleared on destroy has `protect: true`.",
  on: ["PrefixSet"],
  needs: [],
  configure: ["productionStacks"],
  exceptionsBy: ["set"],
  config: z.strictObject({}),
  example: {
    stack: "prod",
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } },
      },
    ],
  },

  *judge(resource, { meaning }) {
    if (!meaning.isProduction(resource.stack) || resource.meta.protect || resource.onDestroy === "keep") return;
    // `created` removes what the resource inserted, in most sets all entries.
    yield {
      problem: `a destroy removes its entries, and it is not protected, in the production stack ${JSON.stringify(resource.stack)}`,
      remedy: 'Give it the option `protect: true`, or `onDestroy: "keep"`.',
    };
  },
});
