import { viewRoutes } from "../page";
import { aboutRoutes } from "./about-routes";
import { behaviourRoutes } from "./behaviour-routes";
import { journalRoutes } from "./journal-routes";
import type { ControlRoute } from "./route";
import { stateRoutes } from "./state-routes";
import { trafficRoutes } from "./traffic-routes";

export { ControlApi } from "./control-api";

/** Every operation of the control API. */
export const ROUTES: readonly ControlRoute[] = [
  ...aboutRoutes,
  ...stateRoutes,
  ...journalRoutes,
  ...behaviourRoutes,
  ...trafficRoutes,
  ...viewRoutes,
];
