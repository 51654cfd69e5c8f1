import { MAX_VALUE } from "../../model/entry";
import { some } from "../../model/text";
import { type Answer, refusalSwitches } from "../asking/answer";
import { largest } from "../asking/largest";
import { Unclear } from "../asking/outcome";
import { singles } from "../documentation";
import { type Point, pointsNeeding } from "../point";
import { change, prefixesOf, refused, VERDICTS } from "./change";

/** Two valid entries, and an invalid one between them. */
const GOOD = ["192.0.2.0/24", "198.51.100.0/24"] as const;

/** Outcome and sentence for each part of these that is listed. */
const TAKEN: Readonly<Record<string, readonly [is: string, node: string]>> = {
  [GOOD.join()]: ["rest", "the others are inserted"],
  [GOOD[0]]: ["before", "the entries before it are inserted"],
  "": ["nothing", "no entry is inserted"],
};

const IPV6 = "2001:db8:77::/48";

/** A prefix within another one, and both halves of a third. */
const NESTED = ["192.0.2.0/24", "192.0.2.64/26", "198.51.100.0/25", "198.51.100.128/25"] as const;
const MERGED = "192.0.2.0/24,198.51.100.0/24";
const COVERED = "192.0.2.0/24,198.51.100.0/25,198.51.100.128/25";

const AGGREGATED = "declare such a set aggregated (`aggregatePrefixes`), or its lists never match the program";

