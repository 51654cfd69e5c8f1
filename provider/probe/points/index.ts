import type { Point } from "../point";
import { credentials, redirect } from "./connection";
import { hostBits, ipv6, largestValue, refusedEntry, repeatedEntry } from "./entries";
import { emptyList, envelope } from "./list-shapes";
import { profiles, rules, setList, unknown } from "./lists";
import { markPace, marks, missingTable, userArena } from "./marks";
import { contentEncoding, duplicateMembers, errorForm, slash } from "./odd-requests";
import { commitDelay, entries, listShows, singleAddress, success } from "./sample";
import {
  signalingAddress,
  signalingErrors,
  signalingIpv6,
  signalingOverlap,
  signalingPartial,
  signalingWithin,
  statusDelay,
  statusForm,
  statusWrongSecret,
} from "./signaling";
import { largestBody, mostEntries } from "./sizes";
import { deleteAbsent, deleteCovers, deleteSpelling, emptyCommit, insertExisting, nested, workSet } from "./writes";

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
  deleteSpelling,
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
