import { isObject, type JsonObject } from "../model/json";
import type { Answers, Columns, ListKind, NodeHabits, ReceiverAnswers } from "./answers";
import { doubtIn } from "./error-marker";
import { describe, isNothing, ShapeError, sketch } from "./json";
import { ABOUT_PAGES, refusePartial, refusePartialHeaders } from "./partial-list";
import {
  appliedFirst,
  follow,
  forKind,
  isNothingApplied,
  isRival,
  type ListCandidate,
  listCandidate,
  type Place,
  pathFor,
  placesIn,
  WHOLE,
} from "./places";
import { describedBy, emptyRemedy, ignoreRemedy } from "./remedies";
import { recordOf } from "./rows";

/** The list in an answer: elements in their order, or records by address. */
export type ListInAnswer = Extract<ListCandidate, { kind: "array" | "keyed" }>;

const NOTHING: ListInAnswer = { kind: "array", elements: [] };

/**
 * Finds the list in an answer: a bare array; the only array, null or object keyed by address under natural names, nested at
 * will; a whole answer keyed by address; or the value at the place in the settings. Anything else is refused with its shape
 * and with the setting that would read it, and **never** taken for an empty list.
 *
 * `{}` is an empty list if the settings declare it, or if this node listed a keyed object at that place before.
 *
 * @throws {ShapeError} also if two lists compete, if the answer reports that it is only a part, and if the list is longer
 * than `maxListRecords`.
 */
export function findList(json: unknown, kind: ListKind, habits: NodeHabits): ListInAnswer {
  const list = withColumns(locate(json, kind, habits), kind, habits);
  const { maxListRecords = Number.POSITIVE_INFINITY } = habits;
  const size = sizeOf(list);
  if (size <= maxListRecords) return list;
  throw new ShapeError(
    `the list has ${size} records, and \`maxListRecords\` allows ${maxListRecords}`,
    "Raise it if so many are expected.",
  );
}

function unknownShape(json: unknown, more?: string): ShapeError {
  const isNested = typeof json === "object" && json !== null && Object.keys(json).length > 0;
  const facts = [`the answer is ${describe(json)}`, more, isNested && `its shape is ${sketch(json)}`];
  return new ShapeError(
    facts.filter((part) => typeof part === "string").join("; "),
    isNested ? describedBy("path") : undefined,
  );
}

/** Error for two lists, one of which may be the right one. */
export function competing(one: Place, two: Place): ShapeError {
  const [first, second] = [one, two].toSorted((a, b) => appliedFirst(a.path, b.path)).map(({ path }) => `"${path}"`);
  return new ShapeError(
    `both ${first} and ${second} are lists`,
    `Name the right one: answers.path: ${first} or answers.path: ${second}.`,
  );
}

/** Makes records of elements that are arrays, if the settings name their fields. */
function withColumns(list: ListInAnswer, kind: ListKind, { answers }: NodeHabits): ListInAnswer {
  const columns = forKind<Columns>(answers?.columns, kind);
  if (columns === undefined || list.kind !== "array") return list;
  return {
    kind: "array",
    elements: list.elements.map((element) => (Array.isArray(element) ? recordOf(element, columns, kind) : element)),
  };
}

function locate(json: unknown, kind: ListKind, habits: NodeHabits): ListInAnswer {
  const path = pathFor(habits, kind);
  if (path !== undefined) return atPath(json, path, kind, habits);
  const root = listCandidate(json);
  const whole = root?.kind === "null" ? undefined : listAt("", root, json, habits);
  if (whole) return whole;
  if (root !== undefined || !isObject(json)) throw unknownShape(json);
  // Erlang's empty list is an empty text in JSON.
  if (json.ok === "" && Object.keys(json).length === 1 && habits.answers?.empty === "") return NOTHING;

  const places = placesIn(json);
  const natural = places.filter(({ isNatural }) => isNatural);
  const lists = natural.filter(({ found }) => found.kind === "array" || found.kind === "keyed");
  const isOther = (place: Place) => isRival(place.found) || (kind === "prefixset" && isNothingApplied(place));
  const rivals = places.filter((other) => !lists.includes(other) && isOther(other));
  const [one, two] = [...lists, ...rivals];
  if (one && two) throw competing(one, two);
  const [nothing, ...more] = natural.filter(({ found }) => found.kind === "null" || found.kind === "hollow");
  const place = lists[0] ?? (rivals.length + more.length > 0 ? undefined : nothing);
  if (place) {
    const size = sizeOf(place.found);
    refuseMore(json, place.within, habits.answers);
    refusePartial({ within: place.within, list: contentOf(place.found), length: size }, habits.answers);
    if (size === 0) refuseUntold(place, habits);
    const list = listAt(place.path, place.found, json, habits);
    if (list) return list;
  }
  throw unknownShape(json);
}

