import { Skipped } from "../asking/outcome";
import { point } from "../point";

/** IPv6 prefixes in a signaling: only told by one of the user's own. */
export const signalingIpv6 = point({
  name: "signaling-ipv6",
  title: "signaling: IPv6",
  needs: "receiver",
  assumes: "left to the receiver",
  finds: ["signalingIpv6"],
  ask: async (bench) => {
    if (bench.signaling.prefix.family === 4) throw new Skipped("needs an IPv6 prefix of your own as --signaling");
    return bench.trial();
  },
  judge: ({ start }) => ({ node: "accepted", evidence: [start.evidence] }),
  dialect: () => ({ signalingIpv6: "accepted" }),
});
