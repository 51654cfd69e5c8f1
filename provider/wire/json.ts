import { isRecord, ShapeError } from "./shape";

const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const INTEGER = /^-?\d+$/;

/**
 * Reads JSON from a node or receiver. Two things differ from `JSON.parse`:
 *
 * - Integers beyond ±(2⁵³−1) come as the text of their digits, since a double would round 64-bit counters and ids.
 *   {@link readNumber} understands both.
 * - A member named `__proto__` is refused: no node sends one, and a later merge of such a record would change the
 *   prototype of unrelated objects.
 *
 * @throws {SyntaxError} when the text is no JSON. @throws {ShapeError} for `__proto__`.
 */
export function parseJson(text: string): unknown {
  // Each test is one quick pass, so that the usual answer of megabytes pays next to nothing for them.
  const source = hasLongInteger(text) ? quoteUnsafeIntegers(text) : text;
  const suspicious = source.includes("__proto__") || source.includes("\\u00");
  return suspicious ? JSON.parse(source, refuseProto) : JSON.parse(source);
}

/** The fewest digits of an integer beyond ±(2⁵³−1). */
const LONG = 16;

/** True where so many digits stand together. Of any that do, one is at a place that is looked at. */
function hasLongInteger(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (digits(text, at, -1) + digits(text, at + 1, 1) >= LONG) return true;
  }
  return false;
}

/** How many digits stand together from a place on, forwards or backwards. */
function digits(text: string, from: number, step: 1 | -1): number {
  let count = 0;
  for (let at = from; ; at += step, count++) {
    const code = text.charCodeAt(at);
    if (!(code >= 0x30 && code <= 0x39)) return count;
  }
}

/** Quotation marks are counted up to each candidate: digits inside a text stay as they are. */
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

/** Where the next quotation mark stands that begins or ends a text; the length when there is none. */
function nextQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

function refuseProto(key: string, value: unknown): unknown {
  if (key === "__proto__") throw new ShapeError('a member is named "__proto__"');
  return value;
}

/** A number of a record; `exact` holds the digits where the double is only the nearest one. */
export interface ReadNumber {
  readonly number: number;
  readonly exact?: string;
}

/** A finite number, or the decimal text of one (some nodes quote numbers); anything else is `undefined`. */
export function readNumber(value: unknown): ReadNumber | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? { number: value } : undefined;
  if (typeof value !== "string" || value.length > 32 || !INTEGER.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? { number } : { number, exact: value };
}

/** `null`, `false`, `0` and empty things are how some interfaces say that there is none. */
export function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.keys(value).length === 0;
  return !value;
}
