import { z } from "zod";
import { stackRule } from "../rule";
import { known } from "./known";

/** The capacity of the systems that clean traffic is limited. */
export const signalingsAtOnce = stackRule({
  name: "signalings-at-once",
  level: "advisory",
  description: "All cloud signalings of a stack together have no more prefixes than the limit.",
  needs: [],
  configure: ["rules.signalings-at-once.limit"],
  exceptionsBy: ["prefix"],
  config: z.strictObject({
    limit: z.int().min(1).default(64).describe("Highest number of prefixes that a stack signals at once (default 64)."),
  }),
  example: {
    settings: { limit: 1 },
    resources: [
      { kind: "CloudSignaling", name: "attack-1", inputs: { prefixes: ["198.51.100.7/32"] } },
      { kind: "CloudSignaling", name: "attack-2", inputs: { prefixes: ["198.51.100.9/32"] } },
    ],
  },

  *judge({ signalings }, { settings }) {
    const { values, leftOut } = known(signalings, ({ prefixes }) => prefixes);
    yield* leftOut;
    const signaled = new Map(values.flat().map((prefix) => [prefix.toString(), prefix]));
    if (signaled.size <= settings.limit) return;
    yield {
      problem: `prefixes that are signaled at once, more than the limit of ${settings.limit}`,
      offenders: [...signaled.values()].map((prefix) => ({ prefix })),
      remedy: "Remove signalings of past attacks, or raise the limit.",
    };
  },
});