function atPath(json: unknown, path: string, kind: ListKind, habits: NodeHabits): ListInAnswer {
  const place = follow(json, path);
  if (place === undefined) {
    const root = listCandidate(json);
    // The setting may be meant for other kinds of lists, and a bare array cannot be mistaken.
    if (root?.kind === "array") return root;
    if (root?.kind === "hollow" && isEmptyAt("", habits)) return NOTHING;
    throw unknownShape(json, `nothing stands at ${JSON.stringify(path)} in it`);
  }
  refuseSiblings(json, path, habits);
  const { value, within } = place;
  // Erlang's empty list is an empty text in JSON.
  const isEmptyText = value === "" && habits.answers?.empty === "";
  const found = isEmptyText ? NOTHING : listCandidate(value);
  refuseMore(json, within, habits.answers);
  const isKeyedByName = (kind === "profiles" || kind === "rules") && isObject(value);
  const length = isKeyedByName && found?.kind !== "keyed" ? Object.keys(value).length : sizeOf(found);
  refusePartial({ within, list: value, length, isNamed: true }, habits.answers);
  if (sizeOf(found) === 0) refuseUntold({ within, path }, habits);
  const list = listAt(path, found, json, habits) ?? numberedRows(value);
  if (list) return list;
  // Profiles may be keyed by name and rules by id; only the setting distinguishes such keys from other members.
  if ((kind === "profiles" || kind === "rules") && isObject(value) && Object.values(value).every(isObject)) {
    return { kind: "keyed", members: value };
  }
  throw unknownShape(json, `at ${JSON.stringify(path)} in it is ${describe(value)}`);
}

/** Rows keyed by their numbers from 0 without a gap, at a place that the settings name. */
function numberedRows(value: unknown): ListInAnswer | undefined {
  if (!isObject(value)) return undefined;
  // JavaScript sorts members that are numbers.
  const isRow = (name: string, index: number) => name === String(index);
  return Object.keys(value).every(isRow) ? { kind: "array", elements: Object.values(value) } : undefined;
}

/** Refuses one element of an array, as in `0.data`, whose neighbours hold such lists as well: they may be further parts. */
function refuseSiblings(json: unknown, path: string, { answers }: NodeHabits): void {
  const ignored = new Set(answers?.ignore);
  const names = path.split(".");
  for (const [depth, name] of names.entries()) {
    if (!/^\d+$/.test(name)) continue;
    const outer = names.slice(0, depth).join(".");
    const array = follow(json, outer || WHOLE)?.value;
    for (const [at, element] of Array.isArray(array) ? array.entries() : []) {
      const own = [...names.slice(0, depth), at, ...names.slice(depth + 1)].join(".");
      const found = listCandidate(follow(element, names.slice(depth + 1).join(".") || WHOLE)?.value);
      if (String(at) === name || ignored.has(own) || found === undefined || !isRival(found)) continue;
      throw new ShapeError(`a list stands at ${JSON.stringify(own)}, too`, ignoreRemedy(answers, own));
    }
  }
}

/** The list at a place; `undefined` for anything else. Remembers the places of objects that are keyed by address. */
function listAt(path: string, found: ListCandidate | undefined, json: unknown, habits: NodeHabits) {
  if (found?.kind === "keyed") habits.keyedPlaces?.add(path);
  if (found?.kind === "array" || found?.kind === "keyed") return found;
  if (found?.kind === "null") return NOTHING;
  if (found?.kind !== "hollow") return undefined;
  if (isEmptyAt(path, habits)) return NOTHING;
  throw new ShapeError(
    path === "" ? "the answer is an empty object" : `the answer is ${describe(json)}, and "${path}" is an empty object`,
    `If this is how the node answers an empty list, set answers.empty: "{}".`,
  );
}

