/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for what JSON calls an object: neither an array nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON object for its members; anything else has none. */
export function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Plain JSON that is passed on unchanged: the type allows spreading, and no reading. */
export type Verbatim = object;

/**
 * True if a member of an object passes. Visits members one by one: for ten thousand of them, `Object.values` or
 * `Object.entries` takes several times as long.
 */
export function someMember(object: JsonObject, passes: (member: unknown) => boolean): boolean {
  return Object.keys(object).some((key) => passes(object[key]));
}

/** The object without the named members. */
export function without(json: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(json).filter(([key]) => !names.includes(key)));
}

/** True when two JSON values are the same, whatever the order of members. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, index) => sameJson(value, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

/**
 * Marker of the engine for a value that is unknown during a preview. Any string in the inputs of `check` and
 * `diff`, at any depth, can be this one; it must come back unchanged.
 */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** True when a value is unknown or holds something unknown at any depth. */
export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  if (Array.isArray(value)) return value.some(hasUnknown);
  return isObject(value) && someMember(value, hasUnknown);
}
