import { parseNote } from "../../model/entry";
import type { CanonicalPrefix } from "../../model/prefix";
import { grouped } from "../../model/text";
import { isExpired } from "../entries";

/** `maxRemovals` and `maxChanges`, as an argument and in the stack's configuration: entries, or percent of what a set holds. */
export interface ShareLimit {
  /** As it was written. */
  readonly text: string;
  /** The number of entries, for a set that holds so many. */
  of(size: number): number;
}

/** Reads `500`, `"500"` and `"20%"`; `undefined` where it is none of them. */
export function parseShareLimit(value: number | string): ShareLimit | undefined {
  const text = String(value);
  if (typeof value === "number" ? Number.isInteger(value) && value >= 0 : /^\d{1,9}$/.test(text)) {
    return { text, of: () => Number(text) };
  }
  const percent = /^(100|\d{1,2})(\.\d+)?%$/.exec(text) ? Number.parseFloat(text) : Number.NaN;
  return percent <= 100 ? { text, of: (size) => Math.floor((percent / 100) * size) } : undefined;
}

/** Entries. So few removals or changes need no permission, whatever the size of the set: half of three is soon changed. */
const ALWAYS_ALLOWED_REMOVALS = 20;
/** Of a `PrefixSet` without `maxRemovals`: a list that arrives half empty is a mistake more often than not. */
const DEFAULT_MAX_REMOVALS = "50%";

/** How much one change may remove from a set, by the arguments of its resource. */
export type RemovalLimits = ReturnType<typeof removalLimits>;

/** The arguments that limit removals. */
export interface RemovalArguments {
  readonly maxRemovals?: number | string | undefined;
  readonly maxChanges?: number | string | undefined;
  readonly allowEmpty?: boolean | undefined;
}

/** The limits of one set; the arguments are checked before. */
export function removalLimits(
  { maxRemovals = DEFAULT_MAX_REMOVALS, maxChanges, allowEmpty = false }: RemovalArguments,
  stack: StackRemovals,
  url: string,
) {
  const parsed = parseShareLimit(maxRemovals);
  if (parsed === undefined) throw new Error(`maxRemovals: ${maxRemovals} is no limit.`);
  const own = { name: "maxChanges", limit: maxChanges === undefined ? undefined : parseShareLimit(maxChanges) };
  const ofStack = { name: "packetfilter:maxChanges", limit: stack.maxChanges };
  const ofChanges = [own, ofStack].flatMap(({ name, limit }) => (limit ? [{ name, limit }] : []));
  return {
    maxRemovals: parsed,
    allowEmpty,
    /** True when the user lifted the limit on removals for this set and this run. */
    isLifted: stack.liftsRemovals(url),
    /** How many entries may get another value, by argument and stack; none where no limit is asked for, or it is lifted. */
    maxChanges: stack.liftsChanges(url) ? [] : ofChanges,
  };
}

/**
 * Sentences about a change: too many removals or other values, or a set that had entries and would have none.
 *
 * @param change `size`: entries before; `removals`: those that go, expired ones not counted; `changes`: those that get
 * another value; `left`: entries after
 */
export function removalProblems(
  url: string,
  { size, removals, changes, left }: { size: number; removals: number; changes: number; left: number },
  { maxRemovals, allowEmpty, isLifted, maxChanges }: RemovalLimits,
): string[] {
  const problems = maxChanges.flatMap(({ name, limit }) => {
    const most = allowedOf(limit, size);
    if (changes <= most) return [];
    return `${changes} of ${size} entries would get another value, more than ${name} (${limit.text}, here ${most}). If that is meant, raise ${name} or run once with PACKETFILTER_ALLOW_CHANGES=${url}.`;
  });
  if (removals === 0) return problems;
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

/** What the stack's configuration and the environment say about removals and other values. */
interface StackRemovals {
  readonly maxRemovals: ShareLimit | undefined;
  readonly maxChanges: ShareLimit | undefined;
  liftsRemovals(url: string): boolean;
  liftsChanges(url: string): boolean;
}

/**
 * `packetfilter:maxRemovals` and `packetfilter:maxChanges` for one set. Counts what all resources of a deployment remove together, single entries and
 * deleted resources included, which the argument of a `PrefixSet` cannot see. Once a limit would have been passed,
 * nothing more is removed, or gets another value: a loop that shrinks by mistake arrives in small groups, each of which would be harmless.
 */
export class RemovalBudget {
  private readonly tallies = { Removals: new Tally(), Changes: new Tally() };

  constructor(
    private readonly stack: () => StackRemovals,
    private readonly url: string,
    private readonly label: string,
  ) {}

  /**
   * Asks for these removals, or other values; what is granted counts from now on.
   *
   * @param what the limit that is asked, as the end of its name: `maxRemovals` or `maxChanges`
   * @param size how many entries the set held when the deployment began
   * @returns why they are not granted, as a sentence
   */
  refuses(what: keyof typeof WORDS, prefixes: readonly CanonicalPrefix[], size: number): string | undefined {
    const stack = this.stack();
    const limit = stack[`max${what}`];
    if (limit === undefined || stack[`lifts${what}`](this.url)) return undefined;
    const most = allowedOf(limit, size);
    const { stopped, verb, object } = WORDS[what];
    const refusal = (total: number) =>
      `Set ${this.label}: ${stopped}. This deployment would ${verb} at least ${total} of the ${size} entries that the set held when it began${object}, more than packetfilter:max${what} (${limit.text}, here ${most}) allows. If that is meant, raise it, or run once with PACKETFILTER_ALLOW_${what.toUpperCase()}=${this.url}.`;
    return this.tallies[what].refuses(prefixes, most, refusal);
  }
}

const WORDS = {
  Removals: { stopped: "nothing more is removed", verb: "remove", object: "" },
  Changes: { stopped: "no further entry gets another value", verb: "give", object: " another value" },
} as const;

/** What was granted so far, and why nothing more is. */
class Tally {
  private readonly granted = new Set<CanonicalPrefix>();
  private reason: string | undefined;

  refuses(prefixes: readonly CanonicalPrefix[], limit: number, refusal: (total: number) => string): string | undefined {
    const all = new Set([...this.granted, ...prefixes]);
    if (all.size > limit) this.reason ??= refusal(all.size);
    if (this.reason === undefined) for (const prefix of prefixes) this.granted.add(prefix);
    return this.reason;
  }
}

/** Those of these entries whose time has come: no limit counts them. */
export function expiredOf(
  prefixes: Iterable<CanonicalPrefix>,
  notes: ReadonlyMap<CanonicalPrefix, string>,
  now: number,
): ReadonlySet<CanonicalPrefix> {
  // Most sets have no notes, and no note has nothing to say.
  if (notes.size === 0) return new Set();
  const isOver = (note: string | undefined) => note !== undefined && isExpired(parseNote(note).expires, now);
  return new Set([...prefixes].filter((prefix) => isOver(notes.get(prefix))));
}

function allowedOf(limit: ShareLimit, size: number): number {
  return Math.max(ALWAYS_ALLOWED_REMOVALS, limit.of(size));
}
