import { isObject, type JsonObject } from "../model/json";
import type { Columns, ListKind, NodeHabits } from "./answers";
import { doubtIn } from "./error-marker";
import { describe, isNothing, readNumber, ShapeError, sketch } from "./json";
import { competing, unknownShape } from "./list-guess";
import {
  follow,
  forKind,
  isAddressLike,
  isNothingApplied,
  isRival,
  type ListCandidate,
  listCandidate,
  type Place,
  pathFor,
  placesIn,
} from "./places";
import { COUNTS_OTHERS, emptyRemedy, pathSetting } from "./remedies";
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
  throw new ShapeError(`the list has ${size} records, and \`maxListRecords\` allows ${maxListRecords}`);
}

/** Makes records of elements that are arrays, if the settings name their fields. */
function withColumns(list: ListInAnswer, kind: ListKind, { answers }: NodeHabits): ListInAnswer {
  const columns = forKind<Columns>(answers?.columns, kind);
  if (columns === undefined || list.kind !== "array") return list;
  return {
    kind: "array",
    elements: list.elements.map((element) => (Array.isArray(element) ? recordOf(element, columns) : element)),
  };
}

function locate(json: unknown, kind: ListKind, habits: NodeHabits): ListInAnswer {
  const path = pathFor(habits, kind);
  if (path !== undefined) return atPath(json, path, kind, habits);
  const root = listCandidate(json);
  if (root?.kind === "array") refuseInner({ path: "", found: root }, kind, habits);
  const whole = root?.kind === "null" ? undefined : listAt("", root, json, habits);
  if (whole) return whole;
  if (root !== undefined || !isObject(json)) throw unknownShape(json, kind, habits);
  // Erlang's empty list is an empty text in JSON.
  if (json.ok === "" && Object.keys(json).length === 1 && habits.answers?.empty === "") return NOTHING;

  const places = placesIn(json);
  const natural = places.filter(({ isNatural }) => isNatural);
  const lists = natural.filter(({ found }) => found.kind === "array" || found.kind === "keyed");
  const isOther = (place: Place) => isRival(place.found) || (kind === "prefixset" && isNothingApplied(place));
  const rivals = places.filter((other) => !lists.includes(other) && isOther(other));
  const [one, two] = [...lists, ...rivals];
  if (lists.length > 0 && one && two) throw competing(one, two, kind, habits);
  const [nothing, ...more] = natural.filter(({ found }) => found.kind === "null" || found.kind === "hollow");
  const place = lists[0] ?? (rivals.length + more.length > 0 ? undefined : nothing);
  if (place) {
    const size = sizeOf(place.found);
    refusePartial(place.within, size, habits, () => `set ${pathSetting(habits.answers, kind, place.path)}`);
    if (size === 0) refuseUntold(place, habits);
    refuseInner(place, kind, habits);
    const list = listAt(place.path, place.found, json, habits);
    if (list) return list;
  }
  throw unknownShape(json, kind, habits);
}

