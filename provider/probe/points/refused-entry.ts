import { Unclear } from "../asking/outcome";
import { refusalSwitches } from "../asking/refusal";
import { isHollow } from "../asking/work-set";
import { point } from "../point";

/** Two entries that every node takes, and one between them that none does. */
const ENTRIES = [
  ["192.0.2.0/24", 1],
  ["192.0.2.0/33", 1],
  ["198.51.100.0/24", 2],
] as const;

/** Whether one refused entry refuses the whole request. */
export const refusedEntry = point({
  name: "refused-entry",
  title: "one bad entry among good ones",
  needs: "set",
  assumes: "either; the bad one is found by splitting",
  finds: ["refusedEntry", "refusedEntryStatus", "refusedEntryForm"],
  ask: async (bench) => {
    const { set } = bench;
    const answer = await set.insert(ENTRIES, "insert with a bad entry");
    if (!answer.isRefusal) throw new Unclear("a prefix of 33 bits is no error", [answer.evidence]);
    const { list } = await set.committed((shown) => !isHollow(shown), bench.briefly);
    return { answer, list, staged: set.read(list).length };
  },
  judge: ({ answer, list, staged }) => ({
    node:
      ["nothing of the request counts", "what stands before it counts", "the rest counts"][staged] ??
      "all of it counts",
    evidence: [answer.evidence, list.evidence],
  }),
  dialect: ({ answer, staged }) => ({
    refusedEntry: staged === 0 ? "nothing" : "rest",
    ...refusalSwitches("refusedEntry", answer),
  }),
});
