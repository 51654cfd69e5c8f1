import type { Point } from "../point";
import { connection } from "./connection";
import { entries } from "./entries";
import { listShapes } from "./list-shapes";
import { listTemplates } from "./list-templates";
import { recordLists, setLists } from "./lists";
import { marks } from "./marks";
import { oddRequests } from "./odd-requests";
import { sample } from "./sample";
import { atOnce, sessions } from "./sessions";
import { signaling } from "./signaling";
import { sizes } from "./sizes";
import { emptiedSet, writes } from "./writes";

/**
 * All points, in the order of the requests: each may use the results of earlier ones. A list that holds something known comes
 * first, since every other answer is judged by its difference from it.
 */
export const POINTS: readonly Point[] = [
  ...connection,
  ...setLists,
  ...sample,
  ...emptiedSet,
  ...recordLists,
  ...atOnce,
  ...oddRequests,
  ...marks,
  ...writes,
  ...entries,
  ...sizes,
  ...sessions,
  ...listShapes,
  ...listTemplates,
  ...signaling,
];
