import { familyOf, lengthOf, wideFamilies } from "../../model/coverage";
import type { ListedValue } from "../../model/entry";
import { UNKNOWN } from "../../model/json";
import { SHORTEST, uncovered } from "../../model/limits";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { protectedOverlaps } from "../../model/prefix-embedded";
import type { ListedMap } from "../../model/prefix-map";
import { count, some } from "../../model/text";
import type { Settings } from "../../settings/settings";
import { parseAt } from "../entries";

/** Limits on the content of a set, by its arguments and the stack's configuration together. */
export interface ContentLimits {
  readonly forbidden: readonly Prefix[];
  readonly required: readonly Prefix[];
  /** Shortest allowed prefix length. */
  readonly shortest: { readonly ipv4: number; readonly ipv6: number };
  /** The families of which more than a quarter may be covered. */
  readonly wide: ReadonlySet<4 | 6>;
  readonly maxEntries?: number | undefined;
}

/** Arguments that limit the content of a set; an entry has some of them. */
export interface ContentArguments {
  readonly forbiddenPrefixes?: readonly string[] | undefined;
  readonly requiredPrefixes?: readonly string[] | undefined;
  readonly shortestPrefix?: { readonly ipv4?: number | undefined; readonly ipv6?: number | undefined } | undefined;
  readonly maxEntries?: number | undefined;
}

/** Limits of the stack's configuration on every set. */
type StackContent = Pick<Settings, "forbiddenPrefixes" | "requiredPrefixes" | "shortestPrefix" | "maxEntries">;

/** The stricter ones of argument and stack. @throws {ArgumentProblem} for an invalid prefix */
export function contentLimits(given: ContentArguments, stack: StackContent): ContentLimits {
  const { ipv4 = SHORTEST, ipv6 = SHORTEST } = given.shortestPrefix ?? {};
  const ofStack = stack.shortestPrefix();
  const most = [given.maxEntries, stack.maxEntries()].filter((limit) => limit !== undefined);
  return {
    forbidden: [...prefixes("forbiddenPrefixes", given.forbiddenPrefixes), ...stack.forbiddenPrefixes()],
    required: [...prefixes("requiredPrefixes", given.requiredPrefixes), ...stack.requiredPrefixes()],
    shortest: { ipv4: Math.max(ipv4, ofStack.ipv4 ?? 0), ipv6: Math.max(ipv6, ofStack.ipv6 ?? 0) },
    wide: new Set(([4, 6] as const).filter((family) => mayBeWide(family, [given.shortestPrefix, ofStack]))),
    maxEntries: most.length > 0 ? Math.min(...most) : undefined,
  };
}

/** True if arguments or stack allow an entry to be half of a family; a longer length is a limit and allows nothing. */
function mayBeWide(family: 4 | 6, given: readonly ContentArguments["shortestPrefix"][]): boolean {
  const lengths = given.flatMap((shortest) => shortest?.[`ipv${family}`] ?? []);
  return lengths.length > 0 && Math.max(...lengths) <= SHORTEST;
}

/** Sentences about entries that overlap forbidden prefixes, are too short, or cover too much together. */
export function entryProblems(
  entries: readonly CanonicalPrefix[],
  limits: Pick<ContentLimits, "forbidden" | "shortest" | "wide">,
): string[] {
  const overlaps =
    limits.forbidden.length === 0 ? [] : protectedOverlaps(entries.map(Prefix.fromCanonical), limits.forbidden);
  const forbidden = overlaps.map(([entry, other]) =>
    entry.equals(other)
      ? `entry ${entry} is a forbidden prefix (forbiddenPrefixes): remove it.`
      : `entry ${entry} overlaps the forbidden prefix ${other} (forbiddenPrefixes): remove it or narrow it down.`,
  );
  const shortestOf = (entry: CanonicalPrefix) => limits.shortest[`ipv${familyOf(entry)}`];
  const tooShort = entries.filter((entry) => lengthOf(entry) < shortestOf(entry));
  const isTooShort = tooShort.map(
    (entry) =>
      `entry ${entry} is shorter than /${shortestOf(entry)}: write the intended prefixes, or allow it with shortestPrefix.`,
  );
  // One sentence is enough if an entry alone is refused.
  const wide = new Set([...limits.wide, ...tooShort.map(familyOf)]);
  return [...forbidden, ...isTooShort, ...wideProblems(entries, { wide })];
}

/** Sentences about entries that cover too much together. */
export function wideProblems(entries: readonly CanonicalPrefix[], { wide }: Pick<ContentLimits, "wide">): string[] {
  const families = wideFamilies(entries).filter((family) => !wide.has(family));
  return families.map(wideProblem);
}

function wideProblem(family: 4 | 6): string {
  return `the IPv${family} entries together cover more than a quarter of all addresses: write the intended prefixes, or allow it with shortestPrefix ({ ipv${family}: 1 }).`;
}

/** A sentence about values that the node does not take. @param held Entries by state or list, whose values are not judged. */
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
    const missing = uncovered(limits.required, entries.map(Prefix.fromCanonical));
    if (missing.length > 0) {
      problems.push(`no entry covers ${some(missing.map(String))}, required by requiredPrefixes: add it.`);
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
