import { Skipped } from "../asking/outcome";
import { firstAddress } from "../asking/trial";
import { point } from "../point";

/** A single address without `/32` in a start. */
export const signalingAddress = point({
  name: "signaling-address",
  title: "signaling: an address without /32",
  needs: "receiver",
  assumes: "never sent",
  finds: ["signalingAddress"],
  ask: async (bench) => {
    const { signaling, learned } = bench;
    await bench.trial();
    const own = firstAddress(signaling.prefix);
    if (own && !learned.takesLonger) throw new Skipped("no single address could be started");
    const answer = await signaling.start([(own ?? signaling.prefix).address]);
    return { answer, isTaken: signaling.isStarted(answer) };
  },
  judge: ({ answer, isTaken }) => ({ node: isTaken ? "accepted" : "refused", evidence: [answer.evidence] }),
  dialect: ({ isTaken }) => ({ signalingAddress: isTaken ? "any" : "cidr" }),
});
