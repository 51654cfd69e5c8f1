import type { SetPlan } from "../../batch/set-operation";
import type { ListedValue } from "../../model/entry-value";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import { count, some } from "../../model/text";
import { expiredOf, unexpiredRemovals } from "../limits";
import { type ContentRails, contentProblems, entryProblems, type RemovalRails, removalProblems } from "../rails";
import { type Intent, type KnownPrefixes, planUpdate } from "../set-plan";

/** What a new resource starts from. */
export interface NewSet {
  /** How messages call the set. */
  readonly label: string;
  readonly desired: ListedMap;
  readonly exclusive: boolean;
  readonly onExisting: "fail" | "adopt";
  /** Entries that the state of this deployment holds already: they are not foreign. */
  readonly owned: KnownPrefixes;
  readonly rails: ContentRails;
}

/**
 * The plan of a create: every wanted prefix is put in, except where the set holds another value. What is foreign is left as
 * it is, and handed back as `left`.
 *
 * @throws {Error} when something foreign is there and is not to be adopted, or when the set would break its limits
 */
export function planCreate(observed: ListedMap, { label, desired, rails, ...intent }: NewSet): SetPlan {
  const found = findExisting(observed, { desired, ...intent });
  const left = new Map([...found.undeclared, ...found.otherValue]);
  if (left.size > 0 && intent.onExisting !== "adopt") throw inTheWay(label, found);
  const put = new Map([...desired].filter(([prefix]) => !found.otherValue.has(prefix)));
  requireContent(label, desired, [...desired.keys(), ...found.undeclared.keys()], rails);
  return { put, remove: new Set(), left };
}

/** What limits the plan of an update. */
export interface UpdateLimits {
  /** How messages call the set. */
  readonly label: string;
  readonly url: string;
  readonly content: ContentRails;
  readonly removals: RemovalRails;
  /** Notes of the state: what has expired goes without being counted. */
  readonly notes: ReadonlyMap<CanonicalPrefix, string>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** {@link planUpdate} within limits. @throws {Error} when the set would break them: then nothing is sent. */
export function planLimitedUpdate(observed: ListedMap, intent: Intent, limits: UpdateLimits): SetPlan {
  const { label, url, content, removals, notes, now } = limits;
  const plan = planUpdate(observed, intent);
  const present = [...plan.remove].filter((prefix) => observed.has(prefix));
  const left = [...observed.keys()].filter((prefix) => !plan.remove.has(prefix));
  const after = [...new Set([...left, ...plan.put.keys()])];
  const change = { size: observed.size, removals: unexpiredRemovals(present, notes, now), left: after.length };
  stop(label, removalProblems(url, change, removals));
  requireContent(label, intent.desired, after, content);
  return { ...plan, expired: expiredOf(plan.remove, notes, now) };
}

function requireContent(
  label: string,
  desired: ListedMap,
  after: readonly CanonicalPrefix[],
  rails: ContentRails,
): void {
  stop(label, [...entryProblems([...desired.keys()], rails), ...contentProblems(after, rails)]);
}

function stop(label: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`${label}: nothing was sent. ${problems.join(" ")}`);
}

/** What a new resource finds in its set. */
interface Found {
  /** Entries that are there and not declared. */
  readonly undeclared: ListedMap;
  /** Entries that are declared with another value; the value that is there. */
  readonly otherValue: ListedMap;
}

/** What is in the way of a new resource. Undeclared entries are only in the way of one that owns the whole set. */
function findExisting(
  observed: ListedMap,
  { desired, exclusive, owned }: Pick<NewSet, "desired" | "exclusive" | "owned">,
): Found {
  const undeclared = new Map<CanonicalPrefix, ListedValue>();
  const otherValue = new Map<CanonicalPrefix, ListedValue>();
  for (const [prefix, value] of observed) {
    if (owned.has(prefix)) continue;
    const wanted = desired.get(prefix);
    if (wanted === undefined && exclusive) undeclared.set(prefix, value);
    if (wanted !== undefined && wanted !== value) otherValue.set(prefix, value);
  }
  return { undeclared, otherValue };
}

function inTheWay(label: string, { undeclared, otherValue }: Found): Error {
  const parts = [
    undeclared.size > 0
      ? `${count(undeclared.size, "entry", "entries")} not declared here: ${some([...undeclared.keys()])}`
      : "",
    otherValue.size > 0
      ? `other values of ${some([...otherValue].map(([prefix, value]) => `${prefix} (${value})`))}`
      : "",
  ].filter((part) => part !== "");
  return new Error(
    `${label} already holds ${parts.join(" and ")}. Nothing was sent. Declare them, or take them over with onExisting: "adopt" (nothing of them is removed before a preview has shown it), or manage only your own entries with exclusive: false.`,
  );
}
