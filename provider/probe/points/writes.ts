import type { PrefixSetUrl } from "../../model/resource-url";
import { some } from "../../model/text";
import type { Answers } from "../../wire/answers";
import { readPrefixSetList } from "../../wire/prefix-set-list";
import { type Answer, refusalSwitches, switchesOf } from "../asking/answer";
import type { Learned } from "../asking/learned";
import { elementsIn } from "../asking/listing";
import { Skipped } from "../asking/outcome";
import { measured, type Point, pointNeeding } from "../point";
import { merged } from "../shapes/answers";
import { settingsOf } from "./records";
import { errorOrSuccess, judged, VERDICTS } from "./verdicts";

const point = pointNeeding("set", "entries");

/** Inserts of existing entries, and deletes of missing ones. */
export const writes: readonly Point[] = [
  point({
    name: "insert-existing",
    title: "insert of an existing entry",
    assumes: "the new value holds; after a refusal the entry is deleted and inserted before one commit",
    outcomes: {
      overwrite: { as: "contract", node: "gives it the new value", dialect: { insertExisting: "overwrite" } },
      error: {
        as: "setting",
        node: "an error",
        settings: { insertExisting: "error", ...VERDICTS },
        dialect: { insertExisting: "error", ...measured(switchesOf("exists")) },
      },
      ignored: {
        as: "setting",
        node: "success, and the old value stays",
        settings: { insertExisting: "ignored", ...VERDICTS },
        dialect: { insertExisting: "ignored" },
      },
      both: { as: "beyond", node: "an error, and the new value holds" },
      other: { as: "beyond", node: "it is listed as something else" },
    },
    ask: async (bench) => {
      const { set, learned, verdicts } = bench;
      await set.hold([["192.0.2.0/24", 1]]);
      const answer = await set.insert([["192.0.2.0/24", 2]], "insert of an existing entry");
      const isNew = (list: Answer) => !set.isClear(list) && set.read(list).some(({ value }) => value === 2);
      const { list, shown } = await set.committed(isNew, bench.briefly);
      const evidence = [answer, list];
      const [entry, ...more] = set.read(list);
      if (entry === undefined || more.length > 0 || (entry.value !== 1 && !shown)) {
        const listed = set.read(list).map(({ spelling }) => spelling);
        return { is: "other", node: `it is listed as ${some(listed)}`, evidence };
      }
      // An answer unlike a success, without an effect, is an error, also in a form that no client knows.
      const isError = verdicts.judge("insert", answer) !== "success";
      if (isError && !shown) verdicts.failed("insert", answer);
      const settings = settingsOf(verdicts.learn());
      if (isError && shown) return { is: "both", evidence };
      const is = isError ? "error" : shown ? "overwrite" : "ignored";
      learned.insertExisting = is;
      if (is === "overwrite") return { is, evidence };
      return { is, evidence, settings, ...(answer.isRefusal && { dialect: refusalSwitches("exists", answer) }) };
    },
  }),
  point({
    name: "delete-absent",
    title: "delete of a missing entry",
    assumes: "sent only for entries that are listed or in doubt; an error is not a failure",
    outcomes: errorOrSuccess("deleteAbsent", "absent"),
    ask: async ({ set, learned, verdicts }) => {
      const answer = await set.delete(["203.0.113.0/24"], "delete of a missing entry");
      const is = verdicts.judge("delete", answer);
      learned.deleteAbsent = is === "success" ? "success" : "error";
      return judged(answer, "absent", is);
    },
  }),
];

/** The set after its last entry was removed. */
export const emptiedSet: readonly Point[] = [
  point({
    name: "emptied-set",
    title: "a set that is emptied",
    assumes: "it stays, as an empty list; with `answers.absent` it may vanish",
    outcomes: {
      gone: { as: "setting", node: "it vanishes", settings: measured(["answers.absent"]) },
      empty: {
        as: "setting",
        node: "an empty list",
        settings: measured(["answers.empty", "answers.path.prefixset"]),
      },
      unread: { as: "beyond", node: "an answer that no setting reads as an empty list" },
    },
    ask: async ({ set, learned }) => {
      const { cleared: answer } = learned;
      if (!answer) throw new Skipped("the entries of the set are kept");
      const isGone = learned.absentIsEmpty && learned.isLikeUnknown(answer, set.url.set);
      const empty = isGone ? {} : readingEmpty(answer, set.url, learned);
      learned.learn(empty ?? {});
      const { absent } = learned.answers;
      const evidence = [answer];
      if (isGone) return { is: "gone", evidence, settings: settingsOf(absent === undefined ? {} : { absent }) };
      return empty ? { is: "empty", evidence, settings: settingsOf(empty) } : { is: "unread", evidence };
    },
  }),
];

/** The settings by which the list of an emptied set is read as empty; `undefined` if there are none. */
function readingEmpty(answer: Answer, url: PrefixSetUrl, { answers, filled }: Learned): Answers | undefined {
  const path = filled && filled.place.path !== "" ? { path: { prefixset: filled.place.path } } : {};
  const empties = (["{}", ""] as const).map((empty) => ({ empty }));
  const ways: Answers[] = [{}, ...empties, path, ...empties.map((empty) => ({ ...path, ...empty }))];
  return ways.find((way) => elementsIn(answer, url, readPrefixSetList, merged(answers, way))?.length === 0);
}
