import { formatUrl } from "../../model/resource-url";
import { Blocked, Skipped } from "../asking/outcome";
import { isHollow } from "../asking/work-set";
import { point } from "../point";

/**
 * Whether the set may be written to: it is empty, or the node does not know it and its first insert makes it. Nothing is
 * written anywhere before this point.
 */
export const workSet = point({
  name: "unknown-set",
  title: "first insert into an unknown set",
  needs: "set",
  assumes: "never relied upon: sets are made on the node",
  finds: ["unknownSet"],
  ask: async (bench) => {
    const { set } = bench;
    const before = await set.list();
    if (isHollow(before)) throw new Skipped("the set is there");
    if (!before.isRefusal) {
      throw new Blocked(`--write needs a set that is empty, and ${formatUrl(set.url)} lists ${before.words}`);
    }
    const { unknown } = bench.learned;
    const isUnknown = before.status === 404 || (unknown?.isRefusal === true && unknown.status === before.status);
    if (!isUnknown) throw new Blocked(`the list of ${formatUrl(set.url)} is refused: ${before.words}`);
    const insert = await set.insert([["192.0.2.0/24", 1]], "insert into an unknown set");
    if (insert.isRefusal)
      throw new Blocked(`${formatUrl(set.url)} is not there, and an insert does not make it: ${insert.words}`);
    return { before, insert };
  },
  judge: ({ before, insert }) => ({
    node: "it makes the set",
    evidence: [before.evidence, insert.evidence],
    ...(before.status !== 404 && {
      advice: "make sets on the node first: only a 404 is read as a set that the first insert makes",
    }),
  }),
  settings: ({ before }) => (before.status === 404 ? { absentSet: "empty" } : {}),
  dialect: () => ({ unknownSet: "made" }),
});
