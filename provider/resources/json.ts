/** Inputs or outputs of a resource as plain JSON, as the engine sends and keeps them. Read once, at a handler's door. */
export type JsonObject = Record<string, unknown>;

/** Plain JSON that is passed on as it is: it can be spread, and nothing can be read from it. */
export type Verbatim = object;

/** The members that are not named. */
export function without(json: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(json).filter(([key]) => !names.includes(key)));
}

/** True when two JSON values are the same, whatever the order of members. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  const right = new Map<string, unknown>(Object.entries(b));
  return left.length === right.size && left.every(([key, value]) => sameJson(value, right.get(key)));
}
