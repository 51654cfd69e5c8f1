import { Unclear } from "../asking/outcome";
import { refusalSwitches } from "../asking/refusal";
import { isHollow } from "../asking/work-set";
import { point } from "../point";

const SENT = "192.0.2.77/24";

/** An entry with bits beyond its length. */
export const hostBits = point({
  name: "host-bits",
  title: "host bits in an entry",
  needs: "set",
  assumes: "never sent; understood in lists, and deleted in the node's own spelling",
  finds: ["hostBits"],
  ask: async ({ set }) => {
    const answer = await set.insert([[SENT, 1]], "insert with host bits");
    if (answer.isRefusal) return { answer, does: "error" as const };
    const { list } = await set.committed((shown) => !isHollow(shown));
    const [entry] = set.read(list);
    if (entry?.prefix.toString() !== "192.0.2.0/24") {
      throw new Unclear("it is listed as something else, or not at all", [answer.evidence, list.evidence]);
    }
    return { answer, list, does: entry.spelling.startsWith("192.0.2.77") ? ("keep" as const) : ("mask" as const) };
  },
  judge: ({ answer, list, does }) => ({
    node: { error: "refused", keep: "kept and listed as they are", mask: "masked" }[does],
    evidence: [answer.evidence, ...(list ? [list.evidence] : [])],
  }),
  dialect: ({ answer, does }) => ({
    hostBits: does,
    ...(does === "error" && refusalSwitches("refusedEntry", answer)),
  }),
});
