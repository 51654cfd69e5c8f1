import type { ControlRoute } from "../control/route";
import { journalViewRoutes } from "./journal-view";
import { markViewRoute } from "./mark-view";
import { overviewRoute } from "./overview";
import { setViewRoute } from "./set-view";

export { pageFile } from "./static-files";

/** Short summaries of what may be long: what the page asks every second. */
export const viewRoutes: readonly ControlRoute[] = [overviewRoute, setViewRoute, markViewRoute, ...journalViewRoutes];
