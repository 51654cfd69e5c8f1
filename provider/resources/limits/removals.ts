import { parseNote } from "../../model/entry-note";
import type { CanonicalPrefix } from "../../model/prefix";
import { grouped } from "../../model/text";
import { isExpired } from "../entries";
import { type MaxRemovals, parseMaxRemovals } from "./max-removals";

/** Entries. So few removals need no permission, whatever the size of the set: half of three entries is soon changed. */
const ALWAYS_ALLOWED_REMOVALS = 20;
/** Of a `PrefixSet` without `maxRemovals`: a list that arrives half empty is a mistake more often than not. */
const DEFAULT_MAX_REMOVALS = "50%";

/** How much one change may remove from a set, by the arguments of its resource. */
export interface RemovalLimits {
  readonly maxRemovals: MaxRemovals;
  readonly allowEmpty: boolean;
  /** True when the user lifted the limit on removals for this set and this run. */
  readonly isLifted: boolean;
}

/** The arguments that limit removals. */
export interface RemovalArguments {
  readonly maxRemovals?: number | string | undefined;
  readonly allowEmpty?: boolean | undefined;
}

/** @param given checked before */
export function removalLimits(
  { maxRemovals = DEFAULT_MAX_REMOVALS, allowEmpty = false }: RemovalArguments,
  isLifted: boolean,
): RemovalLimits {
  const parsed = parseMaxRemovals(maxRemovals);
  if (parsed === undefined) throw new Error(`maxRemovals: ${maxRemovals} is no limit.`);
  return { maxRemovals: parsed, allowEmpty, isLifted };
}

/**
 * Sentences about a change: too many removals, or a set that had entries and would have none.
 *
 * @param change `size`: entries before; `removals`: those that go, expired ones not counted; `left`: entries after
 */
export function removalProblems(
  url: string,
  { size, removals, left }: { size: number; removals: number; left: number },
  { maxRemovals, allowEmpty, isLifted }: RemovalLimits,
): string[] {
  if (removals === 0) return [];
  const problems: string[] = [];
  const limit = allowedOf(maxRemovals, size);
  if (left === 0 && !allowEmpty) {
    problems.push(
      `${size === 1 ? "the only entry" : `all ${grouped(size)} entries`} would be removed: if the set is to be empty, set allowEmpty: true.`,
    );
  }
  if (removals > limit && !isLifted) {
    problems.push(
      `${removals} of ${size} entries would be removed, more than maxRemovals (${maxRemovals.text}, here ${limit}). If that is meant, raise maxRemovals or run once with PACKETFILTER_ALLOW_REMOVALS=${url}.`,
    );
  }
  return problems;
}

/** What the stack's configuration and the environment say about removals. */
interface StackRemovals {
  readonly maxRemovals: MaxRemovals | undefined;
  liftsRemovals(url: string): boolean;
}

/**
 * `packetfilter:maxRemovals` for one set. Counts what all resources of a deployment remove together, single entries and
 * deleted resources included, which the argument of a `PrefixSet` cannot see. Once the limit would have been passed,
 * nothing more is removed: a loop that shrinks by mistake arrives in small groups, each of which would be harmless.
 */
export class RemovalBudget {
  private readonly removed = new Set<CanonicalPrefix>();
  private reason: string | undefined;

  constructor(
    private readonly stack: () => StackRemovals,
    private readonly url: string,
    private readonly label: string,
  ) {}

  /**
   * Asks for these removals; what is granted counts from now on.
   *
   * @param size how many entries the set held when the deployment began
   * @returns why they are not granted, as a sentence
   */
  refuses(prefixes: readonly CanonicalPrefix[], size: number): string | undefined {
    const { maxRemovals } = this.stack();
    if (maxRemovals === undefined || this.stack().liftsRemovals(this.url) || prefixes.length === 0) return undefined;
    const limit = allowedOf(maxRemovals, size);
    const all = new Set([...this.removed, ...prefixes]);
    if (all.size > limit) {
      this.reason ??= `Set ${this.label}: nothing more is removed. This deployment would remove at least ${all.size} of the ${size} entries that the set held when it began, more than packetfilter:maxRemovals (${maxRemovals.text}, here ${limit}) allows. If that is meant, raise it, or run once with PACKETFILTER_ALLOW_REMOVALS=${this.url}.`;
    }
    if (this.reason === undefined) for (const prefix of prefixes) this.removed.add(prefix);
    return this.reason;
  }
}

/** Those of these entries whose time has come: no limit counts them. */
export function expiredOf(
  prefixes: Iterable<CanonicalPrefix>,
  notes: ReadonlyMap<CanonicalPrefix, string>,
  now: number,
): ReadonlySet<CanonicalPrefix> {
  return new Set([...prefixes].filter((prefix) => isExpired(parseNote(notes.get(prefix)).expires, now)));
}

function allowedOf(maxRemovals: MaxRemovals, size: number): number {
  return Math.max(ALWAYS_ALLOWED_REMOVALS, maxRemovals.of(size));
}
