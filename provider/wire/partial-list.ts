import { isObject, type JsonObject } from "../model/json";
import type { Answers } from "./answers";
import { isAboutRequest } from "./error-marker";
import { describe, isNothing, readNumber, ShapeError, short } from "./json";
import { isRival, listCandidate } from "./places";
import { ignoreRemedy } from "./remedies";

/** The parts of an answer around its list. */
export interface Around {
  /** The objects around the list, the outermost first. */
  readonly within: readonly JsonObject[];
  /** The list itself. */
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
export function refusePartial(around: Around, answers: Answers | undefined): void {
  refusePartialBy(around, answers, refuse);
}

function refusePartialBy(
  { within, list, length, isNamed = false }: Around,
  answers: Answers | undefined,
  tell: Refuse,
): void {
  if (answers?.more) return;
  const judge = new Judge(length, answers, isNamed, tell);
  let path: readonly string[] = [];
  for (const [index, object] of within.entries()) {
    const inner: unknown = within[index + 1] ?? list;
    judge.object(object, path, inner, true);
    const name = Object.keys(object).find((one) => object[one] === inner);
    path = name === undefined ? path : [...path, name];
  }
}

/** The members that {@link refusePartial} refuses, dotted, but for those that say themselves that the list continues. */
export function doubtfulBeside(around: Around, answers: Answers | undefined): string[] {
  const found: string[] = [];
  const note = (_: ShapeError, path: readonly string[], isSign: boolean) => {
    if (!isSign) found.push(path.join("."));
  };
  refusePartialBy(around, answers, note);
  return found;
}

/** As {@link refusePartial}, for headers with the words of paging in their names. */
export function refusePartialHeaders(headers: JsonObject, length: number, answers: Answers | undefined): void {
  const told = Object.fromEntries(Object.entries(headers).filter(([name]) => ABOUT_PAGES.test(name)));
  new Judge(length, answers, false, refuse, "the header ").object(told, []);
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
/** Words in texts that report a part. */
const PARTIAL_WORDS = /\b(?:partial(?:ly)?|incomplete|truncated|continue[sd]?|next page|first \d+|\d+ of \d+)\b/i;

/** Deepest objects beside a list that are judged; deeper ones are refused. */
const DEEPEST = 5;

/** Called for a member; `isSign` if it says itself that the list continues. */
type Refuse = (error: ShapeError, path: readonly string[], isSign: boolean) => void;

const refuse: Refuse = (error) => {
  throw error;
};

class Judge {
  private readonly ignored: ReadonlySet<string>;

  constructor(
    private readonly length: number,
    private readonly answers: Answers | undefined,
    private readonly isNamed: boolean,
    private readonly tell: Refuse,
    private readonly where = "",
  ) {
    this.ignored = new Set(answers?.ignore?.map((name) => name.toLowerCase()));
  }

  /** @param inner Member that leads to the list, in the objects around it. */
  object(object: JsonObject, path: readonly string[], inner?: unknown, isAround = false): void {
    for (const name in object) {
      const value = object[name];
      const own = [...path, name];
      if ((value === inner && inner !== undefined) || this.ignored.has(own.join(".").toLowerCase())) continue;
      if (isObject(value) && path.length < DEEPEST) {
        if (this.isNamed && holdsList(value)) this.other(value, own);
        else this.object(value, own);
        // Of which no member is doubtful by itself.
        if (this.isContinuation(value, own)) this.report(own, CONTINUES);
        continue;
      }
      const problem = this.problemOf(object, key(name), value, isAround);
      if (problem !== undefined) this.report(own, problem);
    }
  }

  /** True for an object such as `"next": {"href": "/2"}` or `"LastEvaluatedKey": {"id": 7}`, in which something stands. */
  private isContinuation(object: JsonObject, path: readonly string[]): boolean {
    const name = key(path.at(-1) ?? "");
    if (HARMLESS.has(name) || !(MORE.test(name) || PLACES.test(name))) return false;
    return Object.keys(object).some(
      (one) => !isNothing(object[one]) && !this.ignored.has([...path, one].join(".").toLowerCase()),
    );
  }

  /** An object with another list: its numbers may be about that one, and all other members are its own. */
  private other(object: JsonObject, path: readonly string[]): void {
    if (listCandidate(object) !== undefined) return;
    const lengths = Object.values(object).map((one) =>
      Array.isArray(one) ? one.length : Object.keys(one ?? {}).length,
    );
    const own = new Judge(Math.max(this.length, ...lengths), this.answers, true, this.tell, this.where);
    for (const name in object) {
      const value = object[name];
      const inner = [...path, name];
      if (this.ignored.has(inner.join(".").toLowerCase())) continue;
      if (isObject(value) && path.length < DEEPEST) this.other(value, inner);
      const problem = isObject(value) ? undefined : own.problemOf(object, key(name), value, false);
      if (problem?.says !== undefined) this.report(inner, problem);
    }
  }

  private problemOf(object: JsonObject, name: string, value: unknown, isAround: boolean): Problem | undefined {
    if (value === null || value === undefined || value === "") return undefined;
    if (typeof value === "object") {
      if (Array.isArray(value) && value.some(isNextLink))
        return { what: "has a link to the next part: the list continues", says: "more" };
      const found = listCandidate(value);
      const isOther = found !== undefined && isRival(found) && this.isNamed;
      return isNothing(value) || isOther || isAboutRequest(name)
        ? undefined
        : { what: `is ${describe(value)} beside the list` };
    }
    if (MORE.test(name)) {
      return isNothing(value) || SAYS_NO.test(String(value)) ? undefined : CONTINUES;
    }
    // A number under "end" or "last" may be that of an element or of a page.
    const isNumber = typeof value === "number" || /^\d+$/.test(String(value));
    if (WHOLE.test(name) && SAYS_YES.test(String(value)) && !(isNumber && /^(?:end|last)$/.test(name)))
      return undefined;
    if (name === "empty" && value === (this.length === 0)) return undefined;
    if (name === "first" && value === true && this.isWhole(object)) return undefined;
    const number = readNumber(typeof value === "string" ? value.trim() : value)?.number;
    if (number !== undefined) {
      if (PAGES.has(name))
        return number <= 1 ? undefined : { what: `says that the list has ${number} pages`, says: "more" };
      // Beside the list, a size is that of the list.
      const isPageSize = PAGE_SIZES.has(name) && !(name === "size" && isAround);
      if (isPageSize && (number > this.length || this.isWhole(object))) return undefined;
      if (TOTALS.test(name))
        return number <= this.length
          ? undefined
          : { what: `is ${number} and ${this.length} are listed`, says: "total" };
      if (POSITIONS.has(name) && number <= 1 && this.isWhole(object)) return undefined;
    }
    if (isAboutRequest(name) && /^206\b/.test(String(value))) return { what: "is 206, Partial Content", says: "total" };
    if (typeof value === "string" && ECHOES.has(name) && PAGE_OF_URL.test(value))
      return { what: `is ${short(value)}, which asks for a part of the list`, says: "total" };
    if (typeof value === "string" && PARTIAL_WORDS.test(value) && !ECHOES.has(name))
      return { what: `is ${short(value)}, which may report a part of the list`, says: "total" };
    if (HARMLESS.has(name) || isAboutRequest(name) || (ECHOES.has(name) && typeof value === "string")) return undefined;
    return { what: `is ${describe(value)} beside the list, and may report a part of it` };
  }

  /** True if another member reports that the first page holds the whole list. */
  private isWhole(object: JsonObject): boolean {
    return Object.entries(object).some(([name, value]) => {
      const number = readNumber(value)?.number;
      if (number === undefined) return WHOLE.test(key(name)) && value === true;
      return (
        (PAGES.has(key(name)) && number <= 1) ||
        (TOTALS.test(key(name)) && number === this.length && !PAGE_SIZES.has(key(name))) ||
        (PAGE_SIZES.has(key(name)) && number > this.length)
      );
    });
  }

  private report(path: readonly string[], { what, says }: Problem): void {
    const name = path.join(".");
    const shown = this.where === "" ? JSON.stringify(path.at(-1)) : `${this.where}${name}`;
    this.tell(new ShapeError(`${shown} ${what}`, ignoreRemedy(this.answers, name)), path, says === "more");
  }
}

/** Half a sentence about a member, and what the member says by itself: that more follows, or how many there are. */
interface Problem {
  readonly what: string;
  readonly says?: "more" | "total";
}

const CONTINUES: Problem = { what: "says that the list continues", says: "more" };

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
  const found = listCandidate(value) ?? Object.values(value).map(listCandidate).find(Boolean);
  return found !== undefined && isRival(found);
}
