import { point } from "../point";

/** Prefixes within one another, and two halves of one, all of the same value. */
const NESTED = ["192.0.2.0/24", "192.0.2.64/26", "198.51.100.0/25", "198.51.100.128/25"] as const;

/** Whether nested and adjacent prefixes stay entries of their own. */
export const nested = point({
  name: "nested",
  title: "nested and adjacent prefixes",
  needs: "set",
  assumes: "all are entries of their own",
  finds: ["nested"],
  ask: async ({ set }) => {
    const entries = await set.hold(NESTED.map((prefix) => [prefix, 1]));
    return entries.map(({ prefix }) => prefix.toString());
  },
  judge: (listed) =>
    listed.length === NESTED.length
      ? { node: "all are listed" }
      : {
          node: `merged: lists ${listed.join(", ")}`,
          advice: "declare such a set aggregated (`aggregatePrefixes`), or its lists never show what was written",
        },
  dialect: (listed) => ({ nested: listed.length === NESTED.length ? "apart" : "merged" }),
});
