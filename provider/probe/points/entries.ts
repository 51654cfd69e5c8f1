import { MAX_VALUE } from "../../model/entry";
import { some } from "../../model/text";
import { type Answer, refusalSwitches, switchesOf } from "../asking/answer";
import { largest } from "../asking/largest";
import { Unclear } from "../asking/outcome";
import { singles } from "../documentation";
import { type Point, pointNeeding } from "../point";
import { settingsOf } from "./records";

const point = pointNeeding("set", "entries");

/** Two valid entries, and an invalid one between them. */
const ENTRIES = [
  ["192.0.2.0/24", 1],
  ["192.0.2.0/33", 1],
  ["198.51.100.0/24", 2],
] as const;

const SENT = "192.0.2.77/24";

/** Entries that a set accepts. */
export const entries: readonly Point[] = [
  point({
    name: "refused-entry",
    title: "one bad entry among good ones",
    assumes: "all or some are refused; the bad one is found by splitting the request",
    finds: ["refusedEntry", ...switchesOf("refusedEntry")],
    settles: ["answers.success", "answers.failure"],
    ask: async (bench) => {
      const { set } = bench;
      const answer = await set.insert(ENTRIES, "insert with a bad entry");
      const { list } = await set.committed((shown) => !set.isClear(shown), bench.briefly);
      const staged: readonly string[] = set.read(list).map(({ prefix }) => prefix.toString());
      const evidence = [answer, list];
      const [before, , after] = ENTRIES.map(([prefix]) => prefix);
      const isRest = staged.length === 2 && staged.includes(after ?? "");
      const isBefore = staged.length === 1 && staged.includes(before ?? "");
      // Only an answer to a request that was not carried out as a whole is known to be a failure.
      if (staged.length > 0 && !isRest && !isBefore)
        return () => ({ node: `lists ${some(staged)}`, evidence, beyond: true });
      if (!isRest) bench.verdicts.failed(answer);
      const verdict = bench.verdicts.learn();
      const is = bench.verdicts.judge("insert", answer);
      const [node, refusedEntry] = isRest
        ? ["the others are inserted", "rest"]
        : isBefore
          ? ["the entries before it are inserted", "before"]
          : ["no entry is inserted", "nothing"];
      const settings = settingsOf(verdict);
      if (!answer.isRefusal)
        return () => ({
          node: `${node}, and the answer is ${is === "success" ? "that of a success" : answer.quote}`,
          evidence,
          beyond: true,
        });
      return () => ({
        node,
        evidence,
        settings,
        dialect: { refusedEntry, ...refusalSwitches("refusedEntry", answer) },
      });
    },
  }),
  point({
    name: "repeated-entry",
    title: "a prefix twice in one insert",
    assumes: "never sent",
    finds: ["repeatedEntry"],
    ask: async (bench) => {
      const { set, learned } = bench;
      const twice = [
        ["192.0.2.0/24", 1],
        ["192.0.2.0/24", 2],
      ] as const;
      const { answer, list, is } = await bench.tryInsert(twice, "insert of a prefix twice");
      if (is === "refused") {
        // A node that refuses existing entries may refuse the second one as such.
        const isClear = learned.insertExisting !== "error";
        return () => ({
          found: isClear ? "observed" : "assumed",
          node: "refused",
          evidence: [answer],
          dialect: isClear ? { repeatedEntry: "error", ...refusalSwitches("refusedEntry", answer) } : {},
        });
      }
      const values = set.read(list).map(({ value }) => value);
      const { isFlat } = await bench.sample();
      const holdsSecond = isFlat || (values.length === 1 && values[0] === 2);
      return () => ({
        node: `accepted; listed with ${values.join(" and ")}`,
        evidence: [answer, list],
        ...(holdsSecond ? { dialect: { repeatedEntry: "last" } } : { beyond: true }),
      });
    },
  }),
  point({
    name: "host-bits",
    title: "host bits in an entry",
    assumes: "never sent; read in lists, and deleted in the node's own spelling",
    finds: ["hostBits"],
    ask: async (bench) => {
      const { set } = bench;
      const { answer, list, is } = await bench.tryInsert([[SENT, 1]], "insert with host bits");
      if (is === "refused")
        return () => ({
          node: "refused",
          evidence: [answer],
          dialect: { hostBits: "error", ...refusalSwitches("refusedEntry", answer) },
        });
      const [entry] = set.read(list);
      if (entry?.prefix.toString() !== "192.0.2.0/24")
        throw new Unclear("it is listed as something else, or not at all", [answer, list]);
      const isKept = entry.spelling.startsWith("192.0.2.77");
      return () => ({
        node: isKept ? "kept and listed as they are" : "masked",
        evidence: [answer, list],
        dialect: { hostBits: isKept ? "keep" : "mask" },
      });
    },
  }),
  point({
    name: "ipv6",
    title: "IPv6 in a set",
    assumes: "accepted; where it is refused, the entries are named",
    finds: ["ipv6"],
    ask: async (bench) => {
      const { answer, is } = await bench.tryInsert([["2001:db8:77::/48", 1]], "insert of IPv6");
      const evidence = [answer];
      if (is === "taken") return () => ({ node: "accepted", evidence, dialect: { ipv6: "accepted" } });
      const advice = "declare IPv4 only";
      if (is === "silent")
        return () => ({ node: "answered like a success, and not listed", evidence, advice, beyond: true });
      const dialect = { ipv6: "error", ...refusalSwitches("refusedEntry", answer) };
      return () => ({ node: "refused", evidence, advice, dialect });
    },
  }),
  point({
    name: "largest-value",
    title: "largest value of an entry",
    assumes: "2³²−1",
    finds: ["maxValue"],
    settles: ["maxValue"],
    ask: async (bench) => {
      const { set, verdicts } = bench;
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
      if (!shown && !(await bench.sample()).isFlat) {
        const node = `${most} is answered like a success, and is not listed`;
        return () => ({ found: "assumed", node, evidence: [list], beyond: true });
      }
      return () => ({
        node: String(most),
        evidence: [refusal],
        ...(refusal && { advice: `declare no value above ${most}`, settings: { maxValue: most } }),
        dialect: { maxValue: most, ...(refusal && refusalSwitches("refusedEntry", refusal)) },
      });
    },
  }),
];
