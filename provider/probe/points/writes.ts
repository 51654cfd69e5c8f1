import type { PrefixSetUrl } from "../../model/resource-url";
import { some } from "../../model/text";
import type { Answers } from "../../wire/answers";
import { type Answer, switchesOf } from "../asking/answer";
import type { Learned } from "../asking/learned";
import { elementsIn } from "../asking/listing";
import { Skipped } from "../asking/outcome";
import { MEASURED, measured, type Point, pointNeeding } from "../point";
import { merged } from "../shapes/answers";
import { placeOfList } from "../shapes/list-place";
import { change, errorOrSuccess, judged, prefixesOf, VERDICTS } from "./change";
import { settingsOf } from "./records";

const point = pointNeeding("set", "entries");

/** Inserts of existing entries, and deletes of missing ones. */
export const writes: readonly Point[] = [
  change({
    name: "insert-existing",
    title: "insert of an existing entry",
    assumes: "the new value holds; after a refusal the entry is deleted and inserted before one commit",
    holds: [["192.0.2.0/24", 1]],
    inserts: [["192.0.2.0/24", 2]],
    asked: "insert of an existing entry",
    refusal: "exists",
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
    is: ({ list, shown, isFine, bench: { learned } }) => {
      const [entry, ...more] = list();
      const isNew = entry?.value === 2;
      if (entry === undefined || more.length > 0 || shown !== isNew)
        return ["other", `it is listed as ${some(prefixesOf(list()))}`];
      if (!isFine && shown) return "both";
      // An answer unlike a success, without an effect, is an error, also in a form that no client knows.
      learned.insertExisting = isFine ? (shown ? "overwrite" : "ignored") : "error";
      return learned.insertExisting;
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
    assumes: "an empty array, or null in an envelope; `{}`, no body and a set that vanishes only by settings",
    outcomes: {
      gone: { as: "setting", node: "it vanishes", settings: measured(["answers.absent"]) },
      empty: {
        as: "setting",
        node: "an empty list",
        settings: measured(["answers.empty", "answers.path.prefixset"]),
        dialect: { emptyList: MEASURED },
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
      if (!empty) return { is: "unread", node: answer.quote, evidence };
      return () => {
        const place = placeOfList(answer.json, "prefixset", learned.answers, set.url);
        const isNull = place?.kind === "null" || learned.emptyRecords?.kind === "null";
        const own = place?.kind === "array" && learned.places.prefixset?.kind === "keyed" ? "array" : "own";
        const node = answer.isEmpty ? "no body" : answer.quote;
        return {
          is: "empty",
          node,
          evidence,
          settings: settingsOf(empty),
          dialect: { emptyList: isNull ? "null" : own },
        };
      };
    },
  }),
];

/** The settings by which the list of an emptied set is read as empty; `undefined` if there are none. */
function readingEmpty(answer: Answer, url: PrefixSetUrl, { answers, places }: Learned): Answers | undefined {
  const { path: listed = "" } = places.prefixset ?? {};
  const path = listed === "" ? {} : { path: { prefixset: listed } };
  const empties = (["{}", ""] as const).map((empty) => ({ empty }));
  const ways: Answers[] = [{}, ...empties, path, ...empties.map((empty) => ({ ...path, ...empty }))];
  return ways.find((way) => elementsIn({ answer, url }, merged(answers, way))?.length === 0);
}
