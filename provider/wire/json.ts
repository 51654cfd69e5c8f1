import { isObject } from "../model/json";
import { jsonIn } from "../model/readable";
import { nextQuote, repeatedMember } from "../model/repeated-member";

const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const HEX = /^0x[\da-f]{1,16}$/i;
const INTEGER = /^-?\d+$/;

/**
 * Reads JSON from a node or receiver. Two things differ from `JSON.parse`:
 *
 * - Integers beyond ±(2⁵³−1) become the text of their digits, since a double would round 64-bit counters and ids.
 *   {@link readNumber} reads both.
 * - A member named `__proto__` is refused: no node sends one, and a later merge of such a record would change the
 *   prototype of unrelated objects.
 *
 * @throws {SyntaxError} if the text is no JSON. @throws {ShapeError} for `__proto__`.
 */
export function parseJson(text: string): unknown {
  // Each test is one fast pass, so that it costs usual answers of megabytes next to nothing.
  const source = hasLongInteger(text) ? quoteUnsafeIntegers(text) : text;
  const suspicious = source.includes("__proto__") || source.includes("\\u00");
  return suspicious ? JSON.parse(source, refuseProto) : JSON.parse(source);
}

/**
 * Refuses a list or status in which an object has one name twice: the last value could be an empty list, and the first the
 * entries. @throws {ShapeError}
 */
export function refuseRepeated(text: string, json: unknown): void {
  const repeated = repeatedMember(text, json);
  if (repeated)
    throw new ShapeError(
      `the member ${quoted(repeated.name)} stands twice in one object`,
      "No setting says which of them counts: let it answer without that, or read it by answers.read.",
    );
}

/** The fewest digits of an integer beyond ±(2⁵³−1). */
const UNSAFE_DIGITS = 16;

/** True for a text with so many digits in a row. It looks at every sixteenth character, one of which is among them. */
function hasLongInteger(text: string): boolean {
  for (let at = UNSAFE_DIGITS - 1; at < text.length; at += UNSAFE_DIGITS) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) continue;
    if (digits(text, at, -1) + digits(text, at + 1, 1) >= UNSAFE_DIGITS) return true;
  }
  return false;
}

/** Number of consecutive digits from a place, forwards or backwards. */
function digits(text: string, from: number, step: 1 | -1): number {
  let count = 0;
  for (let at = from; ; at += step, count++) {
    const code = text.charCodeAt(at);
    if (!(code >= 0x30 && code <= 0x39)) return count;
  }
}

/** Counts quotation marks up to each candidate: digits inside a text stay unchanged. */
function quoteUnsafeIntegers(text: string): string {
  let result = "";
  let copied = 0;
  let inText = false;
  let quote = nextQuote(text, 0);
  for (const match of text.matchAll(LONG_INTEGER)) {
    for (; quote < match.index; quote = nextQuote(text, quote + 1)) inText = !inText;
    const [digits] = match;
    if (inText || Number.isSafeInteger(Number(digits))) continue;
    result += `${text.slice(copied, match.index)}"${digits}"`;
    copied = match.index + digits.length;
  }
  return result + text.slice(copied);
}

function refuseProto(key: string, value: unknown): unknown {
  if (key === "__proto__") throw new ShapeError('a member is named "__proto__"');
  return value;
}

/** A body without the byte order mark before it, and without the blanks and the NUL of a C text behind it. */
export function textOf(body: string): string {
  let end = body.length;
  while (end > 0 && (body.charCodeAt(end - 1) === 0 || body[end - 1]?.trim() === "")) end--;
  return body.slice(0, end).replace(/^\uFEFF/, "");
}

/** The JSON of a whole body; `undefined` for any other text. */
export const jsonOf = (body: string) => jsonIn(textOf(body).trim(), parseJson);

/** A number of a record; `exact` holds the digits if the double is only the nearest one. */
export interface ReadNumber {
  readonly number: number;
  readonly exact?: string;
}

/** A finite number, or the decimal or hexadecimal text of one (some nodes quote numbers); anything else is `undefined`. */
export function readNumber(value: unknown): ReadNumber | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? { number: value } : undefined;
  if (typeof value !== "string" || value.length > 32) return undefined;
  if (HEX.test(value)) return readNumber(BigInt(value).toString());
  if (!INTEGER.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? { number } : { number, exact: value };
}

/** True for `null`, `false`, `0` and empty values, with which some interfaces report that there is none. */
export function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return !value;
}

/**
 * Thrown by the readers of this folder for an answer whose shape neither the contract nor a documented leniency covers.
 * `message` is half a sentence ("element 3 is a number") that the client completes with node and operation.
 */
export class ShapeError extends Error {
  override readonly name = "ShapeError";

  constructor(
    message: string,
    /** A sentence with the setting of the node that would read the answer, if there is one. */
    readonly remedy?: string,
  ) {
    super(message);
  }
}

/** A value in a few words, for messages about answers of unknown shape. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") {
    const names = Object.keys(value);
    if (names.length === 0) return "an empty object";
    return `an object with ${names.slice(0, 5).map(quoted).join(", ")}${names.length > 5 ? ", …" : ""}`;
  }
  return typeof value === "string" ? `the text ${quoted(value)}` : `the ${typeof value} ${String(value)}`;
}

const SKETCHED = { depth: 4, members: 5, length: 160 };

/**
 * The shape of an answer without its data: `{"payload":[{"net":text,"size":number},…]}`. Texts and numbers are omitted, since
 * any of them may be secret.
 */
export function sketch(value: unknown): string {
  const text = outline(value, 0);
  return text.length > SKETCHED.length ? `${text.slice(0, SKETCHED.length)}…` : text;
}

function outline(value: unknown, depth: number): string {
  if (value === null) return "null";
  if (typeof value === "string") return "text";
  if (typeof value !== "object") return typeof value;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    const first = depth < SKETCHED.depth ? outline(value[0], depth + 1) : "…";
    return `[${first}${value.length > 1 ? ",…" : ""}]`;
  }
  const members = Object.entries(value);
  if (members.length === 0) return "{}";
  if (depth >= SKETCHED.depth) return "{…}";
  const shown = members.slice(0, SKETCHED.members);
  const parts = shown.map(([name, member]) => `${quoted(name)}:${outline(member, depth + 1)}`);
  return `{${parts.join(",")}${members.length > shown.length ? ",…" : ""}}`;
}

/** A text from outside, quoted and cut to a length that fits a message. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
