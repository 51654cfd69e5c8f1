import { type Point, pointNeeding } from "../point";

const point = pointNeeding("set", "entries");

const HALVES = ["192.0.2.0/25", "192.0.2.128/25"] as const;

/** The first is deleted without its length, the second with it. */
const SINGLES = ["203.0.113.9/32", "203.0.113.77/32"] as const;

/** A prefix within another one, and both halves of a third. */
const NESTED = ["192.0.2.0/24", "192.0.2.64/26", "198.51.100.0/25", "198.51.100.128/25"] as const;

/** Outcomes of {@link NESTED} by what is listed: covered and adjacent entries are merged, or covered ones alone are dropped. */
const LISTED = new Map([
  [NESTED.toSorted().join(), "apart"],
  ["192.0.2.0/24,198.51.100.0/24", "merged"],
  ["192.0.2.0/24,198.51.100.0/25,198.51.100.128/25", "covered"],
] as const);

const AGGREGATED = "declare such a set aggregated (`aggregatePrefixes`), or its lists never match the program";

/** Merged entries, and prefixes and spellings by which a delete finds them. */
export const matching: readonly Point[] = [
  point({
    name: "nested",
    title: "nested and adjacent prefixes",
    assumes: "all are separate entries",
    outcomes: {
      apart: { as: "contract", node: "all are listed", dialect: { nested: "apart" } },
      merged: { as: "dialect", node: "merged", advice: AGGREGATED, dialect: { nested: "merged" } },
      covered: { as: "beyond", node: "covered entries are dropped", advice: AGGREGATED },
      changed: { as: "beyond", node: "changed", advice: AGGREGATED },
    },
    ask: async ({ set }) => {
      const entries = await set.hold(NESTED.map((prefix) => [prefix, 1]));
      const listed = entries.map(({ prefix }) => prefix.toString()).toSorted();
      const is = LISTED.get(listed.join() as never) ?? "changed";
      const how = { apart: "", merged: "merged", covered: "covered entries are dropped", changed: "changed" }[is];
      return { is, ...(how !== "" && { node: `${how}: lists ${listed.join(", ") || "nothing"}` }) };
    },
  }),
  point({
    name: "delete-covers",
    title: "delete of a covering prefix",
    assumes: "only exact prefixes are sent; covered entries of the program are inserted again",
    outcomes: {
      exact: { as: "contract", node: "removes no others", dialect: { deleteCovers: "exact" } },
      covered: { as: "dialect", node: "removes covered entries", dialect: { deleteCovers: "covered" } },
      some: { as: "beyond", node: "removes some others" },
    },
    ask: async (bench) => {
      const { set } = bench;
      await set.hold(HALVES.map((half, index) => [half, index + 1]));
      const answer = await set.delete(["192.0.2.0/24"], "delete of a covering prefix");
      const { list } = await set.committed((shown) => set.read(shown).length === 0, bench.briefly);
      const left = set.read(list).length;
      return { is: left === 0 ? "covered" : left === HALVES.length ? "exact" : "some", evidence: [answer, list] };
    },
  }),
  point({
    name: "delete-spelling",
    title: "spelling of a delete",
    assumes: "entries are deleted in the spelling of the list",
    outcomes: {
      any: { as: "contract", node: "any spelling works", dialect: { deleteSpelling: "any" } },
      listed: { as: "dialect", node: "found only in the spelling of the list", dialect: { deleteSpelling: "listed" } },
      neither: { as: "beyond", node: "found neither with a length nor without one" },
    },
    ask: async (bench) => {
      const { set } = bench;
      await set.hold(SINGLES.map((single, index) => [single, index + 1]));
      await set.delete([SINGLES[0].replace("/32", "")], "delete without a length");
      await set.delete([SINGLES[1]], "delete with a length");
      const { list } = await set.committed((shown) => set.isClear(shown), bench.briefly);
      const [left, ...more] = set.read(list).map(({ spelling }) => spelling);
      const evidence = [list];
      if (left === undefined) return { is: "any", evidence };
      if (more.length > 0) return { is: "neither", evidence };
      return { is: "listed", node: `${left} is found only in the spelling of the list`, evidence };
    },
  }),
];
