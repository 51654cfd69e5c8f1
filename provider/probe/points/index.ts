import type { Point } from "../point";
import { commitDelay } from "./commit-delay";
import { contentEncoding } from "./content-encoding";
import { credentials } from "./credentials";
import { deleteAbsent } from "./delete-absent";
import { deleteCovers } from "./delete-covers";
import { duplicateMembers } from "./duplicate-members";
import { emptyCommit } from "./empty-commit";
import { emptyList } from "./empty-list";
import { entries } from "./entries";
import { envelope } from "./envelope";
import { errorForm } from "./error-form";
import { hostBits } from "./host-bits";
import { insertExisting } from "./insert-existing";
import { ipv6 } from "./ipv6";
import { largestBody } from "./largest-body";
import { largestValue } from "./largest-value";
import { listShows } from "./list-shows";
import { markPace } from "./mark-pace";
import { marks } from "./marks";
import { missingTable } from "./missing-table";
import { mostEntries } from "./most-entries";
import { nested } from "./nested";
import { profiles } from "./profiles";
import { redirect } from "./redirect";
import { refusedEntry } from "./refused-entry";
import { repeatedEntry } from "./repeated-entry";
import { rules } from "./rules";
import { setList } from "./set-list";
import { signalingAddress } from "./signaling-address";
import { signalingErrors } from "./signaling-errors";
import { signalingIpv6 } from "./signaling-ipv6";
import { signalingOverlap } from "./signaling-overlap";
import { signalingPartial } from "./signaling-partial";
import { signalingWithin } from "./signaling-within";
import { singleAddress } from "./single-address";
import { slash } from "./slash";
import { statusDelay } from "./status-delay";
import { statusForm } from "./status-form";
import { statusWrongSecret } from "./status-wrong-secret";
import { success } from "./success";
import { unknown } from "./unknown";
import { userArena } from "./user-arena";
import { workSet } from "./work-set";

/** All points, in the order in which they are asked: each rests on what those before it found out. */
export const POINTS: readonly Point[] = [
  redirect,
  credentials,
  unknown,
  setList,
  profiles,
  rules,
  slash,
  duplicateMembers,
  contentEncoding,
  marks,
  markPace,
  missingTable,
  userArena,
  workSet,
  errorForm,
  emptyCommit,
  entries,
  singleAddress,
  listShows,
  commitDelay,
  success,
  insertExisting,
  deleteAbsent,
  refusedEntry,
  repeatedEntry,
  hostBits,
  ipv6,
  largestValue,
  nested,
  deleteCovers,
  largestBody,
  mostEntries,
  envelope,
  emptyList,
  signalingErrors,
  statusWrongSecret,
  statusDelay,
  signalingIpv6,
  signalingWithin,
  statusForm,
  signalingAddress,
  signalingOverlap,
  signalingPartial,
];