function atPath(json: unknown, path: string, kind: ListKind, habits: NodeHabits): ListInAnswer {
  const place = follow(json, path);
  if (place === undefined) {
    const root = listCandidate(json);
    // The setting may be meant for other kinds of lists, and a bare array cannot be mistaken.
    if (root?.kind === "array") return root;
    if (root?.kind === "hollow" && isEmptyAt("", habits)) return NOTHING;
    throw unknownShape(json, kind, habits, `nothing stands at ${JSON.stringify(path)} in it`);
  }
  const { value, within } = place;
  // Erlang's empty list is an empty text in JSON.
  const isEmptyText = value === "" && habits.answers?.empty === "";
  const found = isEmptyText ? NOTHING : listCandidate(value);
  refusePartial(within, 0, habits);
  if (sizeOf(found) === 0) refuseUntold({ within, path }, habits);
  const list = listAt(path, found, json, habits);
  if (list) return list;
  // Profiles may be keyed by name and rules by id; only the setting distinguishes such keys from other members.
  if ((kind === "profiles" || kind === "rules") && isObject(value) && Object.values(value).every(isObject)) {
    return { kind: "keyed", members: value };
  }
  throw unknownShape(json, kind, habits, `at ${JSON.stringify(path)} in it is ${describe(value)}`);
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

/** Members that records of profiles and rules have, and envelopes of a list do not. */
const OWN = ["id", "name", "profile"];

/** Refuses an array of one object that holds the list: no entry holds a list of entries, and no nameless rule one of rules. */
function refuseInner({ path, found }: Pick<Place, "path" | "found">, kind: ListKind, { answers }: NodeHabits): void {
  if (kind === "marks") return;
  const [only, ...others] = found.kind === "array" ? found.elements : [];
  if (!isObject(only) || others.length > 0 || listCandidate(only) !== undefined) return;
  // A record with an address is an entry, whatever else it holds.
  if (Object.values(only).some((member) => typeof member === "string" && isAddressLike(member))) return;
  if (kind !== "prefixset" && Object.keys(only).some((name) => OWN.includes(name.toLowerCase()))) return;
  const [inner, ...more] = placesIn(only).filter((place) => place.isNatural && isRival(place.found));
  if (!inner || more.length > 0) return;
  const name = [path, "0", inner.path].filter((part) => part !== "").join(".");
  throw new ShapeError(
    `the answer is an array with one object, which holds a list; its shape is ${sketch(only)}`,
    `If the list is there, set ${pathSetting(answers, kind, name)}.`,
  );
}

/** Makes half a sentence with a setting that still reads the answer. */
type WayOut = () => string;

/** Refuses an empty list beside words or a verdict of failure: some nodes wrap errors as they wrap lists. */
function refuseUntold({ within, path }: Pick<Place, "within" | "path">, { answers, isSuccess }: NodeHabits): void {
  const doubt = isSuccess ? undefined : doubtIn(within, path);
  if (doubt === undefined) return;
  throw new ShapeError(`nothing is listed, and beside it stands ${doubt.text}`, emptyRemedy(answers, doubt));
}

function sizeOf(found: ListCandidate | undefined): number {
  if (found?.kind === "array") return found.elements.length;
  return found?.kind === "keyed" ? Object.keys(found.members).length : 0;
}

const MORE = new Set(
  "next cursor next_cursor nextcursor next_page nextpage next_token nexttoken next_page_token nextpagetoken continuation more has_more hasmore truncated partial incomplete".split(
    " ",
  ),
);
const TOTALS = new Set(
  "total count total_count totalcount total_entries totalentries total_records total_items total_results".split(" "),
);
/** A total in the object around a list; in an object about pages, the size of a page. */
const SIZE = "size";
const PAGES = new Set(["pages", "total_pages", "totalpages", "page_count", "pagecount"]);
/** Names of objects beside a list that describe it. */
const ABOUT = new Set(["meta", "_meta", "page", "paging", "pagination", "links", "_links"]);

/**
 * Refuses a part of a list: the contract has no pages, and the other entries would seem to have vanished.
 *
 * @param wayOut Remedy if a total counts something else; without it, totals are ignored.
 */
export function refusePartial(
  within: readonly JsonObject[],
  length: number,
  { answers }: NodeHabits,
  wayOut?: WayOut,
): void {
  const { more } = answers ?? {};
  if (more) {
    if ("member" in more && goesOn(follow(within[0], more.member)?.value)) {
      throw new ShapeError(`"${more.member}" says that the list continues`);
    }
    return;
  }
  for (const object of within) {
    for (const name in object) {
      const value = object[name];
      if (ABOUT.has(name.toLowerCase()) && isObject(value)) judgePaging(value, length, wayOut);
      if (name.toLowerCase() === SIZE && wayOut !== undefined) judgeTotal(name, value, length, wayOut);
    }
    judgePaging(object, length, wayOut);
  }
}

function goesOn(told: unknown): boolean {
  return !isNothing(told) && !(typeof told === "string" && /^(false|no|0)$/i.test(told.trim()));
}

/** Status and headers of an answer. */
interface AnswerHead {
  readonly status: number;
  header(name: string): string | undefined;
}

/** The headers that {@link refusePartialAnswer} checks, for a reader in another thread. */
export function headOf({ status, header }: AnswerHead, { answers }: NodeHabits): HeadData {
  const { more } = answers ?? {};
  const names = [...PARTIAL_HEADERS, ...(more && "header" in more ? [more.header.toLowerCase()] : [])];
  const headers = names.flatMap((name): [string, string][] => {
    const value = header(name);
    return value === undefined ? [] : [[name, value]];
  });
  return { status, headers: Object.fromEntries(headers) };
}

/** Status and headers as data. */
export interface HeadData {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

const PARTIAL_HEADERS = ["content-range", "link", "x-total-count"];

/** As {@link refusePartial}, for status and headers. @param length of the list that was read. @throws {ShapeError} */
export function refusePartialAnswer(
  { status, header }: AnswerHead,
  length: number,
  { answers }: NodeHabits = {},
): void {
  if (status === 206) throw new ShapeError("the status 206 says that this is a part of the list");
  const { more } = answers ?? {};
  if (more) {
    if ("header" in more && goesOn(header(more.header.toLowerCase()))) {
      throw new ShapeError(`the header ${more.header} says that the list continues`);
    }
    return;
  }
  const [range, link, total] = PARTIAL_HEADERS.map(header);
  if (range !== undefined && !isWholeRange(range)) throw new ShapeError(`the header Content-Range says "${range}"`);
  if (link !== undefined && /;\s*rel="?[^";,]*\bnext\b/i.test(link))
    throw new ShapeError('the header Link has a rel="next": the list continues');
  const number = readNumber(total?.trim())?.number ?? 0;
  if (number > length)
    throw new ShapeError(`the header X-Total-Count is ${number} and ${length} are listed`, COUNTS_OTHERS);
}

/** `items 0-9/10`: from the first to the last. */
function isWholeRange(range: string): boolean {
  const [, first, last, total] = /^\s*\S+ (\d+)-(\d+)\/(\d+)\s*$/.exec(range) ?? [];
  return first === "0" && Number(last) + 1 === Number(total);
}

function judgePaging(object: JsonObject, length: number, wayOut: WayOut | undefined): void {
  for (const name in object) {
    const [key, value] = [name.toLowerCase(), object[name]];
    if (MORE.has(key) && !isNothing(value)) throw new ShapeError(`"${name}" says that the list continues`);
    const number = readNumber(value)?.number ?? 0;
    if (PAGES.has(key) && number > 1) throw new ShapeError(`"${name}" says that the list has ${number} pages`);
    if (wayOut !== undefined && TOTALS.has(key)) judgeTotal(name, value, length, wayOut);
  }
}

function judgeTotal(name: string, value: unknown, length: number, wayOut: WayOut): void {
  const number = readNumber(value)?.number ?? 0;
  if (number <= length) return;
  throw new ShapeError(`"${name}" is ${number} and ${length} are listed`, `If it counts something else, ${wayOut()}.`);
}
