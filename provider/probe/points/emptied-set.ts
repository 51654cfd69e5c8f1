import type { PrefixSetUrl } from "../../model/resource-url";
import type { Answers } from "../../wire/answers";
import { readPrefixSetList } from "../../wire/prefix-set-list";
import type { Answer } from "../asking/answer";
import type { Learned } from "../asking/learned";
import { readListed } from "../asking/listing";
import { Skipped } from "../asking/outcome";
import { settingsOf } from "../asking/records";
import { type Point, pointNeeding } from "../point";
import { merged } from "../shapes/answers";

const point = pointNeeding("set");

/** The set once it is empty again. */
export const emptiedSet: readonly Point[] = [
  /** What is listed of the set when its last entry is gone, as the clearing of what was asked before has shown. */
  point({
    name: "emptied-set",
    title: "a set that is emptied",
    assumes: 'it stays, as an empty list; with `absentSet: "empty"` it may vanish',
    settles: ["absentSet", "answers.absent"],
    restsOn: ["entries"],
    ask: async ({ set, learned }) => {
      const { cleared: answer } = learned;
      if (!answer) throw new Skipped("what the set holds is kept");
      const isGone = learned.absentIsEmpty && learned.isLikeUnknown(answer);
      const empty = isGone ? {} : readingEmpty(answer, set.url, learned);
      learned.learn({ known: empty ?? {} });
      return { answer, isGone, empty, absent: learned.known.absent };
    },
    judge: ({ answer, isGone, empty }) => ({
      found: empty === undefined ? "assumed" : "observed",
      node: isGone ? "it is not there any more" : empty ? "an empty list" : "what no setting reads as an empty list",
      evidence: [answer.evidence],
    }),
    settings: ({ isGone, empty = {}, absent }) => ({
      ...(isGone && { absentSet: "empty" as const }),
      ...settingsOf(isGone && absent !== undefined ? { absent } : empty),
    }),
  }),
];

/** What must be set so that a list in which nothing stands is read as empty; `undefined` where no setting does that. */
function readingEmpty(answer: Answer, url: PrefixSetUrl, { answers, filled }: Learned): Answers | undefined {
  const path = filled && filled.place.path !== "" ? { path: { prefixset: filled.place.path } } : {};
  const empties = (["{}", ""] as const).map((empty) => ({ empty }));
  const ways: Answers[] = [{}, ...empties, path, ...empties.map((empty) => ({ ...path, ...empty }))];
  return ways.find((way) => {
    const reading = readListed(answer, url, readPrefixSetList, merged(answers, way));
    return reading.kind === "done" && reading.value.length === 0;
  });
}
