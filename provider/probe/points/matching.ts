import { type Point, pointNeeding } from "../point";

const point = pointNeeding("set", "entries");

const HALVES = ["192.0.2.0/25", "192.0.2.128/25"] as const;

/** The first is deleted without its length, the second with it. */
const SINGLES = ["203.0.113.9/32", "203.0.113.77/32"] as const;

/** A prefix within another one, and both halves of a third. */
const NESTED = ["192.0.2.0/24", "192.0.2.64/26", "198.51.100.0/25", "198.51.100.128/25"] as const;

/** Merged entries, and prefixes and spellings by which a delete finds them. */
export const matching: readonly Point[] = [
  point({
    name: "nested",
    title: "nested and adjacent prefixes",
    assumes: "all are separate entries",
    finds: ["nested"],
    ask: async ({ set }) => {
      const entries = await set.hold(NESTED.map((prefix) => [prefix, 1]));
      if (entries.length === NESTED.length) return () => ({ node: "all are listed", dialect: { nested: "apart" } });
      return () => ({
        node: `merged: lists ${entries.map(({ prefix }) => prefix.toString()).join(", ")}`,
        advice: "declare such a set aggregated (`aggregatePrefixes`), or its lists never match the program",
        dialect: { nested: "merged" },
      });
    },
  }),
  point({
    name: "delete-covers",
    title: "delete of a covering prefix",
    assumes: "only exact prefixes are sent; covered entries of the program are inserted again",
    finds: ["deleteCovers"],
    ask: async (bench) => {
      const { set } = bench;
      await set.hold([
        [HALVES[0], 1],
        [HALVES[1], 2],
      ]);
      const answer = await set.delete(["192.0.2.0/24"], "delete of a covering prefix");
      const { list } = await set.committed((shown) => set.read(shown).length === 0, bench.briefly);
      const left = set.read(list).length;
      return () => ({
        node:
          left === 0 ? "removes covered entries" : left === HALVES.length ? "removes no others" : "removes some others",
        evidence: [answer, list],
        dialect: { deleteCovers: left === 0 ? "covered" : "exact" },
      });
    },
  }),
  point({
    name: "delete-spelling",
    title: "spelling of a delete",
    assumes: "entries are deleted in the spelling of the list",
    finds: ["deleteSpelling"],
    ask: async (bench) => {
      const { set } = bench;
      await set.hold(SINGLES.map((single, index) => [single, index + 1]));
      await set.delete([SINGLES[0].replace("/32", "")], "delete without a length");
      await set.delete([SINGLES[1]], "delete with a length");
      const { list } = await set.committed((shown) => set.isClear(shown), bench.briefly);
      const left = set.read(list).map(({ spelling }) => spelling);
      return () => ({
        node: left.length === 0 ? "any spelling works" : `${left.join(", ")} is found only in the spelling of the list`,
        evidence: [list],
        dialect: { deleteSpelling: left.length === 0 ? "any" : "listed" },
      });
    },
  }),
];
