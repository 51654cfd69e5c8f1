import { z } from "zod";
import { some } from "../../provider/model/text";
import { SetResource } from "../resources";
import { resourceRule } from "../rule";

/** A module of `answers.read` runs in the provider's process, with its credentials. */
export const noCodeInAnswers = resourceRule({
  name: "no-code-in-answers",
  level: "advisory",
  description: "No node's answers are read by a module of the program's own (`answers.read`).",
  on: ["PrefixSet", "PrefixSetEntry"],
  needs: [],
  configure: ["rules.no-code-in-answers"],
  config: z.strictObject({
    modules: z.array(z.string().min(1)).default([]).describe("Modules that are known, as `answers.read` names them."),
  }),
  example: {
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: {
          node: { endpoint: "https://node.example.net", answers: { read: "./read.cjs" } },
          arena: "edge",
          set: "blocked",
          entries: {},
        },
      },
    ],
  },

  *judge(resource, { settings }) {
    if (!(resource instanceof SetResource)) return;
    const unknown = resource.readers.filter((module) => !settings.modules.includes(module));
    if (unknown.length === 0) return;
    yield {
      problem: `code of the change would read the answers of its node (\`answers.read\`): ${some(unknown.map((module) => JSON.stringify(module)))}`,
      remedy: "Describe the node's answers by the other settings of `answers`, or list the module.",
    };
  },
});
