import { point } from "../point";

/** Whether a list shows what waits for a commit. */
export const listShows = point({
  name: "list-shows",
  title: "a list before the commit",
  needs: "set",
  assumes: "either; what counts is the list after the commit",
  finds: ["listShows"],
  ask: (bench) => bench.sample(),
  judge: ({ listShows, before }) => ({
    node: listShows === "staged" ? "shows what waits" : "shows applied entries only",
    evidence: [before.evidence],
    ...(listShows === "staged" && {
      advice: "`foreignStaged` can look for what others have staged before each commit",
    }),
  }),
  dialect: ({ listShows }) => ({ listShows }),
});
