import { MAX_VALUE } from "../../model/entry";
import { some } from "../../model/text";
import { type Answer, refusalSwitches } from "../asking/answer";
import { largest } from "../asking/largest";
import { Unclear } from "../asking/outcome";
import { singles } from "../documentation";
import { MEASURED, type Point, pointNeeding } from "../point";
import { change, prefixesOf, REFUSED, refused } from "./change";

/** Two valid entries, and an invalid one between them. */
const GOOD = ["192.0.2.0/24", "198.51.100.0/24"] as const;

/** A prefix within another one, and both halves of a third; and what is listed if covered and adjacent entries are merged, or covered ones dropped. */
const NESTED = ["192.0.2.0/24", "192.0.2.64/26", "198.51.100.0/25", "198.51.100.128/25"] as const;
const LISTED: Readonly<Record<string, "apart" | "merged" | "covered">> = {
  [NESTED.join()]: "apart",
  "192.0.2.0/24,198.51.100.0/24": "merged",
  "192.0.2.0/24,198.51.100.0/25,198.51.100.128/25": "covered",
};

const AGGREGATED = "declare such a set aggregated (`aggregatePrefixes`), or its lists never match the program";

/** Entries that a set accepts, and prefixes and spellings by which a delete finds them. */
export const entries: readonly Point[] = [
  change({
    name: "refused-entry",
    title: "one bad entry among good ones",
    assumes: "all or some are refused; the bad one is found by splitting the request",
    inserts: [GOOD[0], "192.0.2.0/33", GOOD[1]].map((prefix) => [prefix, 1]),
    asked: "insert with a bad entry",
    outcomes: {
      rest: refused({ refusedEntry: "rest" }, "the others are inserted"),
      before: refused({ refusedEntry: "before" }, "the entries before it are inserted"),
      nothing: refused({ refusedEntry: "nothing" }, "no entry is inserted"),
      other: { as: "beyond", node: "others are listed" },
      silent: { as: "beyond", node: "it is no error" },
    },
    is: ({ list, answer, isFine }) => {
      const listed = prefixesOf(list());
      const is = ({ [GOOD.join()]: "rest", [GOOD[0]]: "before", "": "nothing" } as const)[listed.join()];
      if (is === undefined) return ["other", `lists ${some(listed)}`];
      const said = isFine ? "that of a success" : answer.quote;
      return answer.isRefusal
        ? is
        : ["silent", `of three entries ${listed.length} are inserted, and the answer is ${said}`];
    },
  }),
  change({
    name: "repeated-entry",
    title: "a prefix twice in one insert",
    assumes: "never sent",
    inserts: [1, 2].map((value) => ["192.0.2.0/24", value]),
    asked: "insert of a prefix twice",
    outcomes: {
      refused: refused({ repeatedEntry: "error" }),
      exists: { as: "unknown", node: "refused, as an existing entry is" },
      last: { as: "dialect", node: "accepted; the last one counts", dialect: { repeatedEntry: "last" } },
      first: {
        as: "dialect",
        node: "accepted; the first one counts",
        dialect: { repeatedEntry: "first" },
      },
      other: { as: "beyond", node: "accepted; another value counts, or both do" },
    },
    is: ({ list, isFine, bench: { learned } }) => {
      const listed = list();
      // A node that refuses existing entries may refuse the second one as such.
      if (listed.length === 0 && !isFine) return learned.insertExisting === "error" ? "exists" : "refused";
      const values = listed.map(({ value }) => value);
      const is = learned.isFlat || values.join() === "2" ? "last" : values.join() === "1" ? "first" : "other";
      return [is, `accepted; listed with ${values.join(" and ")}`];
    },
  }),
  change({
    name: "host-bits",
    title: "host bits in an entry",
    assumes: "never sent; read in lists, and deleted in the node's own spelling",
    inserts: [["192.0.2.77/24", 1]],
    asked: "insert with host bits",
    outcomes: {
      refused: refused({ hostBits: "error" }),
      keep: { as: "dialect", node: "kept and listed as they are", dialect: { hostBits: "keep" } },
      mask: { as: "dialect", node: "masked", dialect: { hostBits: "mask" } },
      other: { as: "beyond", node: "it is listed as something else, or not at all" },
    },
    is: ({ list, isFine }) => {
      const [entry] = list();
      if (entry?.prefix.toString() === GOOD[0]) return entry.spelling.startsWith("192.0.2.77") ? "keep" : "mask";
      return entry || isFine ? "other" : "refused";
    },
  }),
  change({
    name: "ipv6",
    title: "IPv6 in a set",
    assumes: "accepted; where it is refused, the entries are named",
    inserts: [["2001:db8:77::/48", 1]],
    asked: "insert of IPv6",
    outcomes: {
      taken: { as: "contract", node: "accepted", dialect: { ipv6: "accepted" } },
      refused: refused({ ipv6: "error" }, "refused", "declare IPv4 only"),
      silent: { as: "beyond", node: "answered like a success, and not listed", advice: "declare IPv4 only" },
    },
    is: ({ shown, isFine }) => (shown ? "taken" : isFine ? "silent" : "refused"),
  }),
  pointNeeding(
    "set",
    "entries",
  )({
    name: "largest-value",
    title: "largest value of an entry",
    assumes: "2³²−1",
    outcomes: {
      all: { as: "contract", node: String(MAX_VALUE), dialect: { maxValue: MAX_VALUE } },
      less: {
        as: "setting",
        node: "less than 2³²−1",
        settings: { maxValue: MEASURED },
        dialect: { maxValue: MEASURED, ...REFUSED },
      },
      none: {
        as: "setting",
        node: "values are not listed",
        advice: "declare only the value 1",
        settings: { maxValue: 1 },
      },
      silent: { as: "beyond", node: "answered like a success, and not listed" },
    },
    ask: async (bench) => {
      const { set, verdicts, learned } = bench;
      if (learned.isFlat) return { is: "none" };
      const isGood = (answer: Answer) => verdicts.judge("insert", answer) === "success";
      const unused = singles(160)[Symbol.iterator]();
      const insert = (value: number) => {
        const { value: prefix = "203.0.113.255/32" } = unused.next();
        return set.insert([[prefix, value]], `insert with the value ${value}`);
      };
      const tryValue = async (value: number) => {
        const answer = await insert(value);
        // The refusal may be about the prefix.
        return isGood(answer) ? answer : insert(value);
      };
      const { most, refusal } = await largest(tryValue, { accepted: 1, limit: MAX_VALUE }, isGood);
      // A refusal may look like a success: only the list shows that the value was taken.
      const isListed = (list: Answer) => !set.isClear(list) && set.read(list).some(({ value }) => value === most);
      const { list, shown } = await set.committed(isListed, bench.briefly);
      const evidence = [refusal ?? list];
      if (!shown)
        return { is: "silent", node: `${most} is answered like a success, and is not listed`, evidence: [list] };
      if (!refusal) return { is: "all" };
      const [settings, advice] = [{ maxValue: most }, `declare no value above ${most}`];
      const dialect = { maxValue: most, ...refusalSwitches("refusedEntry", refusal) };
      return { is: "less", node: String(most), evidence, advice, settings, dialect };
    },
  }),
  change({
    name: "nested",
    title: "nested and adjacent prefixes",
    assumes: "all are separate entries",
    inserts: NESTED.map((prefix) => [prefix, 1]),
    outcomes: {
      apart: { as: "contract", node: "all are listed", dialect: { nested: "apart" } },
      merged: { as: "dialect", node: "merged", advice: AGGREGATED, dialect: { nested: "merged" } },
      covered: { as: "beyond", node: "covered entries are dropped", advice: AGGREGATED },
      changed: { as: "beyond", node: "changed", advice: AGGREGATED },
    },
    is: ({ list, answer, isFine }) => {
      const listed = prefixesOf(list());
      if (listed.length === 0 && !isFine) throw new Unclear("a plain insert is refused", [answer]);
      const is = LISTED[listed.join()] ?? "changed";
      const how = is === "covered" ? "covered entries are dropped" : is;
      return is === "apart" ? is : [is, `${how}: lists ${listed.join(", ") || "nothing"}`];
    },
  }),
  change({
    name: "delete-covers",
    title: "delete of a covering prefix",
    assumes: "only exact prefixes are sent; covered entries of the program are inserted again",
    holds: ["192.0.2.0/25", "192.0.2.128/25"].map((half, index) => [half, index + 1]),
    deletes: [GOOD[0]],
    asked: "delete of a covering prefix",
    outcomes: {
      exact: { as: "contract", node: "removes no others", dialect: { deleteCovers: "exact" } },
      covered: { as: "dialect", node: "removes covered entries", dialect: { deleteCovers: "covered" } },
      some: { as: "beyond", node: "removes some others" },
    },
    is: ({ list }) => (["covered", "some", "exact"] as const)[list().length] ?? "some",
  }),
  /** The first is deleted without its length, the second with it. */
  change({
    name: "delete-spelling",
    title: "spelling of a delete",
    assumes: "entries are deleted in the spelling of the list",
    holds: ["203.0.113.9/32", "203.0.113.77/32"].map((single, index) => [single, index + 1]),
    deletes: ["203.0.113.9", "203.0.113.77/32"],
    outcomes: {
      any: { as: "contract", node: "any spelling works", dialect: { deleteSpelling: "any" } },
      listed: { as: "dialect", node: "found only in the spelling of the list", dialect: { deleteSpelling: "listed" } },
      neither: { as: "beyond", node: "found neither with a length nor without one" },
    },
    is: ({ list }) => {
      const [left, ...more] = list();
      if (left === undefined) return "any";
      return more.length > 0 ? "neither" : ["listed", `${left.spelling} is found only in the spelling of the list`];
    },
  }),
];
