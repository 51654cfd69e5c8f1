import { NotYetKnown, resourceRule } from "pulumi-packetfilter/policies";
import { z } from "zod";

/**
 * A rule like those of the package: its settings stand in `packetfilter-policies.yaml` or in `--policy-pack-config`, and exceptions,
 * emergencies, unknown values and messages work as everywhere.
 */
export const ticketFormat = resourceRule({
  name: "ticket-format",
  level: "mandatory",
  description: "Tickets of entries are those of our change management.",
  on: ["PrefixSet", "PrefixSetEntry"],
  needs: [],
  configure: ["rules.ticket-format"],
  config: z.strictObject({
    projects: z
      .array(z.string())
      .default(["CHG"])
      .describe("Keys of projects that tickets may come from (default CHG)."),
  }),
  example: {
    resources: [
      {
        kind: "PrefixSetEntry",
        name: "scanner",
        inputs: { arena: "edge", set: "blocked", prefix: "203.0.113.4/32", ticket: "call Bob" },
      },
    ],
  },

  *judge(resource, { settings }) {
    const ticket = new RegExp(`^(${settings.projects.join("|")})-[1-9][0-9]*$`);
    const offenders = resource.entries.filter(({ notes }) => notes?.ticket !== undefined && !ticket.test(notes.ticket));
    if (offenders.length > 0) {
      yield {
        problem: "entries whose ticket is none of ours",
        offenders: offenders.map(({ prefix }) => ({ prefix })),
        of: resource.entries.length,
        remedy: `Write a ticket of ${settings.projects.join(", ")}, for example ${settings.projects[0]}-1042.`,
      };
    }
    if (resource.entries.some(({ notes }) => notes === undefined)) throw new NotYetKnown("notes");
  },
});
