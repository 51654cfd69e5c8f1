import { point } from "../point";

/** What is answered to a change that was carried out. */
export const success = point({
  name: "success",
  title: "answer to a success",
  needs: "set",
  assumes: "any 2xx without an error in its body",
  finds: ["success"],
  ask: (bench) => bench.sample(),
  judge: ({ insert, commit }) => ({
    found: insert.successForm === undefined ? "assumed" : "observed",
    node: insert.successForm === undefined ? "a form of its own, which is read as a success" : insert.words,
    evidence: [insert.evidence, commit.evidence],
  }),
  dialect: ({ insert }) => ({ success: insert.successForm }),
});
