import { z } from "zod";
import { ALWAYS_ALLOWED, DEFAULT_MAX_REMOVALS } from "../../provider/model/limits";
import { resourceRule } from "../rule";

/** `maxRemovals` protects against a source list that is half empty; in production it stays in force. */
export const productionRemovals = resourceRule({
  name: "production-removals",
  level: "advisory",
  description: "In production stacks `maxRemovals` is not lifted above the limit.",
  on: ["PrefixSet"],
  needs: [],
  configure: ["productionStacks", "rules.production-removals.percent"],
  exceptionsBy: ["set"],
  config: z.strictObject({
    percent: z.number().min(0).max(100).default(50).describe("Highest share that one update may remove (default 50)."),
  }),
  example: {
    stack: "prod",
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 }, maxRemovals: "100%" },
      },
    ],
  },

  *judge(resource, { settings, meaning, environment }) {
    if (!meaning.isProduction(resource.stack)) return;
    const { maxRemovals = DEFAULT_MAX_REMOVALS, url } = resource;
    const remedy = `Keep the limit at ${settings.percent}% or less and remove entries in steps, or raise the limit of this rule.`;
    if (share(maxRemovals, () => resource.entries.length) > settings.percent) {
      yield { problem: `\`maxRemovals\` is ${maxRemovals}, more than ${settings.percent}% of the set`, remedy };
    }
    if (environment.PACKETFILTER_ALLOW?.split(/[\s,]+/).includes(url)) {
      yield { problem: "PACKETFILTER_ALLOW lifts `maxRemovals` for this run", remedy };
    }
  },
});

/** The limit in percent of the set; 0 if it is no more than any change may remove. */
function share(limit: number | string, count: () => number): number {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(String(limit))?.[1];
  if (percent !== undefined) return Number(percent);
  const removals = Number(limit);
  if (removals <= ALWAYS_ALLOWED) return 0;
  return (100 * removals) / Math.max(1, count());
}
