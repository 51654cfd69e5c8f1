import { isObject } from "../../model/json";
import type { ResourceUrl } from "../../model/resource-url";
import { type Answers, LIST_KINDS, type ListFormat, type ListKind } from "../../wire/answers";
import { markerIn } from "../../wire/error-marker";
import { jsonOf } from "../../wire/json";
import { doubtfulMembers } from "../../wire/partial-list";
import { follow, formatFor, isRival, mayBeEmptyList, pathFor, placesIn, WHOLE } from "../../wire/places";
import { fieldsOf, formatsOf, recordsOf } from "../../wire/text-lines";
import { isNoSetting, merged } from "../shapes/answers";
import { type ListPlace, pathsIn, placeOfList } from "../shapes/list-place";
import { type Known, meaningsIn } from "../shapes/names";
import { wordsIn } from "../shapes/status-search";
import { elementsIn, KIND_OF, type ListedAt, type Listing } from "./listing";

/** An answer for which settings are sought. */
interface Puzzle<U extends ResourceUrl = ResourceUrl> extends Listing<U>, Known {
  /** Earlier settings, which stay unless only others read the answer. */
  readonly before: Answers;
}

/**
 * Finds the settings by which the client's own reader reads a list that holds at least one element: none for natural shapes,
 * else a format, a place, names or columns. What they read must be all that the answer can hold. `undefined` if no setting does,
 * or several do: an empty list is the same as a refusal in an unknown form.
 *
 * @param fits True if some settings find the entries that are known to be in it.
 * @returns the list, and the additional settings for it.
 */
export function solve<U extends ResourceUrl>(puzzle: Puzzle<U>, fits = (_: Answers) => true) {
  const { before, url } = puzzle;
  const kind = KIND_OF[url.kind];
  const read = (answers: Answers) => (fits(answers) ? elementsIn<U>(puzzle, answers) : undefined);
  const list = read(before);
  if (list) return { list, known: {} as Answers };
  const solved = new Map<string | undefined, { readonly list: ListedAt<U>; readonly known: Answers }>();
  for (const { base, path, members } of candidates(puzzle)) {
    // One solution for a place is enough; other places may be the right one as well.
    if (solved.has(path)) continue;
    const known = merged(merged(base, path === undefined ? {} : { path: { [kind]: path } }), members);
    const found = read(merged(before, known));
    if (found && found.length > 0) solved.set(path, { list: found, known });
    // Without a path, the client's own reader has judged the places.
    if (path === undefined && solved.has(path)) break;
  }
  const [first, second] = solved.values();
  return first && second === undefined && isAll(puzzle, first.known) ? first : undefined;
}

/** True if nothing in the answer can be a further part of the list that these settings read. */
function isAll({ answer: { body }, url, entries = [] }: Puzzle, known: Answers): boolean {
  const kind = KIND_OF[url.kind];
  const path = pathFor({ answers: { path: known.path }, place: url }, kind);
  // Known entries show which list is the set, and which members stay the same while it grows.
  if (entries.length > 0) return true;
  if (known.ignore !== undefined) return false;
  if (path === undefined) return true;
  const json = jsonOf(body);
  if (path === WHOLE || (kind !== "prefixset" && isRecordItself(json))) return false;
  const list = follow(json, path)?.value;
  const root = Array.isArray(json) ? json[0] : json;
  const others = (isObject(root) ? placesIn(root) : []).filter((place) => follow(root, place.path)?.value !== list);
  return others.every((place) => {
    if (kind === "prefixset" && mayBeEmptyList(place)) return false;
    return !isRival(place.found) || wordsIn(JSON.stringify(follow(root, place.path)?.value)).length === 0;
  });
}

/** Settings to try: format and verdict as `base`, the place, and the meaning of its members. */
function* candidates(puzzle: Puzzle) {
  const { url, before } = puzzle;
  const { body } = puzzle.answer;
  const kind = KIND_OF[url.kind];
  for (const base of bases(puzzle)) {
    const format = formatFor(merged(before, base), kind);
    if (format === "lines" || format === "csv") {
      const rows = { kind: "array", elements: fieldsOf(body, format), members: {} } as const;
      for (const members of [NONE, ...membersOf(puzzle, rows)]) yield { base, path: undefined, members };
      continue;
    }
    const json = format === "ndjson" ? recordsOf(body) : jsonOf(body);
    for (const path of [undefined, ...(format === "json" ? pathsIn(json, url) : [])]) {
      yield { base, path, members: NONE };
      const place = placeOfList(json, kind, path === undefined ? before : { path }, url);
      for (const members of place ? membersOf(puzzle, place) : []) yield { base, path, members };
      const ignore = place ? besideList(json, place, merged(before, base), path !== undefined) : [];
      if (!place || ignore.length === 0) continue;
      const ignoring = merged(base, { ignore });
      for (const members of [NONE, ...membersOf(puzzle, place)]) yield { base: ignoring, path, members };
    }
  }
}

/** Members beside a list that the client refuses, and that say nothing about it if they stay the same while it grows. */
function besideList(json: unknown, place: ListPlace, answers: Answers, isNamed: boolean): string[] {
  const { value: list, within = [] } = place.path === "" ? { value: json } : (follow(json, place.path) ?? {});
  const length = place.kind === "keyed" ? Object.keys(place.members).length : place.elements.length;
  return doubtfulMembers({ within, list, length, isNamed }, answers);
}

function isRecordItself(json: unknown): boolean {
  return (
    isObject(json) && Object.keys(json).some((name) => /^(id|name)$/i.test(name) && typeof json[name] !== "object")
  );
}

const NONE: Answers = {};

function* bases({ answer: { body }, url, before }: Puzzle): Generator<Answers> {
  const kind = KIND_OF[url.kind];
  // A list of one record may look like JSON.
  const isLines = LIST_KINDS.some((one) => formatFor(before, one) === "ndjson");
  if (isLines && formatFor(before, kind) === "json") yield { format: { [kind]: "ndjson" } };
  yield {};
  const code = markerIn(jsonOf(body))?.code;
  const { value } = code ?? {};
  if (code && (typeof value === "number" || typeof value === "string")) {
    yield { success: { list: { member: code.member, values: [value] } } };
  }
  for (const format of formatsOf(body)) {
    if (format !== formatFor(before, kind))
      yield { format: { [kind]: format } satisfies Partial<Record<ListKind, ListFormat>> };
  }
}

function membersOf(puzzle: Puzzle, place: Omit<ListPlace, "path">): Answers[] {
  return meaningsIn(place, KIND_OF[puzzle.url.kind], puzzle).filter((one) => !isNoSetting(one));
}
