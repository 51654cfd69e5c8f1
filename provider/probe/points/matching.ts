import { type Point, pointNeeding } from "../point";

const point = pointNeeding("set", "entries");

const HALVES = ["192.0.2.0/25", "192.0.2.128/25"] as const;

/** The first is deleted without its length, the second with it. */
const SINGLES = ["203.0.113.9/32", "203.0.113.77/32"] as const;

/** A prefix within another one, and both halves of a third. */
const NESTED = ["192.0.2.0/24", "192.0.2.64/26", "198.51.100.0/25", "198.51.100.128/25"] as const;

/** Lists in which covered and adjacent entries are merged, and in which covered ones alone are dropped. */
const MERGED = ["192.0.2.0/24", "198.51.100.0/24"];
const COVERED = ["192.0.2.0/24", "198.51.100.0/25", "198.51.100.128/25"];

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
      const listed = entries.map(({ prefix }) => prefix.toString()).toSorted();
      const isMerged = listed.join() === MERGED.join();
      const isCovered = listed.join() === COVERED.join();
      const how = isMerged ? "merged" : isCovered ? "covered entries are dropped" : "changed";
      return () => ({
        node: `${how}: lists ${listed.join(", ") || "nothing"}`,
        advice: "declare such a set aggregated (`aggregatePrefixes`), or its lists never match the program",
        ...(isMerged ? { dialect: { nested: "merged" } } : { beyond: true }),
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
      const evidence = [answer, list];
      if (left === 0)
        return () => ({ node: "removes covered entries", evidence, dialect: { deleteCovers: "covered" } });
      const isExact = left === HALVES.length;
      return () => ({
        node: isExact ? "removes no others" : "removes some others",
        evidence,
        ...(isExact ? { dialect: { deleteCovers: "exact" } } : { beyond: true }),
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
      const evidence = [list];
      if (left.length === 0)
        return () => ({ node: "any spelling works", evidence, dialect: { deleteSpelling: "any" } });
      const node = `${left.join(", ")} is found only in the spelling of the list`;
      if (left.length === 1) return () => ({ node, evidence, dialect: { deleteSpelling: "listed" } });
      return () => ({ node: "found neither with a length nor without one", evidence, beyond: true });
    },
  }),
];
