import { point } from "../point";

const HALVES = ["192.0.2.0/25", "192.0.2.128/25"] as const;

/** A delete of a prefix that is not in the set and covers two that are. */
export const deleteCovers = point({
  name: "delete-covers",
  title: "delete of a covering prefix",
  needs: "set",
  assumes: "only exact prefixes are sent; what is wanted of the covered is inserted again",
  finds: ["deleteCovers"],
  ask: async (bench) => {
    const { set } = bench;
    await set.hold([
      [HALVES[0], 1],
      [HALVES[1], 2],
    ]);
    const answer = await set.delete(["192.0.2.0/24"], "delete of a covering prefix");
    const { list } = await set.committed((shown) => set.read(shown).length === 0, bench.briefly);
    return { answer, list, left: set.read(list).length };
  },
  judge: ({ answer, list, left }) => ({
    node: left === 0 ? "removes what it covers" : left === HALVES.length ? "removes nothing else" : "removes a part",
    evidence: [answer.evidence, list.evidence],
  }),
  dialect: ({ left }) => ({ deleteCovers: left === 0 ? "covered" : "exact" }),
});
