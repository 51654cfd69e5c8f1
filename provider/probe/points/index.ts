import type { Point } from "../point";
import { credentials } from "./credentials";
import { emptyList } from "./empty-list";
import { envelope } from "./envelope";
import { markPace } from "./mark-pace";
import { marks } from "./marks";
import { missingTable } from "./missing-table";
import { profiles } from "./profiles";
import { redirect } from "./redirect";
import { rules } from "./rules";
import { setList } from "./set-list";
import { slash } from "./slash";
import { unknown } from "./unknown";
import { userArena } from "./user-arena";

/** All points, in the order in which they are asked: each rests on what those before it found out. */
export const POINTS: readonly Point[] = [
  redirect,
  credentials,
  unknown,
  setList,
  profiles,
  rules,
  slash,
  marks,
  markPace,
  missingTable,
  userArena,
  envelope,
  emptyList,
];
