import { parseNote } from "../model/entry-note";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { isExpired, parseAt } from "./entries";
import type { ContentRails, RemovalRails } from "./rails";
import type { Settings } from "./settings";
import { UNKNOWN } from "./unknown";

/** The arguments that limit a set; an entry has some of them. */
export interface LimitArguments {
  readonly forbiddenPrefixes?: readonly string[] | undefined;
  readonly requiredPrefixes?: readonly string[] | undefined;
  readonly shortestPrefix?: { readonly ipv4?: number | undefined; readonly ipv6?: number | undefined } | undefined;
  readonly maxEntries?: number | undefined;
  readonly maxRemovals?: number | string | undefined;
  readonly allowEmpty?: boolean | undefined;
}

/**
 * What a set may hold: its arguments, united with what the stack's configuration forbids and requires.
 * @throws {ArgumentProblem} for a prefix that is none
 */
export function contentRails(limits: LimitArguments, settings: Settings): ContentRails {
  const { ipv4 = 1, ipv6 = 1 } = limits.shortestPrefix ?? {};
  return {
    forbidden: [...prefixes("forbiddenPrefixes", limits.forbiddenPrefixes), ...settings.forbiddenPrefixes()],
    required: [...prefixes("requiredPrefixes", limits.requiredPrefixes), ...settings.requiredPrefixes()],
    shortest: { ipv4, ipv6 },
    maxEntries: limits.maxEntries,
  };
}

/** How much of a set may go at once. */
export function removalRails(
  { maxRemovals = "50%", allowEmpty = false }: LimitArguments,
  lifted: boolean,
): RemovalRails {
  return { maxRemovals, allowEmpty, removalsLifted: lifted };
}

/** How many of these entries go although their time has not come: those are what the limits count. */
export function unexpiredRemovals(
  removed: Iterable<CanonicalPrefix>,
  notes: ReadonlyMap<CanonicalPrefix, string>,
  now: number,
): number {
  const prefixes = [...removed];
  return prefixes.length - expiredOf(prefixes, notes, now).size;
}

/** Those of these entries whose time has come. */
export function expiredOf(
  prefixes: Iterable<CanonicalPrefix>,
  notes: ReadonlyMap<CanonicalPrefix, string>,
  now: number,
): ReadonlySet<CanonicalPrefix> {
  return new Set([...prefixes].filter((prefix) => isExpired(parseNote(notes.get(prefix)).expires, now)));
}

function prefixes(argument: string, spellings: readonly string[] = []): Prefix[] {
  return spellings.flatMap((spelling, index) =>
    spelling === UNKNOWN ? [] : [Prefix.fromCanonical(parseAt(() => `${argument}[${index}]`, spelling))],
  );
}
