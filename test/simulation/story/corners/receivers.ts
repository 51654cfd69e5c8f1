import type { Random } from "../../world/random";
import { type Course, holder, KEPT, run, WIDE } from "../calm/parts";

export function receivers(random: Random): Course {
  return { turns: [run("up", [holder(random, { [WIDE]: 1, [KEPT]: 2 }, {})])] };
}
