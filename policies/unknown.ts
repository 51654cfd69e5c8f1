import { Secret } from "@pulumi/policy";

/**
 * Thrown while a preview runs, when a rule reads a property whose value an update will bring. The rule is not judged
 * then and says so; the other rules go on.
 */
export class NotYetKnown extends Error {
  override readonly name = "NotYetKnown";

  constructor(
    /** The property, for example `entries`. */
    readonly property: string,
  ) {
    super(`\`${property}\` is not known before the update`);
  }
}

// What the engine sends in place of values that a preview cannot know: one constant for each type, fixed by its protocol.
const MARKERS = new Set<unknown>([
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** True for a value that is not known before the update. */
export function isUnknown(value: unknown): boolean {
  return typeof value === "string" && MARKERS.has(value);
}

/**
 * The plain object behind the proxy in which `@pulumi/policy` wraps properties. That proxy throws at the first unknown
 * value, which would end the whole rule, and costs a function call for each of 10 000 entries. Without the hook
 * (another version of the package) the object is returned as it is.
 */
export function unwrap(properties: Record<string, unknown>): Record<string, unknown> {
  const target = properties.__getSpecialProxyTarget;
  return typeof target === "object" && target !== null ? (target as Record<string, unknown>) : properties;
}

/**
 * A copy without proxies and without the wrappers of secrets. For remediations, whose properties are wrapped twice, and
 * by a proxy that breaks array methods.
 */
export function unwrapDeep(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const target = (value as Record<string, unknown>).__getSpecialProxyTarget;
  if (target !== undefined) return unwrapDeep(target);
  if (value instanceof Secret) return unwrapDeep(value.value);
  if (Array.isArray(value)) return value.map(unwrapDeep);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unwrapDeep(member)]));
}
