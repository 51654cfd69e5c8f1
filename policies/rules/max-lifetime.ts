import { z } from "zod";
import { duration, formatDuration } from "../config/values";
import { entriesFinding } from "../entries-finding";
import { resourceRule } from "../rule";
import { appliesTo, rolesSettings } from "./of-roles";

/**
 * Every block ends by itself. The rest of a lifetime only shrinks, so an entry that passes today passes tomorrow, and no
 * preview fails because of its time of day.
 */
export const maxLifetime = resourceRule({
  name: "max-lifetime",
  level: "advisory",
  description: "Every entry of a set with one of the roles expires, and no later than the longest lifetime from now.",
  on: ["PrefixSet", "PrefixSetEntry"],
  needs: ["role"],
  configure: ["rules.max-lifetime"],
  config: z.strictObject({
    longest: duration.prefault("90d").describe("The longest lifetime, such as 12h or 30d (default 90d)."),
    ...rolesSettings,
  }),
  example: {
    config: { sets: [{ pattern: "prefixset://*/blocked", role: "block" }] },
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: {
          arena: "edge",
          set: "blocked",
          entries: { "192.0.2.0/24": 1, "203.0.113.0/24": 1 },
          notes: { "203.0.113.0/24": '{"expires":"2031-01-01T00:00:00Z"}' },
        },
      },
    ],
  },

  *judge(resource, { settings, meaning, now }) {
    if (!appliesTo(resource, settings, meaning)) return;
    const latest = now.getTime() + settings.longest;
    yield* entriesFinding(resource, {
      reads: "notes",
      offence: ({ notes: { expires } }) => {
        if (expires === undefined) return "never expires";
        return Date.parse(expires) <= latest ? undefined : `expires ${expires}`;
      },
      problem: `entries that do not expire within ${formatDuration(settings.longest)}`,
      remedy: "Set an earlier `expires` beside the value, or list the set in `except`.",
    });
  },
});
