import { z } from "zod";
import { entriesFinding } from "../entries-finding";
import { resourceRule } from "../rule";
import { appliesTo, rolesSettings } from "./of-roles";

/** An entry without a reason is never removed. */
export const requireReason = resourceRule({
  name: "require-reason",
  level: "advisory",
  description: "Every entry of a set with one of the roles says why it is there.",
  on: ["PrefixSet", "PrefixSetEntry"],
  needs: ["role"],
  configure: ["rules.require-reason"],
  config: z.strictObject({
    ...rolesSettings,
    ticket: z.boolean().default(false).describe("Whether a `ticket` is required as well (default false)."),
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
    if (!appliesTo(resource, settings, meaning)) return;
    const { ticket } = settings;
    yield* entriesFinding(resource, {
      reads: "notes",
      offence: ({ notes }) => (notes.reason && (notes.ticket || !ticket) ? undefined : true),
      problem: `entries without a reason${ticket ? " or a ticket" : ""}`,
      remedy: `Write \`reason\`${ticket ? " and `ticket`" : ""} beside the value.`,
    });
  },
});
