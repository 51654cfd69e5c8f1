import { point } from "../point";

/** How long after its answer a commit shows. */
export const commitDelay = point({
  name: "commit-delay",
  title: "delay of a commit",
  needs: "set",
  assumes: "lists until the result shows, up to `deadlineMs`",
  finds: ["commitDelay"],
  ask: (bench) => bench.sample(),
  judge: ({ listShows, delayMs }) =>
    listShows === "staged"
      ? { found: "assumed", node: "cannot be seen, since lists show what waits" }
      : { node: delayMs === 0 ? "the next list shows it" : `shown after ${Math.round(delayMs)} ms` },
  dialect: ({ listShows, delayMs }) => (listShows === "staged" ? {} : { commitDelay: Math.round(delayMs) }),
});
