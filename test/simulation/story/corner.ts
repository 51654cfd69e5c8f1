import type { Door, Scenario } from "../scenario";
import { Random } from "../world/random";
import { type Course, worldOf } from "./calm/parts";
import { leavers } from "./corners/leavers";
import { limits } from "./corners/limits";
import { receivers } from "./corners/receivers";
import { values } from "./corners/values";

/** Subjects of these worlds, one after the other. */
const ABOUT: readonly ((random: Random) => Course)[] = [limits, values, leavers, receivers];

/** A small world about one situation that the drawn ones never meet: arguments, settings and events that take several others to matter. */
export function corner(seed: number): Scenario {
  const random = new Random(seed).fork("corner");
  const about = ABOUT[seed % ABOUT.length] as (random: Random) => Course;
  return worldOf(seed, random.pick<Door>(["dynamic", "plugin"]), about(random));
}
