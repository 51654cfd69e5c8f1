import { z } from "zod";
import { resourceRule } from "../rule";

/** A signaling redirects traffic: for addresses of another network it is a mistake at best. */
export const signalingWithinOwned = resourceRule({
  name: "signaling-within-owned",
  level: "mandatory",
  description: "Prefixes of a cloud signaling lie within owned prefixes.",
  on: ["CloudSignaling"],
  needs: ["ownedPrefixes"],
  configure: ["ownedPrefixes"],
  exceptionsBy: ["prefix"],
  config: z.strictObject({}),
  example: {
    config: { ownedPrefixes: ["198.51.100.0/24"] },
    resources: [{ kind: "CloudSignaling", name: "attack", inputs: { prefixes: ["203.0.113.7/32"] } }],
  },

  *judge(resource, { meaning }) {
    const owned = meaning.ownedPrefixes;
    const offenders = resource.prefixes.filter((prefix) => !owned.covers(prefix));
    if (offenders.length === 0) return;
    yield {
      problem: "prefixes that are not within owned prefixes",
      of: resource.prefixes.length,
      offenders: offenders.map((prefix) => ({ prefix })),
      remedy: "Signal prefixes of your own, or add the address block to the owned prefixes if it is yours.",
    };
  },
});
