/**
 * Thrown by the readers of this folder when an answer has a shape that the contract and the documented leniencies do
 * not know. `message` is half a sentence ("element 3 is a number") that the client completes with node and operation.
 */
export class ShapeError extends Error {
  override readonly name = "ShapeError";
}

/** A value in a few words, for messages about answers of unknown shape. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") {
    const names = Object.keys(value);
    if (names.length === 0) return "an empty object";
    return `an object with ${names.slice(0, 5).map(short).join(", ")}${names.length > 5 ? ", …" : ""}`;
  }
  return typeof value === "string" ? `the text ${short(value)}` : `the ${typeof value} ${String(value)}`;
}

/** A text from outside, quoted and cut to a length that fits a message. */
export function short(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** True for JSON objects, which are neither arrays nor null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
