import type { ControlRoute } from "../control/route";
import { faultViewRoute } from "./fault-view";
import { journalViewRoutes } from "./journal-view";
import { markHistoryRoute } from "./mark-history-view";
import { markViewRoute } from "./mark-view";
import { overviewRoute } from "./overview";
import { setViewRoute } from "./set-view";

/** What only the page asks: short summaries of what may be long, and what its forms are made of. */
export const viewRoutes: readonly ControlRoute[] = [
  overviewRoute,
  setViewRoute,
  markViewRoute,
  markHistoryRoute,
  ...journalViewRoutes,
  faultViewRoute,
];
