import { MAX_VALUE } from "../../model/entry-value";
import { singles } from "../asking/documentation";
import { largest } from "../asking/largest";
import { refusalSwitches } from "../asking/refusal";
import { point } from "../point";

/** The largest value of an entry. */
export const largestValue = point({
  name: "largest-value",
  title: "largest value of an entry",
  needs: "set",
  assumes: "2³²−1",
  finds: ["maxValue"],
  ask: async ({ set }) => {
    const unused = singles(80)[Symbol.iterator]();
    const tryValue = async (value: number) => {
      const { value: prefix = "203.0.113.255/32" } = unused.next();
      return set.insert([[prefix, value]], `insert with the value ${value}`);
    };
    return largest(tryValue, { accepted: 1, limit: MAX_VALUE });
  },
  judge: ({ most, refusal }) => ({
    node: String(most),
    evidence: refusal ? [refusal.evidence] : [],
    ...(refusal && { advice: `declare no value above ${most}` }),
  }),
  dialect: ({ most, refusal }) => ({ maxValue: most, ...(refusal && refusalSwitches("refusedEntry", refusal)) }),
});
