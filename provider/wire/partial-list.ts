import { isObject, type JsonObject } from "../model/json";
import type { Answers, ReceiverAnswers } from "./answers";
import { isAboutRequest } from "./error-marker";
import { describe, isNothing, quoted, readNumber, ShapeError } from "./json";
import { isRival, listCandidate } from "./places";
import { type Ignoring, ignoreRemedy } from "./remedies";

/** The parts of an answer around its list. */
export interface Around {
  /** The objects around the list, the outermost first. */
  readonly within: readonly JsonObject[];
  readonly list: unknown;
  readonly length: number;
  /**
   * True if the settings name the place of the list, so that lists beside it are others. Totals, numbers of pages and signs of
   * a continuation count all the same.
   */
  readonly isNamed?: boolean;
}

/**
 * Refuses a list beside anything that may report that it is only a part: the contract has no pages, and the other entries would
 * seem to have vanished. Only members that are known to be harmless may stand there, members that report a whole list, and
 * those of `answers.ignore`. With `answers.more` its member alone is the sign.
 *
 * @throws {ShapeError} naming the member and the setting.
 */
export function refusePartial(around: Around, answers: Answers | ReceiverAnswers | undefined): void {
  for (const doubt of doubtsAround(around, answers)) throw partial(doubt, answers);
}

/**
 * Refuses a status beside a total of it above its length, or beside a place or cursor from which it goes on. Other members tell
 * of the client, its quota or the next check. @throws {ShapeError}
 */
export function refusePartialStatus(around: Around, answers: ReceiverAnswers): void {
  for (const doubt of doubtsAround(around, answers)) {
    const { path, says } = doubt;
    const value = path.length > around.within.length ? undefined : around.within[path.length - 1]?.[path.at(-1) ?? ""];
    const name = key(path.at(-1) ?? "");
    const isUse = typeof value === "string" && value.search(OUT_OF) >= 0 && !SAYS_PART.test(`${name} ${value}`);
    const isTotal = says === "total" && value !== undefined && !isUse && !/account|discount|counter|country/.test(name);
    if (isTotal || (says === "more" && isPlace(value)) || CURSORS.test(name)) throw partial(doubt, answers);
  }
}

/** True for a place at which a list goes on, and for true. */
function isPlace(value: unknown): boolean {
  return value === true || (typeof value === "string" && /^(?:https?:\/)?\/|^true$/i.test(value));
}

function partial({ path, what }: Doubt, answers: Ignoring | undefined): ShapeError {
  return new ShapeError(`${JSON.stringify(path.at(-1))} ${what}`, ignoreRemedy(answers, path.join(".")));
}

/** The members that {@link refusePartial} refuses, dotted, but for those that say themselves that the list continues. */
export function doubtfulMembers(around: Around, answers: Answers | undefined): string[] {
  return [...doubtsAround(around, answers)].filter(({ says }) => says !== "more").map(({ path }) => path.join("."));
}

/**
 * The members that report a part of the records of a file: cursors, numbers of pages, exact names of a continuation with a
 * place or a true value, and exact names of a number of records. Files have other metadata beside their records.
 */
export function signsOfPart(around: Around): { readonly path: readonly string[]; readonly what: string }[] {
  const { within } = around;
  return [...doubtsAround(around, undefined)].filter(({ path, says }) => {
    const [outer = "", name = ""] = ["", "", ...path].slice(-2).map(key);
    if (CURSORS.test(name)) return true;
    const value = path.reduce((object: unknown, one) => (isObject(object) ? object[one] : undefined), within[0]);
    if (says === undefined || Array.isArray(value) || PAGES.has(name)) return says !== undefined;
    if (GOES_ON.test(name)) return isObject(value) || isPlace(value) || (readNumber(value)?.number ?? AGES) < AGES;
    return COUNTS.test(name) && readNumber(value) !== undefined && (path.length <= within.length || ABOUT.test(outer));
  });
}

/** Exact names of a continuation in files, of a number of records, and of objects about the records. */
const GOES_ON =
  /^(?:is|has)?(?:more|next|truncated|partial|incomplete)(?:link|url|results|records|entries)?$|nextlink$/;
