import { onlyRestored, type SetPlan } from "../../apply/set-operation";
import type { CanonicalPrefix } from "../../model/prefix";
import { type ListedMap, madeOnce, NOTHING } from "../../model/prefix-map";
import { count, some } from "../../model/text";
import { type ContentLimits, contentProblems, entryProblems } from "../../reconcile/limits/content";
import { type RemovalLimits, removalProblems } from "../../reconcile/limits/removals";
import { type Intent, type Met, type NewContent, planNew, planUpdate } from "../../reconcile/set-plan";
import { compareSet } from "../../reconcile/three-way";
import type { Found } from "../look-at-set";

/** Start of a new set. */
export interface NewSet extends NewContent {
  /** Name of the set in messages. */
  readonly label: string;
  readonly onExisting: "fail" | "adopt";
  readonly limits: ContentLimits;
}

/**
 * Plans a create: it inserts every desired prefix, unless the set holds another value. Foreign entries stay as they are.
 *
 * @returns the plan; `left`: the foreign entries with their values; `shared`, `changed`: as in {@link Met}
 * @throws {InTheWay} if there are foreign entries that may not be adopted
 * @throws {Error} if the set would break its limits
 */
export function planCreate(observed: ListedMap, { label, onExisting, limits, ...content }: NewSet) {
  const { plan, undeclared, otherValue, shared, changed } = planNew(observed, content);
  const left = new Map([...undeclared, ...otherValue]);
  if (left.size > 0 && onExisting !== "adopt") throw inTheWay(label, undeclared, otherValue);
  const { desired } = content;
  requireContent(label, desired, [...desired.keys(), ...undeclared.keys()], limits);
  return { plan, left, shared, changed };
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
  readonly removals: RemovalLimits;
}

/** An update, and the entries of others that it meets. */
export type PlannedUpdate = Met & { readonly plan: SetPlan };

/** Entries of others that an update meets: those with another value are adopted with `onExisting`. */
export function foundBy(
  { shared, otherValue, changed }: PlannedUpdate,
  { onExisting }: Pick<NewSet, "onExisting">,
): Found {
  return { shared, adopted: onExisting === "adopt" ? otherValue : NOTHING, changed };
}

/** Limits on the plan of an update, and what it may take over. */
export interface ChangedSet extends UpdateLimits, Pick<NewSet, "onExisting" | "exclusive"> {}

/**
 * {@link planUpdate} within the limits on removals and changes, and beside entries of others. The check has judged the content, by
 * what the program declares: neither entries of others nor a limit ever stop a restore.
 *
 * @returns the plan; if the set would break its limits, or there are foreign entries that may not be adopted, its lost entries alone
 * @throws {InTheWay} if there are foreign entries that may not be adopted, and nothing to restore: then nothing is sent
 * @throws {Error} if the set would break its limits, likewise
 */
export function planLimitedUpdate(observed: ListedMap, intent: Intent, limits: ChangedSet): PlannedUpdate {
  const { label, onExisting, exclusive } = limits;
  const { plan, ...met } = planUpdate(observed, intent);
  const { occupied, changed, different } = compareSet(observed, intent.known, intent.desired);
  const isChanged = (prefix: CanonicalPrefix) => plan.put.has(prefix);
  const changes = occupied.filter(isChanged).length + changed.length + (intent.moved ? different.length : 0);
  // A share is of the state, as in the check: a node that lost entries allows no fewer removals.
  const size = Math.max(observed.size, intent.known.size);
  const isInTheWay = met.otherValue.size > 0 && onExisting !== "adopt";
  const orRefresh = exclusive ? ', or by "pulumi up --refresh", whose preview shows it' : "";
  const problems = [
    ...(isInTheWay
      ? [`It already holds ${otherValues(met.otherValue)}. ${remedyOf(met.otherValue.size)}${orRefresh}.`]
      : []),
    ...limitProblems(plan, { observed, size, changes }, limits),
  ];
  if (problems.length === 0) return { plan, ...met };
  const sent = plan.restored ? "only lost entries are restored" : "nothing was sent";
  const refusal = `${label}: ${sent}. ${problems.join(" ")}`;
  if (isInTheWay && !plan.restored) throw new InTheWay(refusal);
  return { plan: onlyRestored(plan, refusal), ...met, changed: NOTHING };
}

function otherValues(found: ListedMap): string {
  return `other values of ${some([...found].map(([prefix, value]) => `${prefix} (${value})`))}`;
}

/** Remedies where so many entries of others are in the way of a create or an update. */
function remedyOf(size: number): string {
  const [it, isNot] = size === 1 ? ["it", "it is not"] : ["them", "none of them is"];
  return `Declare ${it} as the node has ${it}, or take ${it} over with onExisting: "adopt" (${isNot} removed or changed before a preview has shown it)`;
}

/**
 * The plan of a delete within the limits of the resources that declare the set from now on: a rename is a change of the set as any
 * other. It is refused if none of them allows it.
 *
 * @throws {Error} when the set would break them: then nothing is sent
 */
export function planLimitedDelete(
  plan: SetPlan,
  { observed, known }: { readonly observed: ListedMap; readonly known: ListedMap },
  limits: readonly UpdateLimits[],
): SetPlan {
  // A share is of the state: the resource that takes over may have inserted its own entries already.
  const problems = limits.map((one) => limitProblems(plan, { observed, size: known.size, changes: 0 }, one));
  const [first] = problems;
  if (first && problems.every((all) => all.length > 0)) stop(limits[0]?.label ?? "", first);
  return plan;
}

/** A change of a set as the limits see it. */
interface Change {
  readonly observed: ListedMap;
  /** Number of entries that a share of the set is of. */
  readonly size: number;
  /** Number of entries that get another value. */
  readonly changes: number;
}

function limitProblems(
  { put, remove, uncounted }: SetPlan,
  { observed, size, changes }: Change,
  { url, removals: limits }: UpdateLimits,
): string[] {
  const removals = countedIn({ remove, uncounted }, observed);
  const left = put.size > 0 ? put.size : observed.size - countedIn({ remove }, observed);
  return removalProblems(url, { size, removals, changes, left }, limits);
}

/** Number of listed entries that a plan removes, and that limits count. */
export function countedIn({ remove, uncounted }: Pick<SetPlan, "remove" | "uncounted">, observed: ListedMap): number {
  return [...remove].filter((prefix) => observed.has(prefix) && uncounted?.has(prefix) !== true).length;
}

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

function inTheWay(label: string, undeclared: ListedMap, otherValue: ListedMap): InTheWay {
  const parts = [
    undeclared.size > 0
      ? `${count(undeclared.size, "entry", "entries")} not declared here: ${some([...undeclared.keys()])}`
      : "",
    otherValue.size > 0 ? otherValues(otherValue) : "",
  ].filter((part) => part !== "");
  // A set of its own entries meets the same other values.
  const orShare = otherValue.size === 0 ? ", or manage only your own entries with exclusive: false" : "";
  return new InTheWay(
    `${label} already holds ${parts.join(" and ")}. Nothing was sent. ${remedyOf(undeclared.size + otherValue.size)}${orShare}. If this resource was renamed, give it an alias or run with --refresh.`,
  );
}
