import { ShapeError } from "./shape";

const LONG_NUMBER = /\d{16}/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
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
  // Both tests are one pass of native code, so that the usual answer of megabytes pays next to nothing for them.
  const source = LONG_NUMBER.test(text) ? text.replace(STRING_OR_NUMBER, quoteUnsafeInteger) : text;
  const suspicious = source.includes("__proto__") || source.includes("\\u00");
  return suspicious ? JSON.parse(source, refuseProto) : JSON.parse(source);
}

function quoteUnsafeInteger(token: string): string {
  return INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
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
