import { DEFAULTS } from "../../client/options";
import { Skipped } from "../asking/outcome";
import { point } from "../point";

/**
 * Between what the pace of lists of marks is kept. Lists of different tables follow each other at once, as the contract
 * lets them; lists of one table never do, so that a node which refuses those looks like one that does not mind.
 */
export const markPace = point({
  name: "mark-pace",
  title: "pace of lists of marks",
  needs: "lists",
  assumes: "3 s from the end of one list of a table to the start of its next",
  finds: ["markPace"],
  ask: async ({ tables }) => {
    const all = await tables.all();
    if (all.length < 2) throw new Skipped("no profile is named, and none is listed");
    return { waited: tables.waited, count: all.length };
  },
  judge: ({ waited, count }) =>
    waited > 0
      ? { node: `lists of different tables are refused, too: it asked to wait ${waited} ms` }
      : { found: "assumed", node: `${count} tables were listed one after the other, and none was refused` },
  settings: ({ waited }) =>
    waited > 0 ? { markPace: "node", ...(waited > DEFAULTS.markPauseMs && { markPauseMs: waited }) } : {},
  dialect: ({ waited }) => (waited > 0 ? { markPace: "node" } : {}),
});
