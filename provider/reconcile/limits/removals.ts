import { parseNote } from "../../model/entry";
import { allowedOf, DEFAULT_MAX_REMOVALS, parseShareLimit, type ShareLimit } from "../../model/limits";
import type { CanonicalPrefix } from "../../model/prefix";
import { grouped } from "../../model/text";
import { KeyRegistry } from "../desired";
import { isExpired } from "../entries";

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
  if (parsed === undefined) throw new Error(`maxRemovals: ${maxRemovals} is not a limit.`);
  const own = { name: "maxChanges", limit: maxChanges === undefined ? undefined : parseShareLimit(maxChanges) };
  const ofStack = { name: "packetfilter:maxChanges", limit: stack.maxChanges };
  const ofChanges = [own, ofStack].flatMap(({ name, limit }) => (limit ? [{ name, limit }] : []));
  return {
    maxRemovals: parsed,
    allowEmpty,
    /** True if the user lifted the limits for this set and run. */
    isLifted: stack.lifts(url),
    /** Limits on entries that get another value, by argument and stack; none without a limit, or if it is lifted. */
    maxChanges: stack.lifts(url) ? [] : ofChanges,
  };
}

/**
 * Sentences about a change with too many removals or other values, or that empties a set.
 *
 * @param change `size`: entries before; `removals`: removed ones without the expired; `changes`: those with another value;
 * `left`: entries after
 */
export function removalProblems(
  url: string,
  { size, removals, changes, left }: { size: number; removals: number; changes: number; left: number },
  { maxRemovals, allowEmpty, isLifted, maxChanges }: RemovalLimits,
): string[] {
  const problems = maxChanges.flatMap(({ name, limit }) => {
    const most = allowedOf(limit, size);
    if (changes <= most) return [];
    return `${changes} of ${size} entries would get another value, more than ${name} (${limit.text}, here ${most}). If that is intended, raise ${name} or run once with PACKETFILTER_ALLOW=${url}.`;
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
      `${removals} of ${size} entries would be removed, more than maxRemovals (${maxRemovals.text}, here ${limit}). If that is intended, raise maxRemovals or run once with PACKETFILTER_ALLOW=${url}.`,
    );
  }
  return problems;
}

/** Limits of the stack's configuration and the environment on removals and other values. */
interface StackRemovals {
  readonly maxRemovals: ShareLimit | undefined;
  readonly maxChanges: ShareLimit | undefined;
  /** True if the user lifted both for this set and run. */
  lifts(url: string): boolean;
}

/**
 * `packetfilter:maxRemovals` and `packetfilter:maxChanges` for one set. They count the removals of all resources of a
 * deployment together, also of single entries and deleted resources. Once a limit would be passed, nothing more is removed or
 * gets another value: a loop that shrinks by mistake arrives in small, harmless groups.
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
      sync: () => undefined,
    },
  ) {}

  /** Reason to remove nothing: another process may want it, and cannot be asked. */
  registryUnavailable(): string | undefined {
    const reason = this.counted.sync();
    return reason && `Set ${this.label}: nothing is removed. ${reason}`;
  }

  /**
   * Asks for these removals or other values, which count from now on, granted or not.
   *
   * @param what End of the limit's name: `maxRemovals` or `maxChanges`.
   * @param size Entries of the set when the deployment began.
   * @returns the reason for a refusal, as a sentence
   */
  refuses(what: keyof typeof WORDS, prefixes: readonly CanonicalPrefix[], size: number): string | undefined {
    const { stopped, keys } = WORDS[what];
    const { endpoint, sync, [keys]: registry } = this.counted;
    // Sent before the others are read: if two processes ask at once, both may be refused, but never both granted.
    registry.of({ endpoint }, this.url).add(prefixes);
    if (this.limitOf(what) === undefined) return undefined;
    const registryUnavailable = sync();
    if (registryUnavailable !== undefined) return `Set ${this.label}: ${stopped}. ${registryUnavailable}`;
    const total = registry.at({ endpoint }, this.url).size;
    this.reasons[what] ??= this.exceeded(what, total, size);
    return this.reasons[what];
  }

  /** The sentence of {@link refuses} about so many, which are not counted. */
  exceeded(what: keyof typeof WORDS, total: number, size: number): string | undefined {
    const { stopped, verb, object } = WORDS[what];
    const limit = this.limitOf(what);
    const most = limit ? allowedOf(limit, size) : total;
    if (limit === undefined || total <= most) return undefined;
    return `Set ${this.label}: ${stopped}. This deployment would ${verb} at least ${total} of the ${size} entries that the set held when it began${object}, more than packetfilter:max${what} (${limit.text}, here ${most}) allows. If that is intended, raise it, or run once with PACKETFILTER_ALLOW=${this.url}.`;
  }

  private limitOf(what: keyof typeof WORDS): ShareLimit | undefined {
    const stack = this.stack();
    return stack.lifts(this.url) ? undefined : stack[`max${what}`];
  }
}

/** Counts of all processes of a deployment together, for one set at one address. */
interface Counted {
  readonly endpoint: string;
  readonly removed: KeyRegistry;
  readonly changed: KeyRegistry;
  /** Reads the messages of the others. Returns the reason if that fails. */
  readonly sync: () => string | undefined;
}

const WORDS = {
  Removals: { stopped: "nothing more is removed", verb: "remove", object: "", keys: "removed" },
  Changes: { stopped: "no further entry gets another value", verb: "give", object: " another value", keys: "changed" },
} as const;

/** True for an entry whose time is over by its note. */
export function overIn(notes: ReadonlyMap<CanonicalPrefix, string>, now: number): (prefix: CanonicalPrefix) => boolean {
  return (prefix) => notes.has(prefix) && isExpired(parseNote(notes.get(prefix)).expires, now);
}

/** Expired entries, which no limit counts. */
export function expiredOf(
  prefixes: Iterable<CanonicalPrefix>,
  notes: ReadonlyMap<CanonicalPrefix, string>,
  now: number,
): ReadonlySet<CanonicalPrefix> {
  // Most sets have no notes.
  return new Set(notes.size === 0 ? [] : [...prefixes].filter(overIn(notes, now)));
}
