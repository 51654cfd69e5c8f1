import { formatUrl, type PrefixSetUrl } from "../../model/resource-url";
import { follow } from "../../wire/places";
import { type Answer, errorOrSuccess, errorSwitches, switchesOf } from "../asking/answer";
import { Blocked, Moot, Skipped, Unusable } from "../asking/outcome";
import { type Point, pointNeeding, settlesFor } from "../point";
import { membersText } from "../shapes/entry-shape";
import { isHollow } from "../shapes/list-place";
import { settingsOf, whereOf } from "./records";

const point = pointNeeding("set");
const furtherPoint = pointNeeding("set", "entries");

/** Least delay of a commit in milliseconds; a shorter one is that of the network. */
const DELAY = 100;

/** The set to write to, and its list with known entries. */
export const sample: readonly Point[] = [
  /** The first write: the set must be empty, or unknown, so that its first insert makes it. */
  point({
    name: "unknown-set",
    title: "first insert into an unknown set",
    assumes: "never relied upon: sets are made on the node",
    finds: ["unknownSet"],
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
        throw new Blocked(filled(set.url, before.quote));
      }
      if (!bench.learned.isLikeUnknown(before, set.url.set))
        throw new Blocked(`the list of ${formatUrl(set.url)} is refused: ${before.quote}`);
      // What an emptied set looks like is known by the entries that were in it before.
      const { insert } = await bench.sample().catch((error: unknown) => {
        if (!(error instanceof Unusable)) throw error;
        throw new Blocked(`${formatUrl(set.url)} does not exist, and an insert does not make it: ${error.message}`);
      });
      const isRead = bench.learned.isAbsent(before, set.url.set);
      const { absent } = bench.learned.known;
      return () => ({
        node: "it makes the set",
        evidence: [before, insert],
        ...(!isRead && { advice: "make sets on the node first: no setting tells such an answer from other errors" }),
        settings: settingsOf(absent === undefined ? {} : { absent }),
        dialect: { unknownSet: "made" },
      });
    },
  }),
  point({
    name: "entries",
    title: "entries of a set",
    assumes: "usual names, texts, pairs, or keyed by prefix",
    settles: settlesFor("prefixset", "prefix", "prefixLength", "value", "rangeStart", "rangeEnd"),
    ask: async (bench) => {
      const { place, entry, list, isFlat, answers, guesses } = await bench.sample();
      return () => ({
        node: place && entry ? `${whereOf(place.path)}; ${membersText(entry)}` : "as answers.read reads them",
        evidence: [list],
        ...(isFlat && { advice: "values are not listed: declare only the value 1" }),
        ...(guesses.path && {
          advice: "which of its lists is the set is a guess: each showed what was not committed yet",
        }),
        settings: settingsOf(answers),
        guesses: settingsOf(guesses),
      });
    },
  }),
  furtherPoint({
    name: "single-address",
    title: "a single address in a set",
    assumes: "sent with /32; read with and without",
    finds: ["singleAddress"],
    ask: async (bench) => {
      const { single, list } = await bench.sample();
      if (single === undefined) throw new Skipped("the length is a member of its own");
      const node = single === "bare" ? "listed without a length" : "listed with /32";
      return () => ({ node, evidence: [list], dialect: { singleAddress: single } });
    },
  }),
  furtherPoint({
    name: "list-shows",
    title: "a list before the commit",
    assumes: "staged entries may show; the list after the commit counts",
    finds: ["listShows"],
    ask: async (bench) => {
      const { listShows, before } = await bench.sample();
      const advice = "`foreignStaged` can look for changes that others have staged before each commit";
      return () => ({
        ...(listShows === "staged" ? { node: "shows staged entries", advice } : { node: "shows applied entries only" }),
        evidence: [before],
        dialect: { listShows },
      });
    },
  }),
  furtherPoint({
    name: "commit-delay",
    title: "delay of a commit",
    assumes: "lists until the result shows, up to `deadlineMs`",
    finds: ["commitDelay"],
    settles: ["commitDelayMs"],
    ask: async (bench) => {
      const { listShows, delayMs, earlierMs } = await bench.sample();
      if (listShows === "staged")
        return () => ({ found: "assumed", node: "cannot be seen, since lists show staged entries" });
      // Lists that were turned away meanwhile leave a gap, in which the change may have shown at any time.
      const isRough = delayMs - earlierMs > Math.max(DELAY, delayMs / 3);
      return () => ({
        found: isRough ? "assumed" : "observed",
        node: delayMs < DELAY ? "the next list shows it" : `commit takes ${(delayMs / 1_000).toFixed(1)} s`,
        settings: delayMs < DELAY ? {} : { commitDelayMs: 100 * Math.ceil(delayMs / 100) },
        dialect: { commitDelay: Math.round(delayMs) },
      });
    },
  }),
  furtherPoint({
    name: "success",
    title: "answer to a success",
    assumes: "any 2xx without an error in its body",
    finds: ["success", "insertText", "deleteText", "commitText", "commitUrl"],
    settles: ["answers.success", "answers.failure"],
    ask: async (bench) => {
      const { insert, commit, verdict } = await bench.sample();
      const isOwn = insert.successForm === undefined;
      // Both are about the same number of entries, so counts of changes are equal.
      const isAlike = insert.quote === commit.quote;
      const node = isOwn ? "a form of its own, which is read as a success" : insert.quote;
      const { commitUrl } = bench.node;
      return () => {
        const [insertText, deleteText = insertText, commitText] = (["insert", "delete", "commit"] as const).map(
          (command) => bench.verdicts.textOf(command),
        );
        const isSaid = isAlike && !isOwn;
        return {
          found: isSaid || insertText !== undefined ? "observed" : "assumed",
          node: isAlike ? node : `${node}; a commit of as many: ${commit.quote}`,
          evidence: [insert, commit],
          settings: settingsOf(verdict),
          dialect: {
            commitUrl,
            ...(isSaid ? { success: insert.successForm } : { insertText, deleteText, commitText }),
          },
        };
      };
    },
  }),
  furtherPoint({
    name: "error-form",
    title: "a command that does not exist",
    assumes: "an error, by its status or its body",
    finds: ["errorForm", "errorText"],
    ask: async (bench) => {
      const { url } = bench.set;
      const body = JSON.stringify({ url: formatUrl(url), cmd: "probe" });
      // Its answer is not read as a list.
      const answer = await bench.ask({ url, command: "insert", body, asked: "cmd probe" });
      const { status } = answer;
      return () =>
        answer.isRefusal
          ? { node: `an error with status ${status}`, evidence: [answer], dialect: errorSwitches(answer) }
          : { found: "assumed", node: "no known form of an error", evidence: [answer] };
    },
  }),
  furtherPoint({
    name: "empty-commit",
    title: "commit of nothing",
    assumes: "success, whatever the answer is",
    finds: ["emptyCommit", ...switchesOf("nothingStaged")],
    ask: async ({ set, verdicts }) => {
      const answer = await set.commit("commit of nothing");
      // The commit has published changes that another writer had staged, if any: the probe then ends.
      await set.entries();
      return () => errorOrSuccess("emptyCommit", answer, "nothingStaged", verdicts.judge("commit", answer));
    },
  }),
];

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
