import { isObject, type JsonObject } from "../model/json";
import { isNothing, quoted, readNumber } from "./json";
import { isAddressLike, isNaturalName } from "./places";
import type { MemberValue } from "./remedies";

const FAILED = /^(error|err|fail|failed|failure)$/i;
/** Values of `error`, or of the message beside a code, that mean no error. */
const FINE = /^(0|false|no|none|null|ok|okay|done|success|successful|succeeded|no error)[.!]?$/i;
/** Texts of a code or status that mean success. */
const SUCCESS =
  /^(s_)?(true|ok|okay|fine|done|none|success\w*|succe\w+|created|accepted|applied|committed|inserted|updated|deleted|complete\w*|no[ _]?error)$/i;
const ERRORS = ["error", "err", "errors"];
const CODES = ["code", "errno", "errcode", "error_code"];
const MESSAGES = ["message", "msg", "errmsg", "error_message", "detail", "details", "reason", "text", "description"];
const MARKERS = new Set([...ERRORS, ...CODES, ...MESSAGES, "fault", "status", "result", "ok", "success"]);
const MAX_DEPTH = 3;
const MAX_MESSAGE = 200;

/** An error marker; with `code` if that is the only sign of the error: another node may use it for a success. */
interface Marker {
  readonly message: string;
  readonly code?: MemberValue;
}

/**
 * The JSON error marker of an answer, whatever the HTTP status; `undefined` if there is none. Case of names does not matter.
 * Markers: a value under `error`, `err` or `errors`; `error` or `failed` under `status` or `result`; false under `ok` or
 * `success`; beside a message, a `code` other than 0 and 200 to 299, or an `errno` other than 0 and 200.
 */
export function markerIn(json: unknown, path: readonly string[] = []): Marker | undefined {
  if (!isObject(json) || isKeyedByAddress(json)) return undefined;
  const members = lowerCased(json);
  const reported = ERRORS.map((name) => members.get(name)).find((value) => !isNoError(value));
  const said = ["status", "result"].some((name) => saysFailed(members.get(name)));
  const denied = ["ok", "success"].some((name) => isFalse(members.get(name)));
  const code = errorCode(members);
  if (reported !== undefined || said || denied || code !== undefined) {
    const message =
      wordsOf(reported) ??
      wordsAmong(members) ??
      cut(reported) ??
      "the answer carries an error marker without a message";
    if (reported !== undefined || said || denied || code === undefined || soundsBad(message)) return { message };
    const name = Object.keys(json).find((member) => member.toLowerCase() === code) ?? code;
    return { message, code: { member: [...path, name].join("."), value: json[name] } };
  }
  if (path.length >= MAX_DEPTH) return undefined;
  for (const [name, value] of Object.entries(json)) {
    const isMarker = isNaturalName(name) || HEADS.has(name.toLowerCase());
    const inner = isMarker ? markerIn(value, [...path, name]) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Members with words about the answer, never about a listed element. */
const WORDS = ["message", "msg", "errmsg", "error_message", "reason", "fault", "detail", "details"];
/** Words beside an empty list that are not an error. */
const NOTHING_THERE = /\bempty\b|^(no|0) (entries|records|results|items|rows|data|prefixes|marks|rules|profiles)\b/i;
/** Members that show success or failure by a number or a word. */
const VERDICTS = new Set([
  ...[...CODES, "status", "result", "state", "outcome", "rc", "ret", "retcode", "return_code"],
  ...["statuscode", "status_code", "errorcode", "response_code", "result_code"],
]);
/** Names of objects that report the result of a request, and never hold a list. */
const HEADS = new Set([
  ...["status", "state", "outcome", "verdict", "header", "head", "meta", "reply", "info"],
  ...["responsestatus", "response_status", "returnstatus", "return_status", "statusinfo", "status_info"],
]);
/** True for the name of a member that reports the result of a request, in lower case and without separators. */
export function isAboutRequest(name: string): boolean {
  return ABOUT_REQUEST.has(name) || /(?:message|msg|text|description)$/.test(name);
}

/** Members that are true for a success. */
const GOOD = new Set(["ok", "success", "succeeded", "successful"]);
/** Members that are false or empty for a success. */
const BAD = new Set([...ERRORS, "failed", "failure", "fail", "exception", "denied"]);

const ABOUT_REQUEST = new Set(
  [...MARKERS, ...WORDS, ...VERDICTS, ...HEADS, ...GOOD, ...BAD].map((name) => name.replaceAll("_", "")),
);

/**
 * A possible error beside an empty list, as in `{"msg":"no such set","data":[]}` or `{"success":0,"data":[]}`: words, unless
 * these or a verdict mean success, and verdicts that are not known to mean success. `undefined` if there is none.
 *
 * @param within The objects around the list.
 * @param path Names from the root to the list.
 * @param isHarmless True for members that are left out.
 */
export function doubtIn(
  within: readonly JsonObject[],
  path: string,
  isHarmless: (value: MemberValue) => boolean = () => false,
): (MemberValue & { readonly text: string }) | undefined {
  const names = path.split(".");
  // With full paths, as in settings; the list itself is left out.
  const values = within
    .flatMap((object, depth) => valuesIn(object, names.slice(0, depth)))
    .filter((value) => value.member !== path && !isHarmless(value));
  const members = new Map(values.filter(({ name }) => MARKERS.has(name)).map(({ name, value }) => [name, value]));
  const words = WORDS.map((name) => wordsOf(members.get(name))).find((text) => text !== undefined);
  const isFine = words === undefined || FINE.test(words) || SUCCESS.test(words) || NOTHING_THERE.test(words);
  const bad = values.find(({ name, value }) => isDoubtful(name, value));
  if (!isFine && !soundsFine(words) && (bad !== undefined || !saysAllIsWell(members))) {
    const source = bad ?? values.find(({ name, value }) => WORDS.includes(name) && wordsOf(value) === words);
    return source && { ...source, text: quoted(words) };
  }
  if (bad === undefined) return undefined;
  const value = quoted(typeof bad.value === "string" ? bad.value : JSON.stringify(bad.value));
  return { ...bad, text: `${JSON.stringify(bad.member)}: ${value}` };
}

/** The members of an object, and of objects in it that report the result of the request. */
function valuesIn(object: JsonObject, path: readonly string[]): (MemberValue & { readonly name: string })[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const own = { name: name.toLowerCase(), member: [...path, name].join("."), value };
    return isObject(value) && HEADS.has(own.name) ? [own, ...valuesIn(value, [...path, name])] : [own];
  });
}

