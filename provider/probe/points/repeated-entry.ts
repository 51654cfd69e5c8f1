import { refusalSwitches } from "../asking/refusal";
import { isHollow } from "../asking/work-set";
import { point } from "../point";

/** A prefix that stands twice in one insert, with two values. */
export const repeatedEntry = point({
  name: "repeated-entry",
  title: "a prefix twice in one insert",
  needs: "set",
  assumes: "never sent",
  finds: ["repeatedEntry"],
  ask: async ({ set, learned }) => {
    const twice = [
      ["192.0.2.0/24", 1],
      ["192.0.2.0/24", 2],
    ] as const;
    const answer = await set.insert(twice, "insert of a prefix twice");
    // Where what is there is refused, the second of the two is, and nothing is told about the first.
    if (answer.isRefusal) return { answer, isTold: learned.insertExisting !== "error" };
    const { list } = await set.committed((shown) => !isHollow(shown));
    return { answer, isTold: true, list, values: set.read(list).map(({ value }) => value) };
  },
  judge: ({ answer, isTold, list, values }) => ({
    found: isTold ? "observed" : "assumed",
    node: values ? `accepted; listed with ${values.join(" and ")}` : "refused",
    evidence: [answer.evidence, ...(list ? [list.evidence] : [])],
  }),
  dialect: ({ answer, isTold, values }) => {
    if (values) return { repeatedEntry: values.length === 1 && values[0] === 2 ? "last" : undefined };
    return isTold ? { repeatedEntry: "error", ...refusalSwitches("refusedEntry", answer) } : {};
  },
});
