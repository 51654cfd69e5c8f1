import { Skipped } from "../asking/outcome";
import { point } from "../point";

/** How a set lists a single address. */
export const singleAddress = point({
  name: "single-address",
  title: "a single address in a set",
  needs: "set",
  assumes: "sent with /32; understood with and without",
  finds: ["singleAddress"],
  ask: async (bench) => {
    const { single, list } = await bench.sample();
    if (single === undefined) throw new Skipped("the length stands beside the address");
    return { single, list };
  },
  judge: ({ single, list }) => ({
    node: single === "bare" ? "listed without a length" : "listed with /32",
    evidence: [list.evidence],
  }),
  dialect: ({ single }) => ({ singleAddress: single }),
});
