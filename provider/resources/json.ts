import { declaredNameProblem, type PrefixSetUrl } from "../model/resource-url";

/** Inputs or outputs of a resource as plain JSON, as the engine sends and keeps them. Read once, at a handler's door. */
export type JsonObject = Record<string, unknown>;

/** Plain JSON that is passed on as it is: it can be spread, and nothing can be read from it. */
export type Verbatim = object;

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * True when a member of an object passes. They are looked at one by one: a set has ten thousand members and more, and a
 * list of them (`Object.values`, `Object.entries`) takes several times as long as most looks.
 */
export function someMember(object: Readonly<Record<string, unknown>>, passes: (member: unknown) => boolean): boolean {
  return Object.keys(object).some((key) => passes(object[key]));
}

/** The url of the set that arguments or outputs name; `undefined` where a part of it is unknown, or no name. */
export function setUrl({ arena, profile, set }: { readonly [K in "arena" | "profile" | "set"]?: unknown }) {
  if (!isName(arena) || !isName(set)) return undefined;
  const url: PrefixSetUrl = { kind: "prefixset", arena, set };
  if (profile === undefined) return url;
  return isName(profile) ? { ...url, profile } : undefined;
}

/** {@link setUrl} of a state or of checked inputs. @throws {Error} where they name none */
export function readAddress(json: JsonObject): PrefixSetUrl {
  const address = setUrl(json);
  if (!address) throw new Error("The set has no valid arena, profile and set.");
  return address;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== UNKNOWN && declaredNameProblem(value) === undefined;
}

/** The members that are not named. */
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
 * What the engine puts in place of a value that is not known during a preview. Any string in the inputs of `check` and
 * `diff`, at any depth, can be this one; it must come back unchanged.
 */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** True when a value is unknown or holds something unknown at any depth. */
export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  if (Array.isArray(value)) return value.some(hasUnknown);
  return isObject(value) && someMember(value, hasUnknown);
}
