import { z } from "zod";
import { resourceRule } from "../rule";

/** A signaling with many prefixes is probably a list meant for a set. */
export const signalingCount = resourceRule({
  name: "signaling-count",
  level: "advisory",
  description: "One cloud signaling has no more prefixes than the limit.",
  on: ["CloudSignaling"],
  needs: [],
  configure: ["rules.signaling-count.limit"],
  exceptionsBy: [],
  config: z.strictObject({
    limit: z.int().min(1).default(16).describe("Highest number of prefixes in one resource (default 16)."),
  }),
  example: {
    settings: { limit: 1 },
    resources: [
      { kind: "CloudSignaling", name: "attack", inputs: { prefixes: ["198.51.100.7/32", "198.51.100.9/32"] } },
    ],
  },

  *judge(resource, { settings }) {
    const count = resource.prefixes.length;
    if (count <= settings.limit) return;
    yield {
      problem: `it has ${count} prefixes, more than ${settings.limit}`,
      remedy: "Signal the covering prefix or fewer addresses, or raise the limit.",
    };
  },
});
