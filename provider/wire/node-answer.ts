import { attempt } from "../model/errors";
import { isObject, type JsonObject } from "../model/json";
import type { Sign } from "./answers";
import { errorOfElements, isErrorText, markerIn, wordsOf } from "./error-marker";
import { jsonOf, parseJson, quoted, ShapeError, sketch, textOf } from "./json";
import { follow, verdictFor } from "./places";
import { successRemedy, type Verdicts } from "./remedies";

/** A body by its kind. `json` never carries an error marker. */
export type NodeAnswer =
  | { readonly kind: "empty" }
  | { readonly kind: "json"; readonly json: unknown; readonly isSuccess?: boolean }
  | { readonly kind: "error"; readonly message: string; readonly remedy?: string }
  | { readonly kind: "html"; readonly title: string }
  | { readonly kind: "text"; readonly text: string };

/**
 * Determines the kind of a body. The contract shows no answers of the node, so all usual forms are read: JSON with or without
 * an error marker, plain text, nothing. HTML is kept apart: it comes from a proxy, never from the node.
 *
 * @param answers Settings for success and failure.
 * @throws {ShapeError} for JSON that must not be read (see {@link parseJson}).
 */
export function readAnswer(body: string, answers?: Verdicts, command = "list"): NodeAnswer {
  const text = textOf(body).trimStart();
  const words = judgeText(text, answers, command);
  if (words === "failure") return { kind: "error", message: quotable(text) };
  if (words === "success") return { kind: "json", json: jsonOf(text) ?? text, isSuccess: true };
  if (text === "") return { kind: "empty" };
  if (text.startsWith("<")) return { kind: "html", title: titleOf(text) };
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error) {
    if (error instanceof ShapeError) throw error;
    return isErrorText(text) ? { kind: "error", message: text } : { kind: "text", text };
  }
  if (typeof json === "string" && isErrorText(json)) return { kind: "error", message: json.trim() };
  const judgement = judge(json, answers, command);
  if (judgement === "success") return { kind: "json", json, isSuccess: true };
  if (judgement === "failure") return { kind: "error", message: wordsOf(json) ?? `the answer is ${sketch(json)}` };
  const { message = errorOfElements(json), code } = markerIn(json) ?? {};
  if (message === undefined) return { kind: "json", json };
  return { kind: "error", message, ...(code && { remedy: successRemedy(command, code) }) };
}

/** Verdict by words in the body, whatever its kind. Lists hold their own words, so only a failure counts in them. */
export function judgeText(text: string, answers: Verdicts | undefined, command: string) {
  const [failure, success] = [answers?.failure, answers?.success].map((setting) => {
    const sign = verdictFor(setting, command);
    return sign && "text" in sign ? shows(text, sign) : undefined;
  });
  if (failure === true) return "failure";
  if (command === "list" || command === "status" || (success ?? failure) === undefined) return undefined;
  // What is no failure is a success, but for a page of a proxy.
  if (success === undefined && /^<(?:!doctype )?html\b/i.test(text)) return undefined;
  return success === false ? "failure" : "success";
}

/** Verdict of `answers.success` and `answers.failure` on an answer to a command; `undefined` if they have none. */
function judge(json: unknown, answers: Verdicts | undefined, command: string) {
  const failure = compare(json, verdictFor(answers?.failure, command));
  if (failure === "same") return "failure";
  const success = compare(json, verdictFor(answers?.success, command));
  if (success !== undefined) return success === "same" ? "success" : "failure";
  return failure === "other" ? "success" : undefined;
}

/** True for a body with the words of a sign, or with its member and one of the values. */
export function shows(body: string, sign: Sign): boolean {
  if ("text" in sign) return body.toLowerCase().includes(sign.text.toLowerCase());
  return compare(jsonOf(body), sign) === "same";
}

function compare(json: unknown, verdict: Sign | undefined): "same" | "other" | undefined {
  if (verdict === undefined || "text" in verdict) return undefined;
  const found = follow(json, verdict.member)?.value;
  if (found === undefined) return undefined;
  return verdict.values.some((value) => plain(value) === plain(found)) ? "same" : "other";
}

