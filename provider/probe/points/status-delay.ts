import { point } from "../point";

/** How long after its answer a start shows. */
export const statusDelay = point({
  name: "status-delay",
  title: "signaling: delay of a start",
  needs: "receiver",
  assumes: "asks for the status until it shows, up to `deadlineMs`",
  finds: ["statusDelay"],
  ask: (bench) => bench.trial(),
  judge: ({ start, status, delayMs }) => ({
    node: delayMs === 0 ? "the next status shows it" : `shown after ${Math.round(delayMs)} ms`,
    evidence: [start.evidence, status.evidence],
  }),
  dialect: ({ delayMs }) => ({ statusDelay: Math.round(delayMs) }),
});
