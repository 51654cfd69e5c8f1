import { z } from "zod";
import { Prefix } from "../../provider/model/prefix";
import { prefixIn } from "../../provider/model/readable";
import { entriesFinding } from "../entries-finding";
import { PrefixBuckets } from "../prefix-buckets";
import { resourceRule } from "../rule";
import { citation, SPECIAL_PURPOSE_NAMES, specialPurposeWithin } from "../special-purpose-lookup";

const fine = z.array(
  z.string().refine((text) => SPECIAL_PURPOSE_NAMES.has(text) || prefixIn(text) !== undefined, {
    error: (issue) =>
      `${JSON.stringify(issue.input)} is neither a prefix nor a name in the registries, as "Private-Use"`,
  }),
);

/** No packet from the Internet may carry these addresses, so an allow set has no use for them. */
export const specialPurposeRanges = resourceRule({
  name: "special-purpose",
  level: "mandatory",
  description:
    "Sets hold no special-purpose addresses of the IANA registries (RFC 6890), except those that are allowed for their role; block sets may hold all of them.",
  on: ["PrefixSet", "PrefixSetEntry"],
  needs: ["role"],
  configure: ["rules.special-purpose"],
  config: z.strictObject({
    allow: z
      .union([z.literal("all"), fine])
      .default([])
      .describe('What is allowed in allow sets: prefixes or names of the registries, or "all" (default none).'),
    block: z
      .union([z.literal("all"), fine])
      .default("all")
      .describe('What is allowed in block sets: prefixes or names of the registries, or "all" (default "all").'),
  }),
  example: {
    config: { sets: [{ pattern: "prefixset://*/partners", role: "allow" }] },
    resources: [
      {
        kind: "PrefixSet",
        name: "partners",
        inputs: { arena: "edge", set: "partners", entries: { "192.168.0.0/16": 1, "fc00::/7": 1 } },
      },
    ],
  },

  *judge(resource, { settings, meaning }) {
    const role = meaning.role(resource.url);
    const allowed = settings[role];
    if (allowed === "all") return;
    const names = new Set(allowed);
    const prefixes = PrefixBuckets.of(allowed.flatMap((text) => prefixIn(text) ?? []));
    yield* entriesFinding(resource, {
      offence: ({ prefix }) => {
        // Private addresses that are declared as our own are not bogons.
        const tables = [prefixes, meaning.ownedIfAny, meaning.managementIfAny];
        const block = specialPurposeWithin(prefix).find(({ name, block }) => {
          const own = Prefix.parse(block);
          const shared = prefix.contains(own) ? own : prefix;
          return !names.has(name) && !tables.some((table) => table.covers(shared));
        });
        return block && citation(block);
      },
      problem: `entries of this ${role} set that are or hold special-purpose addresses`,
      remedy: "Remove them, or list what is allowed for this role.",
    });
  },
});
