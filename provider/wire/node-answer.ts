import { z } from "zod";
import { parseJson } from "./json";
import { describe, isRecord, ShapeError } from "./shape";

/** A body sorted by what can be read in it. `json` never carries an error marker. */
export type NodeAnswer =
  | { readonly kind: "empty" }
  | { readonly kind: "json"; readonly json: unknown }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "html"; readonly title: string }
  | { readonly kind: "text"; readonly text: string };

/**
 * Sorts a body. The contract shows no answers of the node, so all forms in use for such interfaces are read: JSON with
 * or without an error marker, plain text, nothing. HTML is kept apart: it comes from a proxy, never from the node.
 *
 * @throws {ShapeError} for JSON that must not be read (see {@link parseJson}).
 */
export function readAnswer(body: string): NodeAnswer {
  const text = body.replace(/^\uFEFF/, "").trim();
  if (text === "") return { kind: "empty" };
  if (text.startsWith("<")) return { kind: "html", title: titleOf(text) };
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error) {
    if (error instanceof ShapeError) throw error;
    return { kind: "text", text };
  }
  const message = errorIn(json);
  return message === undefined ? { kind: "json", json } : { kind: "error", message };
}

/** What a body says about an error whose status is known already: the node's own words, as short as they can be told. */
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
      return isRecord(answer.json) ? (wordsOf(answer.json) ?? "") : typeof answer.json === "string" ? answer.json : "";
    default:
      return "";
  }
}

const FAILED = /^(error|err|fail|failed|failure)$/i;
const WORDS = ["message", "msg", "detail", "details", "reason", "text", "description"] as const;

const markers = z.looseObject({
  error: z.unknown().optional(),
  errors: z.unknown().optional(),
  status: z.unknown().optional(),
  result: z.unknown().optional(),
  ok: z.unknown().optional(),
  success: z.unknown().optional(),
});

/** The message of a JSON error marker, whatever the HTTP status; `undefined` when there is none. */
export function errorIn(json: unknown): string | undefined {
  if (!isRecord(json)) return undefined;
  const { error, errors, status, result, ok, success } = markers.parse(json);
  const told = isEmpty(error) ? errors : error;
  const failed =
    !isEmpty(told) || [status, result].some((word) => typeof word === "string" && FAILED.test(word)) || ok === false;
  if (!failed && success !== false) return undefined;
  return wordsOf(told) ?? wordsOf(json) ?? "the answer carries an error marker without a message";
}

/** `null`, `false`, `0` and empty things under `error` are how some interfaces say that there is none. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.keys(value).length === 0;
  return !value;
}

function wordsOf(value: unknown): string | undefined {
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  if (typeof value === "number") return `error ${value}`;
  if (Array.isArray(value)) return wordsOf(value[0]);
  if (!isRecord(value)) return undefined;
  for (const name of WORDS) {
    const words = wordsOf(value[name]);
    if (words !== undefined) return words;
  }
  return undefined;
}

const ENVELOPES = ["data", "result", "entries", "records", "items", "list"] as const;

/**
 * The elements of a list: a bare array, or the one array (or null, which is how some languages write an empty one)
 * under one of the usual names. `undefined` when the value is neither; never an empty list by default.
 *
 * @throws {ShapeError} when two arrays compete, or when the answer says itself that it is not the whole list.
 */
export function openEnvelope(json: unknown): readonly unknown[] | undefined {
  if (Array.isArray(json)) return json;
  if (!isRecord(json)) return undefined;
  const present = ENVELOPES.filter((name) => Object.hasOwn(json, name));
  const arrays = present.filter((name) => Array.isArray(json[name]));
  if (arrays.length > 1) throw new ShapeError(`both "${arrays[0]}" and "${arrays[1]}" are arrays`);
  const nulls = present.filter((name) => json[name] === null);
  if (arrays.length === 0 && nulls.length !== 1) return undefined;
  const found: unknown = arrays.length === 1 ? json[arrays[0] ?? ""] : [];
  const elements: readonly unknown[] = Array.isArray(found) ? found : [];
  refusePartial(json, elements.length);
  return elements;
}

const MORE = ["next", "cursor", "more", "has_more", "hasMore", "truncated"] as const;
const TOTALS = ["total", "count"] as const;

/** The contract knows no pages. Part of a list, read as the whole, would look as if entries had vanished. */
function refusePartial(json: Readonly<Record<string, unknown>>, length: number): void {
  for (const name of MORE) if (!isEmpty(json[name])) throw new ShapeError(`"${name}" says that the list goes on`);
  for (const name of TOTALS) {
    const total = json[name];
    if (typeof total === "number" && total > length)
      throw new ShapeError(`"${name}" is ${total} and ${length} are listed`);
  }
}

/** Says what a list answer was instead. */
export function notAList(json: unknown): ShapeError {
  return new ShapeError(`the answer is ${describe(json)}`);
}

function titleOf(html: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(html)?.[1] ?? /<h1[^>]*>([^<]*)/i.exec(html)?.[1];
  return title?.trim() ? `an HTML page titled "${title.trim()}"` : "an HTML page";
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
