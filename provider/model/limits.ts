/**
 * Limits on the content of sets and on changes, shared by arguments of resources, keys of stacks, commands and policies
 * (docs/guides/teams.md#limits-for-every-team). `prefix-embedded.ts` checks protected prefixes, `coverage.ts` a default route
 * in pieces.
 */
import type { Prefix } from "./prefix";
import { PrefixIndex } from "./prefix-index";

/** Shortest prefix that is allowed by default, in bits: the default route (`/0`) is refused. */
export const SHORTEST = 1;

/** Limit of a `PrefixSet` without `maxRemovals`: a list that lost half of its entries is usually a mistake. */
export const DEFAULT_MAX_REMOVALS = "50%";

/** Number of removals or changes that need no permission, whatever the size of the set: a small set soon changes by half. */
export const ALWAYS_ALLOWED = 20;

/** `maxRemovals` and `maxChanges` as a text: entries, or percent of what a set holds. */
export const SHARE_TEXT = /^(?:\d{1,9}|(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)%)$/;

/** A number of entries, or a share of a set. */
export interface ShareLimit {
  /** As it was written. */
  readonly text: string;
  /** The number of entries, for a set that holds so many. */
  of(size: number): number;
}

/** Reads `500`, `"500"` and `"20%"`; `undefined` for anything else. */
export function parseShareLimit(value: number | string): ShareLimit | undefined {
  const text = String(value);
  if (!SHARE_TEXT.test(text) || (typeof value === "number" && !Number.isInteger(value))) return undefined;
  return { text, of: text.endsWith("%") ? shareOf(text.slice(0, -1)) : () => Number(text) };
}

/** The share by a percentage, rounded down, in integers: as a floating-point number, 29 % of 100 is less than 29. */
function shareOf(percent: string): ShareLimit["of"] {
  const [whole = "", decimals = ""] = percent.split(".");
  const part = BigInt(whole + decimals);
  const all = 100n * 10n ** BigInt(decimals.length);
  return (size) => Number((BigInt(size) * part) / all);
}

/** Number of entries of a set that may be removed, or get another value. */
export function allowedOf(limit: ShareLimit, size: number): number {
  return Math.max(ALWAYS_ALLOWED, limit.of(size));
}

/** The required prefixes that no entry covers. */
export function uncovered(required: readonly Prefix[], entries: Iterable<Prefix>): Prefix[] {
  if (required.length === 0) return [];
  const index = PrefixIndex.of(entries);
  return required.filter((prefix) => index.longestMatch(prefix) === undefined);
}
