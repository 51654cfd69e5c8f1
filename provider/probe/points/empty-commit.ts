import { refusalSwitches } from "../asking/refusal";
import { point } from "../point";

/** A commit with nothing staged. */
export const emptyCommit = point({
  name: "empty-commit",
  title: "commit of nothing",
  needs: "set",
  assumes: "success, whatever the node says",
  finds: ["emptyCommit", "nothingStagedStatus", "nothingStagedForm"],
  ask: async ({ set }) => {
    const answer = await set.commit("commit of nothing");
    // What somebody else had staged has just been published, if there was anything: no entry of ours may follow.
    await set.entries();
    return answer;
  },
  judge: (answer) => ({ node: answer.isRefusal ? "an error" : "success", evidence: [answer.evidence] }),
  dialect: (answer) =>
    answer.isRefusal
      ? { emptyCommit: "error", ...refusalSwitches("nothingStaged", answer) }
      : { emptyCommit: "success" },
});