/** True if a verdict of an answer is known to mean success. */
export function saysSuccess(json: JsonObject): boolean {
  return saysAllIsWell(lowerCased(json));
}

function saysAllIsWell(members: ReadonlyMap<string, unknown>): boolean {
  if ([...CODES, "status", "result"].some((name) => saysDone(members.get(name)))) return true;
  if (["ok", "success"].some((name) => !isNothing(members.get(name)) && !isFalse(members.get(name)))) return true;
  return ERRORS.some((name) => members.has(name) && isNoError(members.get(name)));
}

/** True for a verdict that is not known to mean success. An object or array under such a name may hold the list. */
function isDoubtful(name: string, value: unknown): boolean {
  if (isObject(value) || Array.isArray(value)) return BAD.has(name) && !isNoError(value);
  if (GOOD.has(name)) return !(value === true || value === 1 || saysYes(value));
  if (BAD.has(name)) return !isNoError(value) && !isFalse(value);
  if (!VERDICTS.has(name) || value === null || value === "") return false;
  return value !== true && !saysDone(value);
}

function saysYes(value: unknown): boolean {
  return typeof value === "string" && (SUCCESS.test(value.trim()) || /^(1|yes|y)$/i.test(value.trim()));
}

/** True for a code of 0, a status of success, and words such as "ok". */
function saysDone(value: unknown): boolean {
  if (typeof value === "string" && SUCCESS.test(value.trim())) return true;
  const number = readNumber(value)?.number;
  return number !== undefined && (number === 0 || (number >= 200 && number < 300));
}

/** The message of an array of errors only, such as `[{"error":"no such set"}]`. */
export function errorOfElements(json: unknown): string | undefined {
  if (!Array.isArray(json) || json.length === 0 || json.length > 100) return undefined;
  return json.every(isErrorRecord) ? markerIn(json[0])?.message : undefined;
}

