import { Skipped } from "../asking/outcome";
import { point } from "../point";

/** How `status` writes a single address. */
export const statusForm = point({
  name: "status-form",
  title: "signaling: a single address in status",
  needs: "receiver",
  assumes: "with or without a length",
  finds: ["statusForm"],
  ask: async (bench) => {
    const { status } = await bench.trial();
    const answer = bench.signaling.prefix.size === 1n ? status : bench.learned.singleStatus;
    if (!answer) throw new Skipped("no single address could be started");
    return { answer, isBare: !/\/(32|128)"/.test(answer.body) };
  },
  judge: ({ answer, isBare }) => ({
    node: isBare ? "without a length" : "with /32",
    evidence: [answer.evidence],
  }),
  dialect: ({ isBare }) => ({ statusForm: isBare ? "bare" : "cidr" }),
});
