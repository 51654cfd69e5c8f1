import type { Point } from "../point";
import { connection } from "./connection";
import { entries } from "./entries";
import { listShapes } from "./list-shapes";
import { lists } from "./lists";
import { marks } from "./marks";
import { matching } from "./matching";
import { oddRequests } from "./odd-requests";
import { sample } from "./sample";
import { atOnce, sessions } from "./sessions";
import { signaling } from "./signaling";
import { sizes } from "./sizes";
import { emptiedSet, writes } from "./writes";

/** All points, in the order of the requests: each may use the results of earlier ones. */
export const POINTS: readonly Point[] = [
  ...connection,
  ...atOnce,
  ...lists,
  ...oddRequests,
  ...marks,
  ...sample,
  ...emptiedSet,
  ...writes,
  ...entries,
  ...matching,
  ...sizes,
  ...sessions,
  ...listShapes,
  ...signaling,
];
