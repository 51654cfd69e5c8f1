import { z } from "zod";
import { resourceRule } from "../rule";

/** Signaling a short prefix redirects far more traffic than the attack itself. */
export const signalingLength = resourceRule({
  name: "signaling-length",
  level: "mandatory",
  description: "Prefixes of a cloud signaling are not shorter than the limit of their family.",
  on: ["CloudSignaling"],
  needs: [],
  configure: ["rules.signaling-length"],
  exceptionsBy: ["prefix"],
  config: z.strictObject({
    ipv4: z.int().min(0).max(32).default(24).describe("Shortest IPv4 prefix (default 24)."),
    ipv6: z.int().min(0).max(128).default(48).describe("Shortest IPv6 prefix (default 48)."),
  }),
  example: {
    resources: [{ kind: "CloudSignaling", name: "attack", inputs: { prefixes: ["198.51.100.0/23"] } }],
  },

  *judge(resource, { settings }) {
    const shortest = { 4: settings.ipv4, 6: settings.ipv6 };
    const offenders = resource.prefixes.filter((prefix) => prefix.length < shortest[prefix.family]);
    if (offenders.length === 0) return;
    yield {
      problem: "prefixes that are too short",
      of: resource.prefixes.length,
      offenders: offenders.map((prefix) => ({ prefix, detail: `shorter than /${shortest[prefix.family]}` })),
      remedy: "Signal the attacked addresses, or change the limit.",
    };
  },
});
