import { MAX_VALUE } from "../../model/entry";
import { some } from "../../model/text";
import type { Answers } from "../../wire/answers";
import { type Answer, refusalSwitches, switchesOf } from "../asking/answer";
import { largest } from "../asking/largest";
import { singles } from "../documentation";
import { MEASURED, measured, type Point, pointNeeding } from "../point";
import { settingsOf } from "./records";
import { VERDICTS } from "./verdicts";

const point = pointNeeding("set", "entries");

/** Two valid entries, and an invalid one between them. */
const ENTRIES = [
  ["192.0.2.0/24", 1],
  ["192.0.2.0/33", 1],
  ["198.51.100.0/24", 2],
] as const;

const SENT = "192.0.2.77/24";

/** Switches of an entry that is refused. */
const REFUSED = measured(switchesOf("refusedEntry"));
const refusedAs = (answer: Answer) => refusalSwitches("refusedEntry", answer);

/** The outcome that such an entry is refused, with the settings that read the refusal where it needs some. */
function refused(dialect: Readonly<Record<string, string>>, node = "refused", advice?: string) {
  const told = { as: "setting", node, settings: VERDICTS, dialect: { ...dialect, ...REFUSED } } as const;
  return advice === undefined ? told : { ...told, advice };
}

const judged = ({ answer, known }: { readonly answer: Answer; readonly known: Answers }) => ({
  ...{ evidence: [answer], settings: settingsOf(known), dialect: refusedAs(answer) },
});

/** Entries that a set accepts. */
export const entries: readonly Point[] = [
  point({
    name: "refused-entry",
    title: "one bad entry among good ones",
    assumes: "all or some are refused; the bad one is found by splitting the request",
    outcomes: {
      rest: refused({ refusedEntry: "rest" }, "the others are inserted"),
      before: refused({ refusedEntry: "before" }, "the entries before it are inserted"),
      nothing: refused({ refusedEntry: "nothing" }, "no entry is inserted"),
      other: { as: "beyond", node: "others are listed" },
      silent: { as: "beyond", node: "it is no error" },
    },
    ask: async (bench) => {
      const { set, verdicts } = bench;
      const answer = await set.insert(ENTRIES, "insert with a bad entry");
      const { list } = await set.committed((shown) => !set.isClear(shown), bench.briefly);
      const staged: readonly string[] = set.read(list).map(({ prefix }) => prefix.toString());
      const evidence = [answer, list];
      const [before, , after] = ENTRIES.map(([prefix]) => prefix);
      const isRest = staged.length === 2 && staged.includes(after ?? "");
      const isBefore = staged.length === 1 && staged.includes(before ?? "");
      // Only an answer to a request that was not carried out as a whole is known to be a failure.
      if (staged.length > 0 && !isRest && !isBefore) return { is: "other", node: `lists ${some(staged)}`, evidence };
      if (!isRest) verdicts.failed("insert", answer);
      const known = verdicts.learn();
      const is = isRest ? "rest" : isBefore ? "before" : "nothing";
      if (answer.isRefusal) return { is, ...judged({ answer, known }), evidence };
      const said = verdicts.judge("insert", answer) === "success" ? "that of a success" : answer.quote;
      return {
        is: "silent",
        node: `of three entries ${staged.length} are inserted, and the answer is ${said}`,
        evidence,
      };
    },
  }),
  point({
    name: "repeated-entry",
    title: "a prefix twice in one insert",
    assumes: "never sent",
    outcomes: {
      refused: refused({ repeatedEntry: "error" }),
      exists: { as: "unknown", node: "refused, as an existing entry is" },
      last: { as: "dialect", node: "accepted; the last one counts", dialect: { repeatedEntry: "last" } },
      first: {
        as: "dialect",
        node: "accepted; the first one counts, as an existing entry does",
        dialect: { insertExisting: "ignored" },
      },
      other: { as: "beyond", node: "accepted; the last one does not count" },
    },
    ask: async (bench) => {
      const { set, learned } = bench;
      const twice = [1, 2].map((value) => ["192.0.2.0/24", value] as const);
      const tried = await bench.tryInsert(twice, "insert of a prefix twice");
      const { answer } = tried;
      // A node that refuses existing entries may refuse the second one as such.
      if (tried.is === "refused" && learned.insertExisting === "error") return { is: "exists", evidence: [answer] };
      if (tried.is === "refused") return { is: "refused", ...judged(tried) };
      const { list } = tried;
      const values = set.read(list).map(({ value }) => value);
      const { isFlat } = await bench.sample();
      const [held, ...more] = values;
      const isOne = more.length === 0;
      const isFirst = isOne && held === 1 && learned.insertExisting === "ignored";
      const node = `accepted; listed with ${values.join(" and ")}`;
      const countsLast = isFlat || (isOne && held === 2);
      return { is: countsLast ? "last" : isFirst ? "first" : "other", node, evidence: [answer, list] };
    },
  }),
  point({
    name: "host-bits",
    title: "host bits in an entry",
    assumes: "never sent; read in lists, and deleted in the node's own spelling",
    outcomes: {
      refused: refused({ hostBits: "error" }),
      keep: { as: "dialect", node: "kept and listed as they are", dialect: { hostBits: "keep" } },
      mask: { as: "dialect", node: "masked", dialect: { hostBits: "mask" } },
      other: { as: "beyond", node: "it is listed as something else, or not at all" },
    },
    ask: async (bench) => {
      const tried = await bench.tryInsert([[SENT, 1]], "insert with host bits");
      if (tried.is === "refused") return { is: "refused", ...judged(tried) };
      const evidence = [tried.answer, tried.list];
      const [entry] = bench.set.read(tried.list);
      if (entry?.prefix.toString() !== "192.0.2.0/24") return { is: "other", evidence };
      return { is: entry.spelling.startsWith("192.0.2.77") ? "keep" : "mask", evidence };
    },
  }),
  point({
    name: "ipv6",
    title: "IPv6 in a set",
    assumes: "accepted; where it is refused, the entries are named",
    outcomes: {
      taken: { as: "contract", node: "accepted", dialect: { ipv6: "accepted" } },
      refused: refused({ ipv6: "error" }, "refused", "declare IPv4 only"),
      silent: { as: "beyond", node: "answered like a success, and not listed", advice: "declare IPv4 only" },
    },
    ask: async (bench) => {
      const tried = await bench.tryInsert([["2001:db8:77::/48", 1]], "insert of IPv6");
      return tried.is === "refused" ? { is: "refused", ...judged(tried) } : { is: tried.is, evidence: [tried.answer] };
    },
  }),
  point({
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
      const { set, verdicts } = bench;
      if ((await bench.sample()).isFlat) return { is: "none" };
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
      if (!shown)
        return { is: "silent", node: `${most} is answered like a success, and is not listed`, evidence: [list] };
      if (!refusal) return { is: "all" };
      return {
        is: "less",
        node: String(most),
        evidence: [refusal],
        advice: `declare no value above ${most}`,
        settings: { maxValue: most },
        dialect: { maxValue: most, ...refusedAs(refusal) },
      };
    },
  }),
];