const COUNTS = /^(?:remaining|total|count|entries|records|total(?:entries|records|count))$/;
const ABOUT = /^(?:meta|metadata|info|resultinfo|pag(?:e|er|ing|ination))$/;
/** Numbers from here on are times, and no numbers of pages. */
const AGES = 1_000_000;

/** As {@link refusePartial}, for headers with the words of paging in their names. */
export function refusePartialHeaders(headers: JsonObject, length: number, answers: Ignoring | undefined): void {
  const pageHeaders = Object.fromEntries(Object.entries(headers).filter(([name]) => ABOUT_PAGES.test(name)));
  for (const { path, what } of doubtsIn(pageHeaders, [], { length, ignored: ignoredBy(answers) }))
    throw new ShapeError(`the header ${path.join()} ${what}`, ignoreRemedy(answers, path.join()));
}

/** Headers that may report a part, by the words in their names. */
export const ABOUT_PAGES = /(?:^|[-_])(?:totals?|pages?|next|more|continuation|continue|cursors?)(?:$|[-_])/i;

const set = (words: string) => new Set(words.split(" "));

/** Names are compared without case and separators: `nextPageToken` is `next_page_token`. */
const key = (name: string) =>
  name
    .toLowerCase()
    .replace(/^x-/, "")
    .replace(/[^a-z0-9]/g, "");

/** Numbers of elements: harmless up to the length of the list. */
const TOTALS = /^(?:recordsfiltered|records|entries|items|rows|size|length|num|number|numberofelements)$|total|count/;
/** Numbers of pages: harmless up to 1. */
const PAGES = set("pages totalpages pagecount pagestotal numpages lastpage");
/** Sizes of a page: harmless where the page is not full. */
const PAGE_SIZES = set("size limit perpage pagesize pagelength itemsperpage maxresults maxitems maxkeys top");
/** Numbers of a page or of its first element: harmless if it is the first, and the list is known to be whole. */
const POSITIONS = set("page pagenumber currentpage pageindex offset skip startindex firstindex start from");
/** Signs that a list continues: harmless where nothing follows them. */
const MORE =
  /^(?:is|has)?(?:more|next|cursor|cursors|continue|continuation|truncated|partial|incomplete|remaining|rest|left)|(?:more|next|nexttoken|nextmarker|nextlink|pagetoken|truncated|cursor)$|continuation/;
/** Places from which a next request goes on: objects under such names are signs, too. */
const PLACES = /^(?:last\w+|after|marker|bookmark|anchor|resume\w*|exclusivestart\w*|searchafter)$/;
/** Names of nothing but the next part of a list, whatever their value. `next` alone may be a time. */
const CURSORS =
  /cursors?$|continuation|^continue$|(?:page|next|continue|resume|resumption)token$|^(?:next)?(?:marker|bookmark)$|^nextpage$|^searchafter$|^scrollid$|^lastevaluatedkey$/;
/** Queries for another page than the first one. */
const PAGE_OF_URL = /[?&](?:page|offset|skip|start|startindex|cursor|after|marker|page_?token)=(?![01]?(?:&|$))/i;
/** Signs that a list is whole: harmless where they are true. */
const WHOLE = /^(?:is|has)?(?:complete|completed|whole|last|lastpage|final|done|exhausted|full|end|eof)$/;
/** Times, versions, durations and ids of the request, and the words with which answers repeat the request. */
const HARMLESS = set(
  [
    "time timestamp ts date datetime now servertime generated generatedat created createdat updated updatedat modified lastmodified lastupdate lastupdated",
    "version apiversion schema schemaversion revision etag hash checksum jsonrpc",
    "took tookms duration durationms elapsed elapsedms ms executiontime querytime responsetime",
    "draw odatacontext",
    "id requestid reqid traceid spanid correlationid transactionid txid uuid",
  ].join(" "),
);
/** True for the name of a time, version, duration or id of a request, which differs from answer to answer. */
export function isHarmlessMember(name: string): boolean {
  return HARMLESS.has(key(name));
}

