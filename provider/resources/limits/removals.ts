import { parseNote } from "../../model/entry";
import { allowedOf, DEFAULT_MAX_REMOVALS, parseShareLimit, type ShareLimit } from "../../model/limits";
import type { CanonicalPrefix } from "../../model/prefix";
import { grouped } from "../../model/text";
import { isExpired } from "../entries";
import { KeyRegistry } from "../wanted";

/** Limits on the removals of one change from a set, by the arguments of its resource. */
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
    /** True where the user lifted the limits for this set and this run. */
    isLifted: stack.lifts(url),
    /** Limits on entries that get another value, by argument and stack; none without a limit, or if it is lifted. */
    maxChanges: stack.lifts(url) ? [] : ofChanges,
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
    return `${changes} of ${size} entries would get another value, more than ${name} (${limit.text}, here ${most}). If that is meant, raise ${name} or run once with PACKETFILTER_ALLOW=${url}.`;
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
      `${removals} of ${size} entries would be removed, more than maxRemovals (${maxRemovals.text}, here ${limit}). If that is meant, raise maxRemovals or run once with PACKETFILTER_ALLOW=${url}.`,
    );
  }
  return problems;
}

/** Limits of the stack's configuration and the environment on removals and other values. */
interface StackRemovals {
  readonly maxRemovals: ShareLimit | undefined;
  readonly maxChanges: ShareLimit | undefined;
  /** True where the user lifted both for this set and this run. */
  lifts(url: string): boolean;
}

/**
 * `packetfilter:maxRemovals` and `packetfilter:maxChanges` for one set. Counts what all resources of a deployment remove together, single entries and
 * deleted resources included, which the argument of a `PrefixSet` cannot see. Once a limit would have been passed,
 * nothing more is removed, or gets another value: a loop that shrinks by mistake arrives in small groups, each of which would be harmless.
 */
export class RemovalBudget {
  private readonly reasons: { Removals?: string; Changes?: string } = {};

  /** @param counted By default this process is the only one. */
  constructor(
    private readonly stack: () => StackRemovals,
    private readonly url: string,
    private readonly label: string,
    private readonly counted: Counted = {
      endpoint: "",
      removed: new KeyRegistry("removed"),
      changed: new KeyRegistry("changed"),
      learn: () => undefined,
    },
  ) {}

  /** Why nothing at all may be removed: another process may want it, and cannot be asked. */
  unheard(): string | undefined {
    const reason = this.counted.learn();
    return reason && `Set ${this.label}: nothing is removed. ${reason}`;
  }

  /**
   * Asks for these removals, or other values. They count from now on, granted or not.
   *
   * @param what the limit that is asked, as the end of its name: `maxRemovals` or `maxChanges`
   * @param size how many entries the set held when the deployment began
   * @returns why they are not granted, as a sentence
   */
  refuses(what: keyof typeof WORDS, prefixes: readonly CanonicalPrefix[], size: number): string | undefined {
    const { stopped, verb, object, keys } = WORDS[what];
    const { endpoint, learn, [keys]: registry } = this.counted;
    const stack = this.stack();
    const limit = stack[`max${what}`];
    // Told before the others are heard: of two processes that ask at once both may be refused, and never both granted.
    registry.of({ endpoint }, this.url).add(prefixes);
    if (limit === undefined || stack.lifts(this.url)) return undefined;
    const unheard = learn();
    if (unheard !== undefined) return `Set ${this.label}: ${stopped}. ${unheard}`;
    const most = allowedOf(limit, size);
    const total = registry.at({ endpoint }, this.url).size;
    if (total > most)
      this.reasons[what] ??=
        `Set ${this.label}: ${stopped}. This deployment would ${verb} at least ${total} of the ${size} entries that the set held when it began${object}, more than packetfilter:max${what} (${limit.text}, here ${most}) allows. If that is meant, raise it, or run once with PACKETFILTER_ALLOW=${this.url}.`;
    return this.reasons[what];
  }
}

/** Counts of all processes of a deployment together, for one set at one address. */
interface Counted {
  readonly endpoint: string;
  readonly removed: KeyRegistry;
  readonly changed: KeyRegistry;
  /** Takes in what the others told, or says why that cannot be done. */
  readonly learn: () => string | undefined;
}

const WORDS = {
  Removals: { stopped: "nothing more is removed", verb: "remove", object: "", keys: "removed" },
  Changes: { stopped: "no further entry gets another value", verb: "give", object: " another value", keys: "changed" },
} as const;

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
