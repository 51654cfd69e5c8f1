import { z } from "zod";
import { some } from "../../provider/model/text";
import { nameOf } from "../message";
import type { SetResource } from "../resources";
import { stackRule } from "../rule";
import { known } from "./known";
import { bySet } from "./one-set";

/** An exclusive set removes what it does not declare: two owners of one set undo each other at every update. */
export const exclusiveOwner = stackRule({
  name: "exclusive-owner",
  level: "advisory",
  description: "A set of a node has one exclusive owner, and no other writer.",
  needs: [],
  configure: ["rules.exclusive-owner"],
  exceptionsBy: ["set"],
  config: z.strictObject({}),
  example: {
    resources: [
      { kind: "PrefixSet", name: "blocked", inputs: { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } } },
      { kind: "PrefixSet", name: "feed", inputs: { arena: "edge", set: "blocked", entries: { "203.0.113.0/24": 1 } } },
    ],
  },

  *judge({ sets }) {
    const { values, leftOut } = known(sets, (resource) => {
      const { nodes, url, exclusive } = resource;
      return { resource, nodes, url, exclusive };
    });
    yield* leftOut;
    const exclusive = new Set(values.filter((one) => one.exclusive).map(({ resource }) => resource));
    for (const { url, holders } of bySet(values.map(({ resource }) => resource))) {
      const owner = holders.find((holder) => exclusive.has(holder));
      if (!owner) continue;
      const others = holders.filter((holder) => holder !== owner && isUndone(owner, holder));
      if (others.length === 0) continue;
      const named = others.map(nameOf);
      yield {
        resource: owner,
        problem: `it owns ${url} exclusively and removes the entries of ${some(named)}`,
        remedy: "Declare all entries in one PrefixSet, or give it `exclusive: false`.",
      };
    }
  },
});

/** True if the owner would remove what the other one adds. */
function isUndone(owner: SetResource, other: SetResource): boolean {
  // Two sets are two owners, or an owner and a sharer, even while both hold the same entries.
  if (other.isWhole) return true;
  const declared = prefixesOf(owner);
  // An unknown property is judged once it is known.
  return declared !== undefined && [...(prefixesOf(other) ?? [])].some((prefix) => !declared.has(prefix));
}

function prefixesOf(resource: SetResource): ReadonlySet<string> | undefined {
  const [prefixes] = known(
    [resource],
    ({ entries }) => new Set<string>(entries.map(({ prefix }) => prefix.toString())),
  ).values;
  return prefixes;
}
