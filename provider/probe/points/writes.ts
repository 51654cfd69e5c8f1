import { formatUrl } from "../../model/resource-url";
import { Blocked, Skipped } from "../asking/outcome";
import { refusalSwitches } from "../asking/refusal";
import { isHollow } from "../asking/work-set";
import { point } from "../point";

/**
 * Whether the set may be written to: it is empty, or the node does not know it and its first insert makes it. Nothing is
 * written anywhere before this point.
 */
export const workSet = point({
  name: "unknown-set",
  title: "first insert into an unknown set",
  needs: "set",
  assumes: "never relied upon: sets are made on the node",
  finds: ["unknownSet"],
  ask: async (bench) => {
    const { set } = bench;
    const before = await set.list();
    if (isHollow(before)) throw new Skipped("the set is there");
    if (!before.isRefusal) {
      throw new Blocked(`--write needs a set that is empty, and ${formatUrl(set.url)} lists ${before.quote}`);
    }
    const { unknown } = bench.learned;
    const isUnknown = before.status === 404 || (unknown?.isRefusal === true && unknown.status === before.status);
    if (!isUnknown) throw new Blocked(`the list of ${formatUrl(set.url)} is refused: ${before.quote}`);
    const insert = await set.insert([["192.0.2.0/24", 1]], "insert into an unknown set");
    if (insert.isRefusal)
      throw new Blocked(`${formatUrl(set.url)} is not there, and an insert does not make it: ${insert.quote}`);
    return { before, insert };
  },
  judge: ({ before, insert }) => ({
    node: "it makes the set",
    evidence: [before.evidence, insert.evidence],
    ...(before.status !== 404 && {
      advice: "make sets on the node first: only a 404 is read as a set that the first insert makes",
    }),
  }),
  settings: ({ before }) => (before.status === 404 ? { absentSet: "empty" } : {}),
  dialect: () => ({ unknownSet: "made" }),
});

/** A commit with nothing staged. */
export const emptyCommit = point({
  name: "empty-commit",
  title: "commit of nothing",
  needs: "set",
  assumes: "success, whatever the node says",
  finds: ["emptyCommit", "nothingStagedStatus", "nothingStagedForm"],
  ask: async ({ set }) => {
    const answer = await set.commit("commit of nothing");
    // What another writer had staged has just been published, if there was anything: no entry of ours may follow.
    await set.entries();
    return answer;
  },
  judge: (answer) => ({ node: answer.isRefusal ? "an error" : "success", evidence: [answer.evidence] }),
  dialect: (answer) =>
    answer.isRefusal
      ? { emptyCommit: "error", ...refusalSwitches("nothingStaged", answer) }
      : { emptyCommit: "success" },
});

/** An insert of a prefix that is in the set, with another value. */
export const insertExisting = point({
  name: "insert-existing",
  title: "insert of what is there",
  needs: "set",
  assumes: "the new value holds; where it is refused, delete and insert follow each other before one commit",
  finds: ["insertExisting", "existsStatus", "existsForm"],
  ask: async (bench) => {
    const { set, learned } = bench;
    await set.hold([["192.0.2.0/24", 1]]);
    const answer = await set.insert([["192.0.2.0/24", 2]], "insert of what is there");
    if (answer.isRefusal) {
      learned.insertExisting = "error";
      return { answer, does: "error" as const };
    }
    const isNew = (list: typeof answer) => !isHollow(list) && set.read(list).some(({ value }) => value === 2);
    const { list, shown } = await set.committed(isNew, bench.briefly);
    learned.insertExisting = shown ? "overwrite" : "ignored";
    return { answer, list, does: learned.insertExisting };
  },
  judge: ({ answer, list, does }) => ({
    node: { error: "an error", overwrite: "gives it the new value", ignored: "success, and the old value stays" }[does],
    evidence: [answer.evidence, ...(list ? [list.evidence] : [])],
    ...(does === "ignored" && { advice: "values of entries that are there cannot be changed: delete them first" }),
  }),
  dialect: ({ answer, does }) =>
    does === "error"
      ? { insertExisting: "error", ...refusalSwitches("exists", answer) }
      : { insertExisting: does === "overwrite" ? "overwrite" : undefined },
});

/** A delete of a prefix that is not in the set. */
export const deleteAbsent = point({
  name: "delete-absent",
  title: "delete of what is absent",
  needs: "set",
  assumes: "sent only for what is listed or in doubt; an error is no failure",
  finds: ["deleteAbsent", "absentStatus", "absentForm"],
  ask: async ({ set, learned }) => {
    const answer = await set.delete(["203.0.113.0/24"], "delete of what is absent");
    learned.deleteAbsent = answer.isRefusal ? "error" : "success";
    return answer;
  },
  judge: (answer) => ({ node: answer.isRefusal ? "an error" : "success", evidence: [answer.evidence] }),
  dialect: (answer) =>
    answer.isRefusal ? { deleteAbsent: "error", ...refusalSwitches("absent", answer) } : { deleteAbsent: "success" },
});

const HALVES = ["192.0.2.0/25", "192.0.2.128/25"] as const;

/** A delete of a prefix that is not in the set and covers two that are. */
export const deleteCovers = point({
  name: "delete-covers",
  title: "delete of a covering prefix",
  needs: "set",
  assumes: "only exact prefixes are sent; what is wanted of the covered is inserted again",
  finds: ["deleteCovers"],
  ask: async (bench) => {
    const { set } = bench;
    await set.hold([
      [HALVES[0], 1],
      [HALVES[1], 2],
    ]);
    const answer = await set.delete(["192.0.2.0/24"], "delete of a covering prefix");
    const { list } = await set.committed((shown) => set.read(shown).length === 0, bench.briefly);
    return { answer, list, left: set.read(list).length };
  },
  judge: ({ answer, list, left }) => ({
    node: left === 0 ? "removes what it covers" : left === HALVES.length ? "removes nothing else" : "removes a part",
    evidence: [answer.evidence, list.evidence],
  }),
  dialect: ({ left }) => ({ deleteCovers: left === 0 ? "covered" : "exact" }),
});

/** One single address, deleted without a length, and one that is deleted with it. */
const SINGLES = ["203.0.113.9/32", "203.0.113.77/32"] as const;

/** A delete in another spelling than that of the list. */
export const deleteSpelling = point({
  name: "delete-spelling",
  title: "spelling of a delete",
  needs: "set",
  assumes: "what is listed is deleted in the node's own spelling",
  finds: ["deleteSpelling"],
  ask: async (bench) => {
    const { set } = bench;
    await set.hold(SINGLES.map((single, index) => [single, index + 1]));
    await set.delete([SINGLES[0].replace("/32", "")], "delete without a length");
    await set.delete([SINGLES[1]], "delete with a length");
    const { list } = await set.committed((shown) => isHollow(shown), bench.briefly);
    return { list, left: set.read(list).map(({ spelling }) => spelling) };
  },
  judge: ({ list, left }) => ({
    node: left.length === 0 ? "any spelling is found" : `${left.join(", ")} is found in the text of the list only`,
    evidence: [list.evidence],
  }),
  dialect: ({ left }) => ({ deleteSpelling: left.length === 0 ? "any" : "listed" }),
});

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
