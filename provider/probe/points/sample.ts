import { formatDuration } from "../../client/pauses";
import { formatUrl, type PrefixSetUrl } from "../../model/resource-url";
import { follow } from "../../wire/places";
import { type Answer, errorSwitches } from "../asking/answer";
import { Moot, Skipped, Unusable } from "../asking/outcome";
import { type Point, pointsNeeding, settlesLists } from "../point";
import { membersText } from "../shapes/entry-shape";
import { isHollow } from "../shapes/list-place";
import { TIMING } from "../timing";
import { errorOrSuccess, VERDICTS } from "./change";
import { settingsOf, whereOf } from "./records";

const FOREIGN = "`foreignStaged` can look for changes that others have staged before each commit";

/** The set to write to, and its list with known entries. */
const known = pointsNeeding("set")(
  /** The first write: the set must be empty, or unknown, so that its first insert makes it. */
  {
    name: "unknown-set",
    title: "first insert into an unknown set",
    assumes: "never relied upon: sets are made on the node",
    settles: ["answers.absent"],
    ask: async (bench) => {
      const { set } = bench;
      const before = await set.list();
      set.begin(before);
      if (set.keeps && !before.isRefusal && !isHollow(before)) {
        set.keep(before);
        throw new Moot("the set exists, and its entries are kept");
      }
      if (set.isClear(before)) throw new Moot("the set exists");
      const { unknown } = bench.learned;
      if (!before.isRefusal || isOtherDoubt(before, unknown)) {
        if (isHollow(before)) throw new Moot("the set exists");
        throw new Error(filled(set.url, before.quote));
      }
      if (!bench.learned.isLikeUnknown(before, set.url.set))
        throw new Error(`the list of ${formatUrl(set.url)} is refused: ${before.quote}`);
      // What an emptied set looks like is known by the entries that were in it before.
      const { insert } = await bench.sample().catch((error: unknown) => {
        if (!(error instanceof Unusable)) throw error;
        throw new Error(`${formatUrl(set.url)} does not exist, and an insert does not make it: ${error.message}`);
      });
      const isRead = bench.learned.isAbsent(before, set.url.set);
      const { absent } = bench.learned.answers;
      const common = { evidence: [before, insert], dialect: { unknownSet: "made" } };
      if (isRead && absent !== undefined)
        return { is: "made", as: "setting", node: "it makes the set", ...common, settings: settingsOf({ absent }) };
      const node = "it makes the set, and no setting tells the answer about an unknown one from other errors";
      return { is: "unread", as: "beyond", node, ...common, advice: "make sets on the node first" };
    },
  },
  {
    name: "entries",
    title: "entries of a set",
    assumes: "usual names, texts, pairs, or keyed by prefix",
    settles: settlesLists("prefixset", "prefix", "prefixLength", "value", "rangeStart", "rangeEnd"),
    ask: async (bench) => {
      const { list, answers } = await bench.sample();
      const { path, entry } = bench.learned.places.prefixset ?? {};
      const node =
        path !== undefined && entry ? `${whereOf(path)}; ${membersText(entry)}` : "as answers.read reads them";
      return { is: "known", as: "setting", node, evidence: [list], settings: settingsOf(answers) };
    },
  },
);

