import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { overlaps, PrefixIndex } from "../model/prefix-index";
import { count, grouped, some } from "../model/text";

/** So many removals need no permission, whatever the size of the set. */
export const ALWAYS_ALLOWED_REMOVALS = 20;

/** What a set may hold, by its arguments and the stack's configuration together. */
export interface ContentRails {
  readonly forbidden: readonly Prefix[];
  readonly required: readonly Prefix[];
  /** Shortest prefix length that is let in. */
  readonly shortest: { readonly ipv4: number; readonly ipv6: number };
  readonly maxEntries?: number | undefined;
}

/** How much of a set may go at once. */
export interface RemovalRails {
  /** A number of entries, or percent of what is there, as `"50%"`. */
  readonly maxRemovals: number | string;
  readonly allowEmpty: boolean;
  /** True when the user lifted the limit on removals for this set and this run. */
  readonly removalsLifted: boolean;
}

/** Sentences about entries that must not be in the set, in either direction of containment, or that are too short. */
export function entryProblems(
  entries: readonly CanonicalPrefix[],
  rails: Pick<ContentRails, "forbidden" | "shortest">,
): string[] {
  const prefixes = rails.forbidden.length > 0 ? entries.map((entry) => Prefix.fromCanonical(entry)) : [];
  const forbidden = overlaps(prefixes, rails.forbidden).map(([entry, other]) =>
    entry.equals(other)
      ? `entry ${entry} is a forbidden prefix (forbiddenPrefixes): remove it.`
      : `entry ${entry} overlaps the forbidden prefix ${other} (forbiddenPrefixes): remove it or narrow it down.`,
  );
  const short = entries.flatMap((entry) => {
    const limit = entry.includes(":") ? rails.shortest.ipv6 : rails.shortest.ipv4;
    return Number(entry.slice(entry.indexOf("/") + 1)) < limit
      ? [
          `entry ${entry} is shorter than /${limit}: write the prefixes that are meant, or allow it with shortestPrefix.`,
        ]
      : [];
  });
  return [...forbidden, ...short];
}

/** Sentences about a whole set: missing required prefixes, too many entries. */
export function contentProblems(
  entries: readonly CanonicalPrefix[],
  rails: Pick<ContentRails, "required" | "maxEntries">,
): string[] {
  const problems: string[] = [];
  if (rails.required.length > 0) {
    const index = PrefixIndex.of(entries.map((entry) => Prefix.fromCanonical(entry)));
    const uncovered = rails.required.filter((prefix) => index.longestMatch(prefix) === undefined);
    if (uncovered.length > 0) {
      problems.push(`no entry covers ${some(uncovered.map(String))}, required by requiredPrefixes: add it.`);
    }
  }
  if (rails.maxEntries !== undefined && entries.length > rails.maxEntries) {
    problems.push(`${count(entries.length, "entry is", "entries are")} more than maxEntries (${rails.maxEntries}).`);
  }
  return problems;
}

/**
 * Sentences about a change: too many removals, or a set that had entries and would have none.
 *
 * @param size how many entries there are before
 * @param removals how many of them go, expired ones not counted
 */
export function removalProblems(
  url: string,
  change: { size: number; removals: number; left: number },
  rails: RemovalRails,
): string[] {
  const { size, removals, left } = change;
  if (removals === 0) return [];
  const problems: string[] = [];
  const limit = Math.max(ALWAYS_ALLOWED_REMOVALS, removalLimit(rails.maxRemovals, size));
  if (left === 0 && !rails.allowEmpty) {
    problems.push(
      `${size === 1 ? "the only entry" : `all ${grouped(size)} entries`} would be removed: if the set is to be empty, set allowEmpty: true.`,
    );
  }
  if (removals > limit && !rails.removalsLifted) {
    problems.push(
      `${removals} of ${size} entries would be removed, more than maxRemovals (${rails.maxRemovals}, here ${limit}). If that is meant, raise maxRemovals or run once with PACKETFILTER_ALLOW_REMOVALS=${url}.`,
    );
  }
  return problems;
}

function removalLimit(maxRemovals: number | string, size: number): number {
  if (typeof maxRemovals === "number") return maxRemovals;
  return Math.floor((Number.parseFloat(maxRemovals) / 100) * size);
}
