import type { PrefixSetUrl } from "../../model/resource-url";
import { some } from "../../model/text";
import type { Answers } from "../../wire/answers";
import { type Answer, refusalSwitches } from "../asking/answer";
import type { Learned } from "../asking/learned";
import { elementsIn } from "../asking/listing";
import { Skipped } from "../asking/outcome";
import { type Point, pointsNeeding } from "../point";
import { merged } from "../shapes/answers";
import { placeOfList } from "../shapes/list-place";
import { change, errorOrSuccess, prefixesOf, VERDICTS } from "./change";
import { settingsOf } from "./records";

const points = pointsNeeding("set", "entries");

/** Inserts of existing entries, and deletes of missing ones. */
export const writes: readonly Point[] = points(
  change({
    name: "insert-existing",
    title: "insert of an existing entry",
    assumes: "the new value holds; after a refusal the entry is deleted and inserted before one commit",
    settles: ["insertExisting", ...VERDICTS],
    holds: [["192.0.2.0/24", 1]],
    inserts: [["192.0.2.0/24", 2]],
    asked: "insert of an existing entry",
    judge: ({ list, shown, isFine, answer, settings, bench: { learned } }) => {
      const [entry, ...more] = list();
      if (entry === undefined || more.length > 0 || shown !== (entry.value === 2))
        return { is: "other", as: "beyond", node: `it is listed as ${some(prefixesOf(list()))}` };
      if (!isFine && shown) return { is: "both", as: "beyond", node: "an error, and the new value holds" };
      // An answer unlike a success, without an effect, is an error, also in a form that no client knows.
      const is = isFine ? (shown ? "overwrite" : "ignored") : "error";
      learned.insertExisting = is;
      const dialect = { insertExisting: is };
      if (is === "overwrite") return { is, as: "contract", node: "gives it the new value", dialect };
      const common = { is, as: "setting", settings: { insertExisting: is, ...settings } } as const;
      if (is === "ignored") return { ...common, node: "success, and the old value stays", dialect };
      const refusal = answer.isRefusal && refusalSwitches("exists", answer);
      return { ...common, node: "an error", dialect: { ...dialect, ...refusal } };
    },
  }),
  {
    name: "delete-absent",
    title: "delete of a missing entry",
    assumes: "sent only for entries that are listed or in doubt; an error is not a failure",
    ask: async (bench) => {
      const { set, verdicts } = bench;
      const answer = await set.delete(["203.0.113.0/24"], "delete of a missing entry");
      const is = verdicts.judge("delete", answer);
      if (is === "refused") await bench.confirmRefusal();
      return errorOrSuccess("deleteAbsent", "absent", answer, is);
    },
  },
);

/** The set after its last entry was removed. */
export const emptiedSet: readonly Point[] = points({
  name: "emptied-set",
  title: "a set that is emptied",
  assumes: "an empty array, or null in an envelope; `{}`, no body and a set that vanishes only by settings",
  settles: ["answers.absent", "answers.empty", "answers.path.prefixset"],
  ask: async ({ set, learned }) => {
    const { cleared: answer } = learned;
    if (!answer) throw new Skipped("the entries of the set are kept");
    const isGone = learned.absentIsEmpty && learned.isLikeUnknown(answer, set.url.set);
    const empty = isGone ? {} : readingEmpty(answer, set.url, learned);
    learned.record(empty ?? {});
    const { absent } = learned.answers;
    const evidence = [answer];
    const settings = settingsOf(isGone && absent !== undefined ? { absent } : (empty ?? {}));
    if (isGone) return { is: "gone", as: "setting", node: "it vanishes", evidence, settings };
    if (!empty) return { is: "unread", as: "beyond", node: answer.quote, evidence };
    return () => {
      const place = placeOfList(answer.json, "prefixset", learned.answers, set.url);
      const isNull = place?.kind === "null" || learned.emptyRecords?.kind === "null";
      const own = place?.kind === "array" && learned.places.prefixset?.kind === "keyed" ? "array" : "own";
      const node = answer.isEmpty ? "no body" : answer.quote;
      const dialect = { emptyList: isNull ? "null" : own };
      return { is: "empty", as: "setting", node, evidence, settings, dialect };
    };
  },
});

/** The settings by which the list of an emptied set is read as empty; `undefined` if there are none. */
function readingEmpty(answer: Answer, url: PrefixSetUrl, { answers, places }: Learned): Answers | undefined {
  const { path: listed = "" } = places.prefixset ?? {};
  const path = listed === "" ? {} : { path: { prefixset: listed } };
  const empties = (["{}", ""] as const).map((empty) => ({ empty }));
  const ways: Answers[] = [{}, ...empties, path, ...empties.map((empty) => ({ ...path, ...empty }))];
  return ways.find((way) => elementsIn({ answer, url }, merged(answers, way))?.length === 0);
}