/** Entries that a set accepts, and prefixes and spellings by which a delete finds them. */
export const entries: readonly Point[] = pointsNeeding("set", "entries")(
  change({
    name: "refused-entry",
    title: "one bad entry among good ones",
    assumes: "all or some are refused; the bad one is found by splitting the request",
    settles: VERDICTS,
    inserts: [GOOD[0], "192.0.2.0/33", GOOD[1]].map((prefix) => [prefix, 1]),
    asked: "insert with a bad entry",
    judge: (came) => {
      const { answer, isFine } = came;
      const listed = prefixesOf(came.list());
      const [is, node] = TAKEN[listed.join()] ?? [];
      if (is === undefined) return { is: "other", as: "beyond", node: `lists ${some(listed)}` };
      if (answer.isRefusal) return { ...refused(came, { refusedEntry: is }, node), is };
      const said = isFine ? "that of a success" : answer.quote;
      const silent = `of three entries ${listed.length} are inserted, and the answer is ${said}`;
      return { is: "silent", as: "beyond", node: silent };
    },
  }),
  change({
    name: "repeated-entry",
    title: "a prefix twice in one insert",
    assumes: "never sent",
    settles: VERDICTS,
    inserts: [1, 2].map((value) => ["192.0.2.0/24", value]),
    asked: "insert of a prefix twice",
    judge: (came) => {
      const { insertExisting, isFlat } = came.bench.learned;
      const values = came.list().map(({ value }) => value);
      // A node that refuses existing entries may refuse the second one as such.
      if (values.length === 0 && !came.isFine && insertExisting !== "error")
        return refused(came, { repeatedEntry: "error" });
      if (values.length === 0 && !came.isFine)
        return { is: "exists", as: "unknown", node: "refused, as an existing entry is" };
      const node = `${came.isFine ? "accepted" : "refused"}; listed with ${values.join(" and ") || "nothing"}`;
      if (!came.isFine || values.length !== 1) return { is: "other", as: "beyond", node };
      if (isFlat) return { is: "taken", as: "unknown", node: "accepted, and the list shows no values" };
      if (values[0] === 2) return { is: "last", as: "dialect", node, dialect: { repeatedEntry: "last" } };
      if (values[0] === 1) return { is: "first", as: "dialect", node, dialect: { repeatedEntry: "first" } };
      return { is: "other", as: "beyond", node };
    },
  }),
  change({
    name: "host-bits",
    title: "host bits in an entry",
    assumes: "never sent; read in lists, and deleted in the node's own spelling",
    settles: VERDICTS,
    inserts: [["192.0.2.77/24", 1]],
    asked: "insert with host bits",
    judge: (came) => {
      const [entry] = came.list();
      if (!entry && !came.isFine) return refused(came, { hostBits: "error" });
      if (entry?.prefix.toString() !== GOOD[0])
        return { is: "other", as: "beyond", node: "it is listed as something else, or not at all" };
      if (!entry.spelling.startsWith("192.0.2.77"))
        return { is: "mask", as: "dialect", node: "masked", dialect: { hostBits: "mask" } };
      return { is: "keep", as: "dialect", node: "kept and listed as they are", dialect: { hostBits: "keep" } };
    },
  }),
  change({
    name: "ipv6",
    title: "IPv6 in a set",
    assumes: "accepted; where it is refused, the entries are named",
    settles: VERDICTS,
    inserts: [[IPV6, 1]],
    asked: "insert of IPv6",
    judge: (came) => {
      const advice = "declare IPv4 only";
      const listed = prefixesOf(came.list());
      came.bench.learned.takesIpv6 = listed.join() === IPV6;
      if (came.bench.learned.takesIpv6)
        return { is: "taken", as: "contract", node: "accepted", dialect: { ipv6: "accepted" } };
      if (listed.length > 0) return { is: "other", as: "beyond", node: `lists ${some(listed)}`, advice };
      if (!came.isFine) return refused(came, { ipv6: "error" }, "refused", advice);
      return { is: "silent", as: "beyond", node: "answered like a success, and not listed", advice };
    },
  }),
  {
    name: "largest-value",
    title: "largest value of an entry",
    assumes: "2³²−1",
    settles: ["maxValue"],
    ask: async (bench) => {
      const { set, verdicts, learned } = bench;
      if (learned.isFlat) {
        const advice = "declare only the value 1";
        return { is: "none", as: "setting", node: "values are not listed", advice, settings: { maxValue: 1 } };
      }
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
      const isListed = (list: Answer) => set.read(list).some(({ value }) => value === most);
      const { list, shown } = await set.committed(isListed, bench.briefly);
      if (!shown) {
        const silent = `${most} is answered like a success, and is not listed`;
        return { is: "silent", as: "beyond", node: silent, evidence: [list] };
      }
      const node = String(most);
      if (!refusal) return { is: "all", as: "contract", node, dialect: { maxValue: most } };
      const [settings, advice] = [{ maxValue: most }, `declare no value above ${most}`];
      const dialect = { maxValue: most, ...refusalSwitches("refusedEntry", refusal) };
      return { is: "less", as: "setting", node, evidence: [refusal], advice, settings, dialect };
    },
  },
  change({
    name: "nested",
    title: "nested and adjacent prefixes",
    assumes: "all are separate entries",
    inserts: NESTED.map((prefix) => [prefix, 1]),
    judge: ({ list, answer, isFine }) => {
      const listed = prefixesOf(list());
      if (listed.length === 0 && !isFine) throw new Unclear("a plain insert is refused", [answer]);
      const [all, advice] = [listed.join(), AGGREGATED];
      if (all === NESTED.join())
        return { is: "apart", as: "contract", node: "all are listed", dialect: { nested: "apart" } };
      const node = (how: string) => `${how}: lists ${listed.join(", ") || "nothing"}`;
      if (all === MERGED)
        return { is: "merged", as: "dialect", node: node("merged"), advice, dialect: { nested: "merged" } };
      if (all === COVERED) return { is: "covered", as: "beyond", node: node("covered entries are dropped"), advice };
      return { is: "changed", as: "beyond", node: node("changed"), advice };
    },
  }),
  change({
    name: "delete-covers",
    title: "delete of a covering prefix",
    assumes: "only exact prefixes are sent; covered entries of the program are inserted again",
    holds: ["192.0.2.0/25", "192.0.2.128/25"].map((half, index) => [half, index + 1]),
    deletes: [GOOD[0]],
    asked: "delete of a covering prefix",
    judge: ({ list }) => {
      const left = list().length;
      if (left === 2)
        return { is: "exact", as: "contract", node: "removes no others", dialect: { deleteCovers: "exact" } };
      if (left > 0) return { is: "some", as: "beyond", node: "removes some others" };
      return { is: "covered", as: "dialect", node: "removes covered entries", dialect: { deleteCovers: "covered" } };
    },
  }),
  /** The first is deleted without its length, the second with it. */
  change({
    name: "delete-spelling",
    title: "spelling of a delete",
    assumes: "entries are deleted in the spelling of the list",
    holds: ["203.0.113.9/32", "203.0.113.77/32"].map((single, index) => [single, index + 1]),
    deletes: ["203.0.113.9", "203.0.113.77/32"],
    judge: ({ list }) => {
      const [left, ...more] = list();
      if (left === undefined)
        return { is: "any", as: "contract", node: "any spelling works", dialect: { deleteSpelling: "any" } };
      if (more.length > 0) return { is: "neither", as: "beyond", node: "found neither with a length nor without one" };
      const node = `${left.spelling} is found only in the spelling of the list`;
      return { is: "listed", as: "dialect", node, dialect: { deleteSpelling: "listed" } };
    },
  }),
);
