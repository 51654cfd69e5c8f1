import { z } from "zod";
import { resourceRule } from "../rule";

/** Catches a feed that grows out of hand before a node has to hold it. */
export const maxEntries = resourceRule({
  name: "max-entries",
  level: "advisory",
  description: "A set holds no more entries than the limit.",
  on: ["PrefixSet"],
  needs: [],
  configure: ["rules.max-entries.limit"],
  config: z.strictObject({
    limit: z.int().min(1).default(50_000).describe("Highest number of entries in one set (default 50000)."),
  }),
  example: {
    settings: { limit: 1 },
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1, "203.0.113.0/24": 1 } },
      },
    ],
  },

  *judge(resource, { settings }) {
    const count = resource.entries.length;
    if (count <= settings.limit) return;
    yield {
      problem: `it holds ${count} entries, more than ${settings.limit}`,
      remedy: "Aggregate or split the set, or raise the limit.",
    };
  },
});
