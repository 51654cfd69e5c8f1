/**
 * Thrown by the readers of this folder when an answer has a shape that the contract and the documented leniencies do
 * not know. `message` is half a sentence ("element 3 is a number") that the client completes with node and operation.
 */
export class ShapeError extends Error {
  override readonly name = "ShapeError";

  constructor(
    message: string,
    /** A sentence with the setting of the node that would read the answer, where there is one. */
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
    return `an object with ${names.slice(0, 5).map(short).join(", ")}${names.length > 5 ? ", …" : ""}`;
  }
  return typeof value === "string" ? `the text ${short(value)}` : `the ${typeof value} ${String(value)}`;
}

const SKETCHED = { depth: 4, members: 5, length: 160 };

/**
 * The shape of an answer without its data: `{"payload":[{"net":text,"size":number},…]}`. Texts and numbers are left out,
 * since any of them may be secret.
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
  const parts = shown.map(([name, member]) => `${short(name)}:${outline(member, depth + 1)}`);
  return `{${parts.join(",")}${members.length > shown.length ? ",…" : ""}}`;
}

/** A text from outside, quoted and cut to a length that fits a message. */
export function short(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** True for JSON objects, which are neither arrays nor null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
