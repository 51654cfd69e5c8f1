import { Secret } from "@pulumi/policy";

/**
 * The plain object behind the proxy in which `@pulumi/policy` wraps properties. The proxy throws at the first unknown
 * value, which would end the rule, and costs a function call for each of 10 000 entries. If another version of the package
 * lacks the hook, the object is returned unchanged.
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
  const target = targetOf(value);
  if (typeof target !== "object" || target === null) return target;
  if (target instanceof Secret) return unwrapDeep(target.value);
  if (Array.isArray(target)) return target.map(unwrapDeep);
  return Object.fromEntries(Object.entries(target).map(([key, member]) => [key, unwrapDeep(member)]));
}

/** The members of a list among properties as they are, secret ones in their wrappers; empty for anything else. */
export function membersOf(value: unknown): readonly unknown[] {
  const target = targetOf(value);
  if (target instanceof Secret) return membersOf(target.value);
  return Array.isArray(target)
    ? target.map(targetOf).map((one) => (one instanceof Secret ? one : unwrapDeep(one)))
    : [];
}

/** The value behind all proxies. */
export function targetOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const target = (value as Record<string, unknown>).__getSpecialProxyTarget;
  return target === undefined ? value : targetOf(target);
}
