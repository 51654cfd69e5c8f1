import { z } from "zod";
import type { Prefix } from "../../provider/model/prefix";
import { entriesFinding } from "../entries-finding";
import type { Reached } from "../prefix-buckets";
import { resourceRule } from "../rule";

/** Prevents a lock-out: blocking one's own addresses, or those from which nodes are managed. */
export const protectedPrefixes = resourceRule({
  name: "protected-prefixes",
  level: "mandatory",
  description:
    "No entry of a source block set overlaps a management or owned prefix, in either direction of containment; an IPv6 entry overlaps what the IPv4 prefixes do that it stands for (RFC 3056, 4291, 6052, 8215).",
  on: ["PrefixSet", "PrefixSetEntry"],
  needs: ["role", "direction"],
  configure: ["managementPrefixes", "ownedPrefixes"],
  config: z.strictObject({}),
  example: {
    config: {
      sets: [{ pattern: "prefixset://*/blocked", role: "block", direction: "source" }],
      managementPrefixes: ["192.0.2.0/28"],
      ownedPrefixes: ["198.51.100.0/24"],
    },
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1, "198.51.100.7/32": 1 } },
      },
    ],
  },

  *judge(resource, { meaning }) {
    if (meaning.role(resource.url) !== "block" || meaning.direction(resource.url) !== "source") return;
    yield* entriesFinding(resource, {
      offence: ({ prefix }) => {
        const [management] = meaning.managementIfAny.reaching(prefix);
        if (management) return relation(prefix, management, "management prefix");
        const [owned] = meaning.ownedIfAny.reaching(prefix);
        return owned && relation(prefix, owned, "owned prefix");
      },
      problem: "blocked sources that are your own",
      remedy: "Remove them, or block prefixes without your own.",
    });
  },
});

function relation(prefix: Prefix, { value: other, embedded }: Reached<Prefix>, what: string): string {
  if (embedded) {
    const itself = relation(embedded, { value: other }, what);
    return `stands for ${embedded}, ${embedded.equals(other) ? "" : "which "}${itself}`;
  }
  if (prefix.equals(other)) return `${what.startsWith("o") ? "an" : "a"} ${what}`;
  return prefix.contains(other) ? `contains the ${what} ${other}` : `lies in the ${what} ${other}`;
}