/** True for a record that is nothing but an error, such as `{"error":"table locked"}`. */
export function isErrorRecord(element: unknown): boolean {
  if (!isVerdictRecord(element)) return false;
  const members = lowerCased(element);
  // A status alone may belong to the record, as that of a mark.
  return ERRORS.some((name) => !isNoError(members.get(name))) || (members.size > 1 && markerIn(element) !== undefined);
}

/** True for a record whose members all report the result of a request. */
export function isVerdictRecord(element: unknown): element is JsonObject {
  return isObject(element) && Object.keys(element).every((name) => MARKERS.has(name.toLowerCase()));
}

/** True for a text that begins as error messages do. */
export function isErrorText(text: string): boolean {
  const [begin, rest = ""] =
    /^\W{0,3}(?:err(?:or)?s?|fail(?:ed|ure)?|fatal|exception|denied)\b(.{0,12})/i.exec(text) ?? [];
  return begin !== undefined && !/^\W{1,3}(0|none|null|no)\W*$/i.test(rest);
}

/** The words of a message anywhere in a value; `undefined` if there are none. */
export function wordsOf(value: unknown): string | undefined {
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  if (typeof value === "number") return `error ${value}`;
  if (Array.isArray(value)) return wordsOf(value[0]);
  return isObject(value) ? wordsAmong(lowerCased(value)) : undefined;
}

function wordsAmong(members: ReadonlyMap<string, unknown>): string | undefined {
  for (const name of MESSAGES) {
    const words = wordsOf(members.get(name));
    if (words !== undefined) return words;
  }
  return undefined;
}

/** True for a list of entries or marks by address; checks the first name only, since there may be thousands. */
function isKeyedByAddress(json: JsonObject): boolean {
  for (const name in json) return isAddressLike(name);
  return false;
}

function saysFailed(value: unknown): boolean {
  return typeof value === "string" && FAILED.test(value);
}

function isFalse(value: unknown): boolean {
  return value === false || (typeof value === "string" && /^false$/i.test(value));
}

/** True for a value that means no error, also an object such as `{"code":0,"message":""}`. */
function isNoError(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).every((member) => !isObject(member) && isNoError(member));
  return isNothing(value) || (typeof value === "string" && FINE.test(value.trim()));
}

/** True for words such as "Command completed successfully", whatever the code beside them. */
function soundsFine(text: string): boolean {
  return wordsIn(text).some((word) => FINE_WORDS.has(word)) && !soundsBad(text);
}

const FINE_WORDS = new Set(["success", "successful", "successfully", "succeeded", "completed"]);

/** True for words of a failure or of a partial success. */
function soundsBad(text: string): boolean {
  return wordsIn(text).some((word) => BAD_WORDS.has(word) || /^(un|fail|reject|partial|error|warning)/.test(word));
}

const BAD_WORDS = new Set(
  "no not invalid incomplete insufficient denied without partly pending but except exist exists locked busy missing refused forbidden too expired timed timeout".split(
    " ",
  ),
);

function wordsIn(text: string): string[] {
  return text.toLowerCase().split(/[^a-z]+/);
}

/** The name of a code that means a failure; it counts only beside words. */
function errorCode(members: ReadonlyMap<string, unknown>): string | undefined {
  const words = wordsAmong(members);
  if (words === undefined || FINE.test(words) || soundsFine(words)) return undefined;
  const isBad = (name: string) => {
    const number = readNumber(members.get(name))?.number;
    // Some nodes repeat the HTTP status in the body.
    if (number !== undefined && name === "code") return number !== 0 && !(number >= 200 && number < 300);
    if (number !== undefined) return number !== 0 && !(name === "errno" && number === 200);
    const text = members.get(name);
    return typeof text === "string" && text.trim() !== "" && !FINE.test(text) && !SUCCESS.test(text.trim());
  };
  const status = readNumber(members.get("status"))?.number ?? 0;
  return CODES.find(isBad) ?? (status >= 400 && status < 600 ? "status" : undefined);
}

function lowerCased(json: JsonObject): Map<string, unknown> {
  const members = new Map<string, unknown>();
  for (const name in json) {
    const key = name.toLowerCase();
    if (MARKERS.has(key)) members.set(key, json[name]);
  }
  return members;
}

function cut(value: unknown): string | undefined {
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  const text = JSON.stringify(value);
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
