import { z } from "zod";
import { setPattern } from "../config/values";
import { entriesFinding } from "../entries-finding";
import { matchesAny } from "../pattern";
import { resourceRule } from "../rule";

/** An entry without a reason is never removed. */
export const requireReason = resourceRule({
  name: "require-reason",
  level: "advisory",
  description: "Every entry of a set with one of the roles says why it is there.",
  on: ["PrefixSet", "PrefixSetEntry"],
  needs: ["role"],
  configure: ["rules.require-reason"],
  config: z.strictObject({
    roles: z
      .array(z.enum(["block", "allow"]))
      .default(["block"])
      .describe("Roles of sets to which the rule applies (default block)."),
    ticket: z.boolean().default(false).describe("Whether a `ticket` is required as well (default false)."),
    except: z
      .array(setPattern)
      .default([])
      .describe("Patterns of sets to which the rule does not apply, such as a list of bogons."),
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
          notes: { "192.0.2.0/24": '{"reason":"SYN flood"}' },
        },
      },
    ],
  },

  *judge(resource, { settings, meaning }) {
    const role = meaning.role(resource.url);
    if (!settings.roles.includes(role) || matchesAny(settings.except, resource.url)) return;
    const { ticket } = settings;
    yield* entriesFinding(resource, {
      reads: "notes",
      offence: ({ notes }) => (notes.reason && (notes.ticket || !ticket) ? undefined : true),
      problem: `entries without a reason${ticket ? " or a ticket" : ""}`,
      remedy: `Write \`reason\`${ticket ? " and `ticket`" : ""} beside the value.`,
    });
  },
});
