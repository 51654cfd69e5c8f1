import { isObject, someMember } from "./json";

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
