import { isObject } from "../../model/json";
import type { ResourceUrl } from "../../model/resource-url";
import { type Answers, LIST_KINDS, type ListFormat, type ListKind } from "../../wire/answers";
import { doubtfulBeside } from "../../wire/beside";
import { markerIn } from "../../wire/error-marker";
import { jsonOf } from "../../wire/json";
import { follow, forKind, formatFor, listCandidate, mayBeEmptyList, WHOLE } from "../../wire/places";
import { fieldsOf, formatsOf, recordsOf } from "../../wire/text-lines";
import { isNoSetting, type Lesson, merged } from "./answers";
import type { KnownEntry } from "./entry-shape";
import { type ListPlace, pathsIn, placeOfList } from "./list-place";
import { namesIn } from "./name-guesses";
import { columnsIn } from "./rows";

/** An answer for which settings are sought. */
export interface Puzzle {
  readonly body: string;
  readonly url: ResourceUrl;
  readonly kind: ListKind;
  /** Earlier settings, which stay unless only others read the answer. */
  readonly before: Answers;
  /** Entries that are known to be in it, and names of profiles. */
  readonly entries?: readonly KnownEntry[];
  readonly names?: readonly string[];
}

/** A list that was read, and the additional settings for it. */
export interface Solution<T> extends Lesson {
  readonly list: readonly T[];
}

/**
 * Finds the settings by which the client's own reader reads a list: none for natural shapes, else a format, a place, names or
 * columns. `undefined` if no setting does.
 *
 * @param read Reads the answer by some settings; `undefined` if they do not find the entries that are known to be in it.
 */
export function solve<T>(
  puzzle: Puzzle,
  read: (answers: Answers) => readonly T[] | undefined,
): Solution<T> | undefined {
  const { before, kind } = puzzle;
  const list = read(before);
  if (list) return { list, known: {}, guessed: {} };
  const solved: Solution<T>[] = [];
  const paths = new Set<string | undefined>();
  for (const { base, path, members } of candidates(puzzle)) {
    // One solution for a place is enough; other places may be the right one as well.
    if (paths.has(path)) continue;
    const settings = merged(base, path === undefined ? {} : { path: { [kind]: path } });
    const known = merged(settings, members.known);
    const found = read(merged(before, merged(members.guessed, known)));
    if (!found || (found.length === 0 && base.success !== undefined)) continue;
    solved.push({ list: found, known, guessed: members.guessed });
    paths.add(path);
  }
  const isOne = kind !== "prefixset" && isRecordItself(puzzle.body);
  const [first, second] = [
    ...solved.filter(({ list }) => list.length > 0),
    ...solved.filter(({ list }) => list.length === 0),
  ];
  if (first?.known.path === undefined) return first;
  const isDoubtful =
    second !== undefined && (second.list.length > 0 || first.list.length === 0 || couldBeSet(puzzle, second));
  if (!isDoubtful && !isOne && forKind(first.known.path, kind) !== WHOLE) return first;
  // A guess: one of two lists, one record that may be a list in lines, or a map by name.
  const likeliest = isDoubtful && kind === "prefixset" ? (solved[0] ?? first) : first;
  const { path, ...known } = likeliest.known;
  return { ...likeliest, known, guessed: merged(likeliest.guessed, { path }) };
}

/** True for an empty list that may be the applied entries, beside the staged ones. */
function couldBeSet({ kind, body }: Puzzle, { known }: Lesson): boolean {
  const path = forKind(known.path, kind) ?? "";
  const found = kind === "prefixset" ? listCandidate(follow(jsonOf(body), path)?.value) : undefined;
  return found !== undefined && mayBeEmptyList({ found, path });
}

/** Settings to try: format and verdict as `base`, the place, and the meaning of its members. */
function* candidates(puzzle: Puzzle) {
  const { body, kind, url, before } = puzzle;
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
  return doubtfulBeside({ within, list, length, isNamed }, answers);
}

function isRecordItself(body: string): boolean {
  const json = jsonOf(body);
  return (
    isObject(json) && Object.keys(json).some((name) => /^(id|name)$/i.test(name) && typeof json[name] !== "object")
  );
}

const NONE: Lesson = { known: {}, guessed: {} };

function* bases({ body, kind, before }: Puzzle): Generator<Answers> {
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

function membersOf(puzzle: Puzzle, place: Omit<ListPlace, "path">): Lesson[] {
  const { kind, entries = [], names = [] } = puzzle;
  const rows = place.elements.filter(Array.isArray);
  const isKeyed = place.kind === "keyed";
  const records = (isKeyed ? Object.values(place.members) : place.elements).filter(isObject);
  const shape = isKeyed ? "keyed" : "records";
  // Tables of marks have columns together, see `columnsOfMarks`.
  const ofRows = () => (kind === "marks" ? [] : columnsIn(rows, kind, { entries, names }));
  const lessons = rows.length > 0 ? ofRows() : namesIn({ shape, records, kind, entries, names });
  return lessons.filter(({ known, guessed }) => !isNoSetting(known) || !isNoSetting(guessed));
}
