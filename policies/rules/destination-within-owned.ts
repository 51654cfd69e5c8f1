import { z } from "zod";
import { entriesFinding } from "../entries-finding";
import { resourceRule } from "../rule";

/** A destination set lists recipients, and an organisation may decide only about its own. */
export const destinationWithinOwned = resourceRule({
  name: "destination-within-owned",
  level: "advisory",
  description: "Entries of a destination set lie within owned prefixes.",
  on: ["PrefixSet", "PrefixSetEntry"],
  needs: ["role", "direction", "ownedPrefixes"],
  configure: ["ownedPrefixes"],
  config: z.strictObject({}),
  example: {
    config: {
      sets: [{ pattern: "prefixset://*/victims", role: "block", direction: "destination" }],
      ownedPrefixes: ["198.51.100.0/24"],
    },
    resources: [
      {
        kind: "PrefixSetEntry",
        name: "victim",
        inputs: { arena: "edge", set: "victims", prefix: "203.0.113.9/32", value: 1 },
      },
    ],
  },

  *judge(resource, { meaning }) {
    if (meaning.direction(resource.url) !== "destination") return;
    const owned = meaning.ownedPrefixes;
    yield* entriesFinding(resource, {
      offence: ({ prefix }) => (owned.covers(prefix) ? undefined : true),
      problem: "destinations that are not within owned prefixes",
      remedy: "Remove them, or add the address block to the owned prefixes if it is yours.",
    });
  },
});