/** As {@link HARMLESS}, for texts alone. */
const ECHOES = set(
  "arena profile set prefixset table name type kind tag command method action node host hostname self href url uri",
);
/** Words in texts that report a part, unless the text denies them: "truncated: no", "0 omitted". */
const PARTIAL_WORDS =
  /(?<!\b(?:no|not|none|0)(?: \w{1,20})? )\b(?:partial(?:ly)?|incomplete|truncated|omitted)\b(?!["']?\s*[:=]\s*["']?(?:no|false|none|0)\b)|\b(?:continue[sd]?|next page|first \d+|[1-9]\d* more|cut (?:at|off|after|short)|limit(?:ed)? (?:reached|exceeded|to (?:the )?(?:first )?\d+))\b/i;
/** A number of elements or of pages out of a larger one: "page 1 of 3", "50 of 200 entries"; not the use of a capacity. */
const OUT_OF = /\b(?<part>\d{1,10}) of (?<all>\d{1,10})\b(?<after>(?: [a-z]{1,20}){0,3})/gi;
/** Words with which such numbers tell of a part of a status; others are those of a quota. */
const SAYS_PART = new RegExp(
  `${PARTIAL_WORDS.source}|\\b(?:pages?|part|entr(?:y|ies)|records?|items?|rows?|lines?|prefix(?:es)?|show(?:ing|n)|listed|listing)\\b`,
  "i",
);

/** True for words that may report a part of a list. */
export function mayReportPart(text: string): boolean {
  return (
    PARTIAL_WORDS.test(text) ||
    [...text.matchAll(OUT_OF)].some(
      ({ groups: { part, all, after = "" } = {} }) =>
        Number(part) < Number(all) && !/ (?:(?:used|free|slots)\b|active$)/i.test(after),
    )
  );
}

/** Deepest objects beside a list that are judged; deeper ones are refused. */
const DEEPEST = 5;

/** Half a sentence about a member, and what the member says by itself: that more follows, or how many there are. */
interface Problem {
  readonly what: string;
  readonly says?: "more" | "total";
}

interface Doubt extends Problem {
  readonly path: readonly string[];
}

const CONTINUES: Problem = { what: "says that the list continues", says: "more" };

/** The rules for the members of an object. */
interface Scope {
  readonly length: number;
  /** In lower case. */
  readonly ignored: ReadonlySet<string>;
  readonly isNamed?: boolean;
  /** True for the objects around the list itself. */
  readonly isAround?: boolean;
  /** True within an object around another list: only what says itself that there is more counts. */
  readonly isOther?: boolean;
}

function* doubtsAround(
  { within, list, length, isNamed = false }: Around,
  answers: Answers | ReceiverAnswers | undefined,
) {
  if (answers && "more" in answers && answers.more) return;
  let path: readonly string[] = [];
  for (const [index, object] of within.entries()) {
    const inner: unknown = within[index + 1] ?? list;
    yield* doubtsIn(object, path, { length, ignored: ignoredBy(answers), isNamed, isAround: true }, inner);
    const name = Object.keys(object).find((one) => object[one] === inner);
    path = name === undefined ? path : [...path, name];
  }
}

function ignoredBy(answers: Ignoring | undefined): ReadonlySet<string> {
  return new Set(answers?.ignore?.map((name) => name.toLowerCase()));
}

/** @param inner Member that leads to the list, in the objects around it. */
function* doubtsIn(object: JsonObject, path: readonly string[], scope: Scope, inner?: unknown): Generator<Doubt> {
  const isIgnored = (names: readonly string[]) => scope.ignored.has(names.join(".").toLowerCase());
  // Numbers beside another list may be about that one.
  const others = scope.isOther ? Object.values(object).map((one) => Object.keys(one ?? {}).length) : [];
  const length = Math.max(scope.length, ...others);
  for (const name in object) {
    const value = object[name];
    const own = [...path, name];
    if ((value === inner && inner !== undefined) || isIgnored(own)) continue;
    if (isObject(value) && path.length < DEEPEST) {
      const isOther = scope.isOther || (scope.isNamed && holdsList(value));
      if (!scope.isNamed || listCandidate(value) === undefined)
        yield* doubtsIn(value, own, { ...scope, isAround: false, isOther });
      // Of which no member is doubtful by itself.
      const isSign = !HARMLESS.has(key(name)) && (MORE.test(key(name)) || PLACES.test(key(name)));
      if (isSign && Object.keys(value).some((one) => !isNothing(value[one]) && !isIgnored([...own, one])))
        yield { path: own, ...CONTINUES };
      continue;
    }
    const problem = problemOf(key(name), value, object, { ...scope, length });
    if (problem !== undefined && (!scope.isOther || problem.says !== undefined)) yield { path: own, ...problem };
  }
}

function problemOf(
  name: string,
  value: unknown,
  object: JsonObject,
  { length, isNamed, isAround }: Scope,
): Problem | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  if (typeof value === "object") {
    if (Array.isArray(value) && value.some(isNextLink))
      return { what: "has a link to the next part: the list continues", says: "more" };
    const found = listCandidate(value);
    const isOther = found !== undefined && isRival(found) && isNamed;
    return isNothing(value) || isOther || isAboutRequest(name)
      ? undefined
      : { what: `is ${describe(value)} beside the list` };
  }
  const text = String(value);
  if (MORE.test(name)) return isNothing(value) || SAYS_NO.test(text) ? undefined : CONTINUES;
  const number = readNumber(typeof value === "string" ? value.trim() : value)?.number;
  // A number under "end" or "last" may be that of an element or of a page.
  if (WHOLE.test(name) && SAYS_YES.test(text) && !(number !== undefined && /^(?:end|last)$/.test(name)))
    return undefined;
  if (number !== undefined && PAGES.has(name))
    return number <= 1 ? undefined : { what: `says that the list has ${number} pages`, says: "more" };
  // Beside the list, a size is that of the list.
  const isPageSize = number !== undefined && PAGE_SIZES.has(name) && !(name === "size" && isAround);
  if (isPageSize && (number > length || isWhole(object, length))) return undefined;
  if (number !== undefined && TOTALS.test(name))
    return number <= length ? undefined : { what: `is ${number} and ${length} are listed`, says: "total" };
  const isFirst = name === "first" ? value === true : POSITIONS.has(name) && number !== undefined && number <= 1;
  if ((name === "empty" && value === (length === 0)) || (isFirst && isWhole(object, length))) return undefined;
  if (isAboutRequest(name) && /^206\b/.test(text)) return { what: "is 206, Partial Content", says: "total" };
  const isEcho = typeof value === "string" && ECHOES.has(name);
  if (isEcho && PAGE_OF_URL.test(value))
    return { what: `is ${quoted(value)}, which asks for a part of the list`, says: "total" };
  if (typeof value === "string" && mayReportPart(value) && !isEcho)
    return { what: `is ${quoted(value)}, which may report a part of the list`, says: "total" };
  if (HARMLESS.has(name) || isAboutRequest(name) || isEcho) return undefined;
  return { what: `is ${describe(value)} beside the list, and may report a part of it` };
}

/** True if a member reports that the first page holds the whole list. */
function isWhole(object: JsonObject, length: number): boolean {
  return Object.entries(object).some(([member, value]) => {
    const [name, number] = [key(member), readNumber(value)?.number];
    if (number === undefined) return WHOLE.test(name) && value === true;
    if (PAGES.has(name)) return number <= 1;
    return PAGE_SIZES.has(name) ? number > length : TOTALS.test(name) && number === length;
  });
}

/** A record of a list of links, such as `{"rel":"next","href":"/2"}`. */
function isNextLink(link: unknown): boolean {
  return (
    isObject(link) && Object.entries(link).some(([name, rel]) => key(name) === "rel" && key(String(rel)) === "next")
  );
}

const SAYS_NO = /^\s*(?:false|no|0|none)\s*$/i;
const SAYS_YES = /^\s*(?:true|yes|1)\s*$/i;

/** True for an object in which another list may stand. */
function holdsList(value: JsonObject): boolean {
  const found = Object.values(value).map(listCandidate).find(Boolean);
  return found !== undefined && isRival(found);
}
