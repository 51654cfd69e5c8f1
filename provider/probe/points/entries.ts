import { MAX_VALUE } from "../../model/entry";
import { refusalSwitches } from "../asking/answer";
import { singles } from "../asking/documentation";
import { largest } from "../asking/largest";
import { Unclear } from "../asking/outcome";
import { settingsOf } from "../asking/records";
import { type Point, pointNeeding } from "../point";

const point = pointNeeding("set", "entries");

/** Two entries that every node takes, and one between them that none does. */
const ENTRIES = [
  ["192.0.2.0/24", 1],
  ["192.0.2.0/33", 1],
  ["198.51.100.0/24", 2],
] as const;

const SENT = "192.0.2.77/24";

/** Which entries a set takes. */
export const entries: readonly Point[] = [
  point({
    name: "refused-entry",
    title: "one bad entry among good ones",
    assumes: "either; the bad one is found by splitting",
    finds: ["refusedEntry", "refusedEntryStatus", "refusedEntryForm"],
    settles: ["answers.success", "answers.failure"],
    ask: async (bench) => {
      const { set } = bench;
      const answer = await set.insert(ENTRIES, "insert with a bad entry");
      bench.verdicts.failed(answer);
      const verdict = bench.verdicts.learn();
      if (!answer.isRefusal) throw new Unclear("a prefix of 33 bits is no error", [answer.evidence]);
      const { list } = await set.committed((shown) => !set.isClear(shown), bench.briefly);
      return { answer, list, verdict, staged: set.read(list).length };
    },
    judge: ({ answer, list, staged }) => ({
      node:
        ["nothing of the request counts", "what stands before it counts", "the rest counts"][staged] ??
        "all of it counts",
      evidence: [answer.evidence, list.evidence],
    }),
    settings: ({ verdict }) => settingsOf(verdict),
    dialect: ({ answer, staged }) => ({
      refusedEntry: staged === 0 ? "nothing" : "rest",
      ...refusalSwitches("refusedEntry", answer),
    }),
  }),
  point({
    name: "repeated-entry",
    title: "a prefix twice in one insert",
    assumes: "never sent",
    finds: ["repeatedEntry"],
    ask: async ({ set, learned }) => {
      const twice = [
        ["192.0.2.0/24", 1],
        ["192.0.2.0/24", 2],
      ] as const;
      const answer = await set.insert(twice, "insert of a prefix twice");
      // Where what is there is refused, the second of the two is, and nothing is told about the first.
      if (answer.isRefusal) return { answer, isTold: learned.insertExisting !== "error" };
      const { list } = await set.committed((shown) => !set.isClear(shown));
      return { answer, isTold: true, list, values: set.read(list).map(({ value }) => value) };
    },
    judge: ({ answer, isTold, list, values }) => ({
      found: isTold ? "observed" : "assumed",
      node: values ? `accepted; listed with ${values.join(" and ")}` : "refused",
      evidence: [answer.evidence, ...(list ? [list.evidence] : [])],
    }),
    dialect: ({ answer, isTold, values }) => {
      if (values) return { repeatedEntry: values.length === 1 && values[0] === 2 ? "last" : undefined };
      return isTold ? { repeatedEntry: "error", ...refusalSwitches("refusedEntry", answer) } : {};
    },
  }),
  point({
    name: "host-bits",
    title: "host bits in an entry",
    assumes: "never sent; understood in lists, and deleted in the node's own spelling",
    finds: ["hostBits"],
    ask: async ({ set }) => {
      const answer = await set.insert([[SENT, 1]], "insert with host bits");
      if (answer.isRefusal) return { answer, does: "error" as const };
      const { list } = await set.committed((shown) => !set.isClear(shown));
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
  }),
  point({
    name: "ipv6",
    title: "IPv6 in a set",
    assumes: "accepted; where it is refused, the entries are named",
    finds: ["ipv6"],
    ask: ({ set }) => set.insert([["2001:db8:77::/48", 1]], "insert of IPv6"),
    judge: (answer) => ({
      node: answer.isRefusal ? "refused" : "accepted",
      evidence: [answer.evidence],
      ...(answer.isRefusal && { advice: "declare IPv4 only" }),
    }),
    dialect: (answer) => ({
      ipv6: answer.isRefusal ? "error" : "accepted",
      ...(answer.isRefusal && refusalSwitches("refusedEntry", answer)),
    }),
  }),
  point({
    name: "largest-value",
    title: "largest value of an entry",
    assumes: "2³²−1",
    finds: ["maxValue"],
    settles: ["maxValue"],
    ask: async ({ set }) => {
      const unused = singles(80)[Symbol.iterator]();
      const tryValue = async (value: number) => {
        const { value: prefix = "203.0.113.255/32" } = unused.next();
        return set.insert([[prefix, value]], `insert with the value ${value}`);
      };
      return largest(tryValue, { accepted: 1, limit: MAX_VALUE });
    },
    judge: ({ most, refusal }) => ({
      node: String(most),
      evidence: refusal ? [refusal.evidence] : [],
      ...(refusal && { advice: `declare no value above ${most}` }),
    }),
    settings: ({ most, refusal }) => (refusal ? { maxValue: most } : {}),
    dialect: ({ most, refusal }) => ({ maxValue: most, ...(refusal && refusalSwitches("refusedEntry", refusal)) }),
  }),
];
