import { refusalSwitches } from "../asking/refusal";
import { type Point, pointNeeding } from "../point";

const point = pointNeeding("set");

/** Writes of what is there already, or is not. */
export const writes: readonly Point[] = [
  point({
    name: "insert-existing",
    title: "insert of what is there",
    assumes: "the new value holds; where it is refused, delete and insert follow each other before one commit",
    finds: ["insertExisting", "existsStatus", "existsForm"],
    restsOn: ["entries"],
    ask: async (bench) => {
      const { set, learned } = bench;
      await set.hold([["192.0.2.0/24", 1]]);
      const answer = await set.insert([["192.0.2.0/24", 2]], "insert of what is there");
      if (answer.isRefusal) {
        learned.insertExisting = "error";
        return { answer, does: "error" as const };
      }
      const isNew = (list: typeof answer) => !set.isClear(list) && set.read(list).some(({ value }) => value === 2);
      const { list, shown } = await set.committed(isNew, bench.briefly);
      learned.insertExisting = shown ? "overwrite" : "ignored";
      return { answer, list, does: learned.insertExisting };
    },
    judge: ({ answer, list, does }) => ({
      node: { error: "an error", overwrite: "gives it the new value", ignored: "success, and the old value stays" }[
        does
      ],
      evidence: [answer.evidence, ...(list ? [list.evidence] : [])],
      ...(does === "ignored" && { advice: "values of entries that are there cannot be changed: delete them first" }),
    }),
    dialect: ({ answer, does }) =>
      does === "error"
        ? { insertExisting: "error", ...refusalSwitches("exists", answer) }
        : { insertExisting: does === "overwrite" ? "overwrite" : undefined },
  }),
  point({
    name: "delete-absent",
    title: "delete of what is absent",
    assumes: "sent only for what is listed or in doubt; an error is no failure",
    finds: ["deleteAbsent", "absentStatus", "absentForm"],
    restsOn: ["entries"],
    ask: async ({ set, learned }) => {
      const answer = await set.delete(["203.0.113.0/24"], "delete of what is absent");
      learned.deleteAbsent = answer.isRefusal ? "error" : "success";
      return answer;
    },
    judge: (answer) => ({ node: answer.isRefusal ? "an error" : "success", evidence: [answer.evidence] }),
    dialect: (answer) =>
      answer.isRefusal ? { deleteAbsent: "error", ...refusalSwitches("absent", answer) } : { deleteAbsent: "success" },
  }),
];
