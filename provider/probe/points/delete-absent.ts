import { refusalSwitches } from "../asking/refusal";
import { point } from "../point";

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
