import { z } from "zod";
import { declaredNameProblem } from "../../provider/model/resource-url";
import { some } from "../../provider/model/text";
import { SignalingResource } from "../resources";
import { type Finding, resourceRule } from "../rule";
import { unreadSettings } from "../settings-finding";

/** Refuses names, prefixes and settings that the other rules cannot read and judge. */
export const readable = resourceRule({
  name: "readable",
  level: "mandatory",
  description:
    "Every prefix and the settings of every node and receiver can be read, and every name of an arena, profile or set can be read in one way only.",
  on: ["PrefixSet", "PrefixSetEntry", "CloudSignaling"],
  needs: [],
  configure: ["rules.readable"],
  exceptionsBy: ["set"],
  config: z.strictObject({}),
  example: {
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: { arena: "edge", set: "block%65d", entries: { "192.0.2.0/24": 1 } },
      },
    ],
  },

  *judge(resource): Generator<Finding> {
    if (!(resource instanceof SignalingResource)) {
      for (const part of ["arena", "profile", "set"] as const) {
        const name = resource[part];
        const problem = name === undefined ? undefined : declaredNameProblem(name);
        if (problem === undefined) continue;
        yield { problem: `the ${part} ${JSON.stringify(name)} ${problem}`, remedy: "Choose another name." };
      }
    }
    if (resource instanceof SignalingResource) yield* unreadSettings("receiver", [resource.receiver]);
    else yield* unreadSettings("node", resource.nodes);
    const { unreadable } = resource;
    if (unreadable.length > 0) {
      yield {
        problem: `prefixes that no rule can read and judge (${unreadable.length}): ${some(unreadable)}`,
        remedy: "Write them as prefixes in CIDR form without host bits.",
      };
    }
  },
});
