import type { ListedValue } from "../../model/entry";
import { UNKNOWN } from "../../model/json";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { protectedOverlaps } from "../../model/prefix-embedded";
import { PrefixIndex } from "../../model/prefix-index";
import type { ListedMap } from "../../model/prefix-map";
import { count, some } from "../../model/text";
import { parseAt } from "../entries";
import type { Settings } from "../settings";

/** What a set may hold, by its arguments and the stack's configuration together. */
export interface ContentLimits {
  readonly forbidden: readonly Prefix[];
  readonly required: readonly Prefix[];
  /** Shortest prefix length that is let in. */
  readonly shortest: { readonly ipv4: number; readonly ipv6: number };
  readonly maxEntries?: number | undefined;
}

/** The arguments that limit what a set holds; an entry has some of them. */
export interface ContentArguments {
  readonly forbiddenPrefixes?: readonly string[] | undefined;
  readonly requiredPrefixes?: readonly string[] | undefined;
  readonly shortestPrefix?: { readonly ipv4?: number | undefined; readonly ipv6?: number | undefined } | undefined;
  readonly maxEntries?: number | undefined;
}

/** What the stack's configuration says about every set. */
type StackContent = Pick<Settings, "forbiddenPrefixes" | "requiredPrefixes" | "shortestPrefix" | "maxEntries">;

/** By default a default route (`/0`) is refused, and nothing else. */
const SHORTEST = 1;

/** Of argument and stack the stricter one holds. @throws {ArgumentProblem} for a prefix that is none */
export function contentLimits(given: ContentArguments, stack: StackContent): ContentLimits {
  const { ipv4 = SHORTEST, ipv6 = SHORTEST } = given.shortestPrefix ?? {};
  const ofStack = stack.shortestPrefix();
  const most = [given.maxEntries, stack.maxEntries()].filter((limit) => limit !== undefined);
  return {
    forbidden: [...prefixes("forbiddenPrefixes", given.forbiddenPrefixes), ...stack.forbiddenPrefixes()],
    required: [...prefixes("requiredPrefixes", given.requiredPrefixes), ...stack.requiredPrefixes()],
    shortest: { ipv4: Math.max(ipv4, ofStack.ipv4 ?? 0), ipv6: Math.max(ipv6, ofStack.ipv6 ?? 0) },
    maxEntries: most.length > 0 ? Math.min(...most) : undefined,
  };
}

/** Sentences about entries that must not be in the set, in either direction of containment, or that are too short. */
export function entryProblems(
  entries: readonly CanonicalPrefix[],
  limits: Pick<ContentLimits, "forbidden" | "shortest">,
): string[] {
  const overlaps =
    limits.forbidden.length === 0 ? [] : protectedOverlaps(entries.map(Prefix.fromCanonical), limits.forbidden);
  const forbidden = overlaps.map(([entry, other]) =>
    entry.equals(other)
      ? `entry ${entry} is a forbidden prefix (forbiddenPrefixes): remove it.`
      : `entry ${entry} overlaps the forbidden prefix ${other} (forbiddenPrefixes): remove it or narrow it down.`,
  );
  const short = entries.flatMap((entry) => {
    const shortest = entry.includes(":") ? limits.shortest.ipv6 : limits.shortest.ipv4;
    return Number(entry.slice(entry.indexOf("/") + 1)) < shortest
      ? [
          `entry ${entry} is shorter than /${shortest}: write the prefixes that are meant, or allow it with shortestPrefix.`,
        ]
      : [];
  });
  return [...forbidden, ...short];
}

/**
 * A sentence about values that the node does not take; those that it holds already are none.
 *
 * @param held what the set holds by state or list
 */
export function valueProblems(entries: ListedMap, held: ListedMap, maxValue: number | undefined): string[] {
  if (maxValue === undefined) return [];
  const isTooLarge = ([prefix, value]: [CanonicalPrefix, ListedValue]) =>
    typeof value === "number" && value > maxValue && held.get(prefix) !== value;
  const large = [...entries].filter(isTooLarge).map(([prefix]) => prefix);
  if (large.length === 0) return [];
  return [`the node takes no value above ${maxValue} (maxValue): give ${some(large)} a smaller one.`];
}

/** Sentences about a whole set: missing required prefixes, too many entries. */
export function contentProblems(
  entries: readonly CanonicalPrefix[],
  limits: Pick<ContentLimits, "required" | "maxEntries">,
): string[] {
  const problems: string[] = [];
  if (limits.required.length > 0) {
    const index = PrefixIndex.of(entries.map((entry) => Prefix.fromCanonical(entry)));
    const uncovered = limits.required.filter((prefix) => index.longestMatch(prefix) === undefined);
    if (uncovered.length > 0) {
      problems.push(`no entry covers ${some(uncovered.map(String))}, required by requiredPrefixes: add it.`);
    }
  }
  if (limits.maxEntries !== undefined && entries.length > limits.maxEntries) {
    problems.push(`${count(entries.length, "entry is", "entries are")} more than maxEntries (${limits.maxEntries}).`);
  }
  return problems;
}

function prefixes(argument: string, spellings: readonly string[] = []): Prefix[] {
  return spellings.flatMap((spelling, index) =>
    spelling === UNKNOWN ? [] : [Prefix.fromCanonical(parseAt(() => `${argument}[${index}]`, spelling))],
  );
}
