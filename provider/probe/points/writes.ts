import type { PrefixSetUrl } from "../../model/resource-url";
import { some } from "../../model/text";
import type { Answers } from "../../wire/answers";
import { readPrefixSetList } from "../../wire/prefix-set-list";
import { type Answer, errorOrSuccess, refusalSwitches, switchesOf } from "../asking/answer";
import type { Learned } from "../asking/learned";
import { elementsIn } from "../asking/listing";
import { Skipped } from "../asking/outcome";
import { type Point, pointNeeding } from "../point";
import { merged } from "../shapes/answers";
import { settingsOf } from "./records";

const point = pointNeeding("set", "entries");

/** Inserts of existing entries, and deletes of missing ones. */
export const writes: readonly Point[] = [
  point({
    name: "insert-existing",
    title: "insert of an existing entry",
    assumes: "the new value holds; after a refusal the entry is deleted and inserted before one commit",
    finds: ["insertExisting", ...switchesOf("exists")],
    settles: ["insertExisting", "answers.success", "answers.failure"],
    ask: async (bench) => {
      const { set, learned } = bench;
      await set.hold([["192.0.2.0/24", 1]]);
      const answer = await set.insert([["192.0.2.0/24", 2]], "insert of an existing entry");
      const isNew = (list: typeof answer) => !set.isClear(list) && set.read(list).some(({ value }) => value === 2);
      const { list, shown } = await set.committed(isNew, bench.briefly);
      const evidence = [answer, list];
      const [entry, ...more] = set.read(list);
      if (entry === undefined || more.length > 0 || (entry.value !== 1 && !shown))
        return () => ({
          node: `it is listed as ${some(set.read(list).map(({ spelling }) => spelling))}`,
          evidence,
          beyond: true,
        });
      // An answer unlike a success, without an effect, is an error, also in a form that no client knows.
      const isError = bench.verdicts.judge("insert", answer) !== "success";
      if (isError && !shown) bench.verdicts.failed(answer);
      const settings = settingsOf(bench.verdicts.learn());
      if (isError && shown) return () => ({ node: "an error, and the new value holds", evidence, beyond: true });
      learned.insertExisting = isError ? "error" : shown ? "overwrite" : "ignored";
      const insertExisting = learned.insertExisting;
      const dialect = { insertExisting, ...(answer.isRefusal && refusalSwitches("exists", answer)) };
      if (insertExisting === "overwrite") return () => ({ node: "gives it the new value", evidence, dialect });
      const node = { error: "an error", ignored: "success, and the old value stays" }[insertExisting];
      return () => ({ node, evidence, settings: { ...settings, insertExisting }, dialect });
    },
  }),
  point({
    name: "delete-absent",
    title: "delete of a missing entry",
    assumes: "sent only for entries that are listed or in doubt; an error is not a failure",
    finds: ["deleteAbsent", ...switchesOf("absent")],
    ask: async ({ set, learned, verdicts }) => {
      const answer = await set.delete(["203.0.113.0/24"], "delete of a missing entry");
      const is = verdicts.judge("delete", answer);
      learned.deleteAbsent = is === "success" ? "success" : "error";
      return () => errorOrSuccess("deleteAbsent", answer, "absent", is);
    },
  }),
];

/** The set after its last entry was removed. */
export const emptiedSet: readonly Point[] = [
  point({
    name: "emptied-set",
    title: "a set that is emptied",
    assumes: "it stays, as an empty list; with `answers.absent` it may vanish",
    settles: ["answers.absent"],
    ask: async ({ set, learned }) => {
      const { cleared: answer } = learned;
      if (!answer) throw new Skipped("the entries of the set are kept");
      const isGone = learned.absentIsEmpty && learned.isLikeUnknown(answer, set.url.set);
      const empty = isGone ? {} : readingEmpty(answer, set.url, learned);
      learned.learn({ known: empty ?? {} });
      const { absent } = learned.known;
      return () => ({
        found: empty === undefined ? "assumed" : "observed",
        node: isGone ? "it vanishes" : empty ? "an empty list" : "an answer that no setting reads as an empty list",
        evidence: [answer],
        settings: settingsOf(isGone && absent !== undefined ? { absent } : (empty ?? {})),
      });
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
