import { type SetPlan, shownAlready } from "../../apply/set-operation";
import type { ListedValue } from "../../model/entry";
import type { CanonicalPrefix } from "../../model/prefix";
import { type ListedMap, madeOnce } from "../../model/prefix-map";
import { count, some } from "../../model/text";
import { type ContentLimits, contentProblems, entryProblems } from "../../reconcile/limits/content";
import { expiredOf, type RemovalLimits, removalProblems } from "../../reconcile/limits/removals";
import { type Intent, type KnownPrefixes, planUpdate } from "../../reconcile/set-plan";

/** Start of a new resource. */
export interface NewSet {
  /** Name of the set in messages. */
  readonly label: string;
  readonly desired: ListedMap;
  readonly exclusive: boolean;
  readonly onExisting: "fail" | "adopt";
  /** Entries in states of this deployment: they are not foreign. */
  readonly managed: KnownPrefixes;
  /** Entries that a killed run of the resource sent: they are not foreign either. */
  readonly sent?: KnownPrefixes;
  readonly limits: ContentLimits;
  /** Entries of `block --now` and of a killed run in the set that are no longer wanted. */
  readonly leaving: ReadonlySet<CanonicalPrefix>;
}

/**
 * Plans a create: it inserts every wanted prefix, unless the set holds another value. Foreign entries stay as they are.
 *
 * @returns the plan, and the foreign entries with their values
 * @throws {InTheWay} if there are foreign entries that may not be adopted
 * @throws {Error} if the set would break its limits
 */
export function planCreate(observed: ListedMap, { label, desired, limits, ...intent }: NewSet) {
  const { leaving: remove } = intent;
  const rest = remove.size === 0 ? observed : new Map([...observed].filter(([prefix]) => !remove.has(prefix)));
  const found = findExisting(rest, { desired, ...intent });
  const left = new Map([...found.undeclared, ...found.otherValue]);
  if (left.size > 0 && intent.onExisting !== "adopt") throw inTheWay(label, found);
  const { otherValue } = found;
  const put = otherValue.size === 0 ? desired : new Map([...desired].filter(([prefix]) => !otherValue.has(prefix)));
  requireContent(label, desired, [...desired.keys(), ...found.undeclared.keys()], limits);
  const shown = shownAlready(observed, put, intent.managed);
  return { plan: { put, remove, expired: remove, listed: shown } satisfies SetPlan, left };
}

/** The set holds foreign entries. */
export class InTheWay extends Error {
  override readonly name = "InTheWay";
}

/** Limits on the plan of an update. */
export interface UpdateLimits {
  /** Name of the set in messages. */
  readonly label: string;
  readonly url: string;
  readonly content: ContentLimits;
  readonly removals: RemovalLimits;
  /** Notes of the state: removals of expired entries are not counted. */
  readonly notes: ReadonlyMap<CanonicalPrefix, string>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** {@link planUpdate} within limits. @throws {Error} when the set would break them: then nothing is sent. */
export function planLimitedUpdate(observed: ListedMap, intent: Intent, limits: UpdateLimits): SetPlan {
  const { label, url, content, notes, now } = limits;
  const plan = planUpdate(observed, intent);
  const expired = new Set([...expiredOf(plan.remove, notes, now), ...intent.withdrawn.keys()]);
  const isCounted = (prefix: CanonicalPrefix) => observed.has(prefix) && !expired.has(prefix);
  const all = held(observed, plan.put);
  const after = plan.remove.size === 0 ? all : all.filter((prefix) => !plan.remove.has(prefix));
  const changes = changedValues(observed, plan.put) - (plan.restored?.size ?? 0);
  const removals = [...plan.remove].filter(isCounted).length;
  const change = { size: observed.size, removals, changes, left: after.length };
  stop(label, removalProblems(url, change, limits.removals));
  requireContent(label, intent.desired, after, content);
  return { ...plan, expired };
}

/** Prefixes of a set after an insert. */
const held = madeOnce((observed: ListedMap, put: ListedMap): readonly CanonicalPrefix[] => [
  ...new Set([...observed.keys(), ...put.keys()]),
]);

/** Number of entries of a set that get another value. */
const changedValues = madeOnce((observed: ListedMap, put: ListedMap): number => {
  const isChanged = ([prefix, value]: [CanonicalPrefix, ListedValue]) =>
    observed.has(prefix) && observed.get(prefix) !== value;
  return [...put].filter(isChanged).length;
});

/** Faults of a program's entries, judged once for the nodes of a group. */
const declaredProblems = madeOnce((desired: ListedMap, limits: ContentLimits) =>
  entryProblems([...desired.keys()], limits),
);

function requireContent(
  label: string,
  desired: ListedMap,
  after: readonly CanonicalPrefix[],
  limits: ContentLimits,
): void {
  stop(label, [...declaredProblems(desired, limits), ...contentProblems(after, limits)]);
}

function stop(label: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`${label}: nothing was sent. ${problems.join(" ")}`);
}

/** Foreign entries in the way of a new resource. Undeclared ones count only if it owns the whole set. */
function findExisting(
  observed: ListedMap,
  { desired, exclusive, managed, sent }: Pick<NewSet, "desired" | "exclusive" | "managed" | "sent">,
) {
  /** Entries of the set that are not declared. */
  const undeclared = new Map<CanonicalPrefix, ListedValue>();
  /** Entries that are declared with another value, and their value in the set. */
  const otherValue = new Map<CanonicalPrefix, ListedValue>();
  for (const [prefix, value] of observed) {
    if (managed.has(prefix) || sent?.has(prefix)) continue;
    const wanted = desired.get(prefix);
    if (wanted === undefined && exclusive) undeclared.set(prefix, value);
    if (wanted !== undefined && wanted !== value) otherValue.set(prefix, value);
  }
  return { undeclared, otherValue };
}

function inTheWay(label: string, { undeclared, otherValue }: ReturnType<typeof findExisting>): InTheWay {
  const parts = [
    undeclared.size > 0
      ? `${count(undeclared.size, "entry", "entries")} not declared here: ${some([...undeclared.keys()])}`
      : "",
    otherValue.size > 0
      ? `other values of ${some([...otherValue].map(([prefix, value]) => `${prefix} (${value})`))}`
      : "",
  ].filter((part) => part !== "");
  return new InTheWay(
    `${label} already holds ${parts.join(" and ")}. Nothing was sent. Declare them, or take them over with onExisting: "adopt" (none of them is removed before a preview has shown it), or manage only your own entries with exclusive: false.`,
  );
}