const further = pointsNeeding("set", "entries")(
  {
    name: "single-address",
    title: "a single address in a set",
    assumes: "sent with /32; read with and without",
    ask: async (bench) => {
      const { single, list } = await bench.sample();
      if (single === undefined) throw new Skipped("the length is a member of its own");
      const common = { is: single, evidence: [list], dialect: { singleAddress: single } };
      return single === "cidr"
        ? { ...common, as: "contract", node: "listed with /32" }
        : { ...common, as: "dialect", node: "listed without a length" };
    },
  },
  {
    name: "list-shows",
    title: "a list before the commit",
    assumes: "staged entries may show; the list after the commit counts",
    ask: async (bench) => {
      const { isEarly, isApplied, before } = await bench.sample();
      if (!isEarly && !isApplied)
        return { is: "unread", as: "unknown", node: "the list before the commit is not read", evidence: [before] };
      const is = isEarly ? "staged" : "applied";
      const common = { is, evidence: [before], dialect: { listShows: is } };
      return isEarly
        ? { ...common, as: "dialect", node: "shows staged entries", advice: FOREIGN }
        : { ...common, as: "contract", node: "shows applied entries only" };
    },
  },
  {
    name: "commit-delay",
    title: "delay of a commit",
    assumes: "lists until the result shows, up to `deadlineMs`",
    settles: ["commitDelayMs"],
    ask: async (bench) => {
      const { isEarly, delayMs, earlierMs } = await bench.sample();
      if (isEarly) return { is: "unseen", as: "unknown", node: "cannot be seen, since lists show staged entries" };
      // Lists that were turned away meanwhile leave a gap, in which the change may have shown at any time.
      if (delayMs - earlierMs > Math.max(TIMING.least, delayMs / 3))
        return { is: "rough", as: "unknown", node: "lists were turned away until it showed" };
      const dialect = { commitDelay: Math.round(delayMs) };
      if (delayMs < TIMING.least) return { is: "none", as: "contract", node: "the next list shows it", dialect };
      const settings = { commitDelayMs: 100 * Math.ceil(delayMs / 100) };
      return { is: "late", as: "setting", node: `commit takes ${formatDuration(delayMs)}`, settings, dialect };
    },
  },
  {
    name: "success",
    title: "answer to a success",
    assumes: "any 2xx without an error in its body",
    settles: VERDICTS,
    ask: async (bench) => {
      const { insert, commit, verdict } = await bench.sample();
      // Both are about the same number of entries, so counts of changes are equal.
      const isEqual = insert.quote === commit.quote;
      const { commitUrl } = bench.node;
      return () => {
        // A later command may have a sign of its own.
        const { success = verdict.success } = bench.learned.answers;
        const settings = settingsOf(verdict.success && success ? { success } : verdict);
        const { misread } = bench.verdicts;
        if (misread) {
          const node = "a change took effect, and no setting reads its answer";
          return { is: "misread", as: "beyond", node, evidence: [misread], settings };
        }
        const node = isEqual ? insert.quote : `${insert.quote}; a commit of as many: ${commit.quote}`;
        const common = { node, evidence: [insert, commit], settings };
        if (isEqual && insert.isEmpty)
          return { is: "known", as: "setting", ...common, dialect: { commitUrl, success: insert.emptyForm } };
        const insertText = bench.verdicts.textOf("insert");
        const [deleteText, commitText] = (["delete", "commit"] as const).map((command) =>
          bench.verdicts.textOf(command, insertText),
        );
        // The emulator has no answer without a text.
        if (insertText === undefined) return { is: "bodiless", as: "beyond", ...common };
        return { is: "known", as: "setting", ...common, dialect: { commitUrl, insertText, deleteText, commitText } };
      };
    },
  },
  {
    name: "error-form",
    title: "a command that does not exist",
    assumes: "an error, by its status or its body",
    ask: async (bench) => {
      const { url } = bench.set;
      const body = JSON.stringify({ url: formatUrl(url), cmd: "probe" });
      // Its answer is not read as a list.
      const answer = await bench.ask({ url, command: "insert", body, asked: "cmd probe" });
      const evidence = [answer];
      return () => {
        if (!answer.isRefusal) return { is: "none", as: "unknown", node: "no known form of an error", evidence };
        const node = `an error with status ${answer.status}`;
        return { is: "error", as: "dialect", node, evidence, dialect: errorSwitches(answer) };
      };
    },
  },
  {
    name: "empty-commit",
    title: "commit of nothing",
    assumes: "success, whatever the answer is",
    ask: async ({ set, verdicts }) => {
      const answer = await set.commit("commit of nothing");
      // The commit has published changes that another writer had staged, if any: the probe then ends.
      await set.entries();
      return () => errorOrSuccess("emptyCommit", "nothingStaged", answer, verdicts.judge("commit", answer));
    },
  },
);

export const sample: readonly Point[] = [...known, ...further];

function filled(url: PrefixSetUrl, listed: string): string {
  return [
    `--write needs a set that is empty, and ${formatUrl(url)} lists ${listed}.`,
    "In it no known entry can be told from others, so how entries are read for certain, what changes are answered and which limits hold is not asked.",
    `Make a set on the node that no other client uses, and name that one first, such as ${formatUrl({ ...url, set: "probe" })}; or try this one with --keep, which leaves its entries as they are`,
  ].join(" ");
}

/** True for a code that the answer about an unknown set does not have: this set exists. */
function isOtherDoubt(answer: Answer, unknown: Answer | undefined): boolean {
  const { doubt } = answer;
  return doubt !== undefined && follow(unknown?.errorBody, doubt.member)?.value !== doubt.value;
}