function isEmptyAt(path: string, { answers, keyedPlaces }: NodeHabits): boolean {
  return answers?.empty !== undefined || keyedPlaces?.has(path) === true;
}

/** Refuses an empty list beside words or a verdict of failure: some nodes wrap errors as they wrap lists. */
function refuseUntold({ within, path }: Pick<Place, "within" | "path">, { isSuccess }: NodeHabits): void {
  const doubt = isSuccess ? undefined : doubtIn(within, path);
  if (doubt === undefined) return;
  throw new ShapeError(`nothing is listed, and beside it stands ${doubt.text}`, emptyRemedy(doubt));
}

/** The value in which a list was found. */
function contentOf(found: ListCandidate): unknown {
  if (found.kind === "array") return found.elements;
  return found.kind === "keyed" ? found.members : undefined;
}

function sizeOf(found: ListCandidate | undefined): number {
  if (found?.kind === "array") return found.elements.length;
  return found?.kind === "keyed" ? Object.keys(found.members).length : 0;
}

/** Refuses a list of which the member in `answers.more` reports that it continues. In an array, the member may stand in the object around the list. */
export function refuseMore(
  json: unknown,
  within: readonly JsonObject[],
  answers: Answers | ReceiverAnswers | undefined,
): void {
  const more = answers && "more" in answers ? answers.more : undefined;
  if (more === undefined || !("member" in more)) return;
  if (![json, within[0]].some((root) => goesOn(follow(root, more.member)?.value))) return;
  throw new ShapeError(
    `"${more.member}" says that the list continues`,
    "Lists are read whole: let the node answer without pages, or correct answers.more.",
  );
}

function goesOn(more: unknown): boolean {
  return !isNothing(more) && !(typeof more === "string" && /^(false|no|0)$/i.test(more.trim()));
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The headers that {@link refusePartialAnswer} judges, for a reader in another thread. */
export function headOf({ status, headers }: AnswerHead, { answers }: NodeHabits): AnswerHead {
  const { more } = answers ?? {};
  const isJudged = (name: string) =>
    PARTIAL_HEADERS.has(name) ||
    ABOUT_PAGES.test(name) ||
    (more && "header" in more && more.header.toLowerCase() === name);
  return { status, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isJudged(name))) };
}

const PARTIAL_HEADERS = new Set(["content-range", "link"]);

/** As {@link refusePartial}, for status and headers. @param length of the list that was read. @throws {ShapeError} */
export function refusePartialAnswer(
  { status, headers }: AnswerHead,
  length: number,
  answers: Answers | ReceiverAnswers | undefined,
): void {
  const headerOf = (name: string) => [headers[name]].flat()[0];
  if (status === 206) throw new ShapeError("the status 206 says that this is a part of the list", WHOLE_LISTS);
  const more = answers && "more" in answers ? answers.more : undefined;
  if (more) {
    if ("header" in more && goesOn(headerOf(more.header.toLowerCase()))) {
      throw new ShapeError(`the header ${more.header} says that the list continues`, WHOLE_LISTS);
    }
    return;
  }
  const ignored = new Set(answers?.ignore?.map((name) => name.toLowerCase()));
  const [range, link] = ["content-range", "link"].map((name) => (ignored.has(name) ? undefined : headerOf(name)));
  if (range !== undefined && !isWholeRange(range, length))
    throw new ShapeError(`the header Content-Range says "${range}"`, ignoreRemedy(answers, "Content-Range"));
  if (link !== undefined && /;\s*rel="?[^";,]*\bnext\b/i.test(link))
    throw new ShapeError('the header Link has a rel="next": the list continues', ignoreRemedy(answers, "Link"));
  refusePartialHeaders(headers, length, answers);
}

const WHOLE_LISTS = "Lists are read whole: let the other side answer without pages.";

/** `items 0-9/10`: from the first to the last. An empty list has a star there, and the total 0. */
function isWholeRange(range: string, length: number): boolean {
  if (length === 0 && /^\s*(?:\S+ )?\*\/0\s*$/.test(range)) return true;
  const [, first, last, total] = /^\s*\S+ (\d+)-(\d+)\/(\d+)\s*$/.exec(range) ?? [];
  return first === "0" && Number(last) + 1 === Number(total);
}
