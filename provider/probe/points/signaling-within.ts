import { Skipped } from "../asking/outcome";
import { firstAddress } from "../asking/trial";
import { point } from "../point";

/** Whether a prefix within the user's own can be signaled. */
export const signalingWithin = point({
  name: "signaling-within",
  title: "signaling: an address within the prefix",
  needs: "receiver",
  assumes: "left to the receiver, whose error is passed on",
  finds: ["signalingPrefixes"],
  ask: async (bench) => {
    const { signaling, learned } = bench;
    await bench.trial();
    const address = firstAddress(signaling.prefix);
    if (!address) throw new Skipped("needs a prefix of several addresses as --signaling");
    const answer = await signaling.start([address.toString()]);
    learned.takesLonger = signaling.isStarted(answer);
    if (learned.takesLonger) learned.singleStatus = (await signaling.shows(address.toString())).answer;
    return { answer, isTaken: learned.takesLonger };
  },
  judge: ({ answer, isTaken }) => ({ node: isTaken ? "accepted" : "refused", evidence: [answer.evidence] }),
  dialect: ({ isTaken }) => ({ signalingPrefixes: isTaken ? "within" : "registered" }),
});