/** Text for comparison: `7` and `"7"`, `true` and `"True"` are equal. */
function plain(value: unknown): string {
  return (typeof value === "string" ? value.trim() : String(JSON.stringify(value))).toLowerCase();
}

/** The node's own words in the body of an error whose status is known, as short as possible. */
export function errorText(body: string): string {
  const answer = attempt(() => readAnswer(body));
  switch (answer?.kind) {
    case "error":
      return answer.message;
    case "html":
      return answer.title;
    case "text":
      return answer.text;
    case "json":
      if (typeof answer.json === "string") return answer.json;
      if (!isObject(answer.json) || Object.keys(answer.json).length === 0) return "";
      return wordsOf(answer.json) ?? onlyText(answer.json) ?? `the answer is ${sketch(answer.json)}`;
    default:
      return "";
  }
}

/** The text of an object that has no other. */
function onlyText(json: JsonObject): string | undefined {
  const [text, ...more] = Object.values(json).filter((member) => typeof member === "string");
  return more.length === 0 ? text : undefined;
}

/** Reason why a text is not a list or status; a text of punctuation alone is quoted. */
export function noJson(text: string): string {
  return `the answer is not JSON: ${/[\p{L}\p{N}]/u.test(text) ? text : quoted(text)}`;
}

const MAX_QUOTE = 200;

/** Answer of a node for a message: `"{\"status\":\"ok\"}"` cut to length, or a word for an empty one. */
export function quotable(body: string): string {
  const text = body
    .replace(/^\uFEFF/, "")
    .replace(/\s+/g, " ")
    .trim();
  if (text === "") return "an empty body";
  if (text.startsWith("<")) return titleOf(text);
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text;
}

function titleOf(html: string): string {
  const title = (elementOf(html, /<title/i) ?? elementOf(html, /<h1/i))?.trim();
  return title ? `an HTML page titled "${title}"` : "an HTML page";
}

/** The text of the first such element. By index: a single expression takes quadratic time on tags without an end. */
function elementOf(html: string, tag: RegExp): string | undefined {
  const start = html.search(tag);
  const open = start < 0 ? -1 : html.indexOf(">", start);
  if (open < 0) return undefined;
  const end = html.indexOf("<", open);
  return html.slice(open + 1, end < 0 ? undefined : end);
}

/** Reason of a refused commit, as far as it matters: nothing is staged, or the node cannot apply what is. */
export type CommitRefusal = "nothing-staged" | "not-able";

/** The reason that the node's words give for a refused commit; `undefined` if they give none that is known. */
export function commitRefusalIn(body: string): CommitRefusal | undefined {
  const words = errorText(body).replace(/[\s_-]+/g, " ");
  if (NOT_ABLE.test(words)) return "not-able";
  if (NOTHING_TO_COMMIT.some((one) => one.test(words))) return "nothing-staged";
  return NOT_ALLOWED.test(words) ? "not-able" : undefined;
}

/** Words that also stand where nothing is staged: "Commit not allowed: nothing to commit". */
const NOT_ALLOWED = /\b(permitted|allowed)\b/i;
const NOT_ABLE =
  /\b(permissions?|privileges?|denied|forbidden|(un)?authori[sz]ed|rights?|licen[cs]e[ds]?|spaces?|room|memory|capacity|full|overflow|insufficient|quota|limits?|maximum|exceed(s|ed)?|locked|read only)\b/i;

/** "No changes" alone is no reason: it may be the consequence of one. */
const NOTHING_TO_COMMIT = [
  /\bempty (commits?|change ?sets?|transactions?)\b/i,
  /\bno (staged|pending|uncommitted)\b/i,
  /\bno (\w{1,20} )?(change|modification|commit|entry|entries)s?( (is|are|was|were|has been|have been))? (to (commit|apply)|staged|pending)\b/i,
  /\bnothing( (is|was|has been))?( new| left)? (to (commit|apply)|staged|pending)\b/i,
];
