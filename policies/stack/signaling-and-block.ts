import { z } from "zod";
import { PrefixBuckets } from "../prefix-buckets";
import { type Offender, stackRule } from "../rule";
import { known } from "./known";

/** A signaling sends the traffic of a prefix to be cleaned; blocking the same destination drops it. */
export const signalingAndBlock = stackRule({
  name: "signaling-and-block",
  level: "advisory",
  description: "No prefix is signaled and blocked as destination at once.",
  needs: ["role", "direction"],
  configure: ["sets"],
  config: z.strictObject({}),
  example: {
    config: { sets: [{ pattern: "prefixset://*/victims", role: "block", direction: "destination" }] },
    resources: [
      { kind: "CloudSignaling", name: "attack", inputs: { prefixes: ["198.51.100.7/32"] } },
      {
        kind: "PrefixSet",
        name: "victims",
        inputs: { arena: "edge", set: "victims", entries: { "198.51.100.0/28": 1 } },
      },
    ],
  },

  *judge({ sets, signalings }, { meaning }) {
    if (signalings.length === 0) return;
    const signaled = known(signalings, (resource) =>
      resource.prefixes.map((prefix) => [prefix, { prefix, name: resource.name }] as const),
    );
    const blocked = known(sets, (resource) => {
      const isBlocked = meaning.role(resource.url) === "block" && meaning.direction(resource.url) === "destination";
      return isBlocked ? [{ url: resource.url, entries: resource.entries }] : [];
    });
    yield* signaled.leftOut;
    yield* blocked.leftOut;
    const table = new PrefixBuckets(signaled.values.flat());
    const offenders: Offender[] = [];
    for (const { url, entries } of blocked.values.flat()) {
      for (const { prefix } of entries) {
        const [other] = table.overlapping(prefix);
        if (!other) continue;
        const detail = `in ${url}, and ${other.prefix} in CloudSignaling "${other.name}"`;
        offenders.push({ prefix, sets: [url], detail });
      }
    }
    if (offenders.length === 0) return;
    yield {
      problem: "blocked destinations that overlap signaled prefixes",
      offenders,
      remedy: "Traffic of a prefix can be cleaned or dropped, not both: remove one of the two.",
    };
  },
});
