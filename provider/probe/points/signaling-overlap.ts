import { Skipped } from "../asking/outcome";
import { firstAddress } from "../asking/trial";
import { point } from "../point";

/** A start of a prefix within an active one. */
export const signalingOverlap = point({
  name: "signaling-overlap",
  title: "signaling: an address within an active one",
  needs: "receiver",
  assumes: "a signaling of its own; an error is told for each prefix with what holds",
  finds: ["signalingOverlap"],
  ask: async (bench) => {
    const { signaling, learned } = bench;
    await bench.trial();
    const address = firstAddress(signaling.prefix);
    if (!address || !learned.takesLonger) throw new Skipped("no prefix within the own one could be started");
    await signaling.start([signaling.prefix.toString()]);
    const answer = await signaling.start([address.toString()]);
    return { answer, isTaken: signaling.isStarted(answer) };
  },
  judge: ({ answer, isTaken }) => ({
    node: isTaken ? "a signaling of its own" : "refused",
    evidence: [answer.evidence],
  }),
  dialect: ({ isTaken }) => ({ signalingOverlap: isTaken ? "accepted" : "invalid" }),
});
