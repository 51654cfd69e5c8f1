import { z } from "zod";
import { addTo } from "../../provider/model/group";
import { type Offender, stackRule } from "../rule";
import { known } from "./known";
import { byNode } from "./one-set";

/**
 * The same prefix in a block and an allow set of one direction: the order of rules on the node decides which counts. A
 * longer prefix within a shorter one is a deliberate carve-out.
 */
export const blockAllowConflict = stackRule({
  name: "block-allow-conflict",
  level: "advisory",
  description:
    "No prefix is in a block set and in an allow set of the same direction on one node; a longer prefix within a shorter one is an exception, and allowed.",
  needs: ["role", "direction"],
  configure: ["sets"],
  config: z.strictObject({}),
  example: {
    config: {
      sets: [
        { pattern: "prefixset://*/blocked", role: "block", direction: "source" },
        { pattern: "prefixset://*/partners", role: "allow", direction: "source" },
      ],
    },
    resources: [
      { kind: "PrefixSet", name: "blocked", inputs: { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } } },
      {
        kind: "PrefixSet",
        name: "partners",
        inputs: { arena: "edge", set: "partners", entries: { "192.0.2.0/24": 1 } },
      },
    ],
  },

  *judge({ sets }, { meaning }) {
    const { values, leftOut } = known(sets, (resource) => ({
      url: resource.url,
      role: meaning.role(resource.url),
      direction: meaning.direction(resource.url),
      entries: resource.entries,
      of: resource.nodes && resource,
    }));
    yield* leftOut;
    const nodes = byNode(values.map(({ of }) => of)).map(({ holders }) => new Set(holders));
    for (const direction of ["source", "destination"] as const) {
      const ofDirection = values.filter((set) => set.direction === direction);
      if (new Set(ofDirection.map(({ role }) => role)).size < 2) continue;
      const offenders = new Map<string, Offender>();
      for (const holders of nodes) {
        const onNode = ofDirection.filter(({ of }) => holders.has(of));
        const blocked = new Map<string, string[]>();
        for (const set of onNode.filter(({ role }) => role === "block")) {
          for (const { prefix } of set.entries) addTo(blocked, prefix.toString(), set.url);
        }
        for (const { url, entries } of onNode.filter(({ role }) => role === "allow")) {
          for (const { prefix } of entries) {
            for (const other of blocked.get(prefix.toString()) ?? [])
              offenders.set(`${prefix} ${other} ${url}`, {
                prefix,
                sets: [other, url],
                detail: `in ${other} and ${url}`,
              });
          }
        }
      }
      if (offenders.size === 0) continue;
      yield {
        problem: `prefixes that are blocked and allowed as ${direction}`,
        offenders: [...offenders.values()],
        remedy: "Remove them from one of the two sets.",
      };
    }
  },
});
