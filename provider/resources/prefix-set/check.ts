import { type DeploymentSet, type NodeInUse, WHOLE_SET } from "../../deployment/node-in-use";
import type { Runtime } from "../../deployment/runtime";
import type { About, Checked } from "../../engine/handler";
import type { EventPlace, PlanNumbers } from "../../messages/events";
import { parseNote, sentPlace } from "../../model/entry";
import { attempt } from "../../model/errors";
import { hasUnknown, type JsonObject, sameJson, UNKNOWN } from "../../model/json";
import type { CanonicalPrefix } from "../../model/prefix";
import { type ListedMap, NOTHING } from "../../model/prefix-map";
import { formatUrl, setUrl } from "../../model/resource-url";
import { NAMED } from "../../model/text";
import { checkArguments, stored } from "../../reconcile/arguments";
import {
  type HeldEntries,
  isExpired,
  NOTHING_HELD,
  type NormalEntries,
  normaliseEntries,
  noting,
  withdrawnOf,
} from "../../reconcile/entries";
import {
  type ContentArguments,
  contentLimits,
  contentProblems,
  entryProblems,
  valueProblems,
} from "../../reconcile/limits/content";
import { expiredOf, type RemovalArguments, removalLimits, removalProblems } from "../../reconcile/limits/removals";
import { desiredChange, isUnchanged } from "../../reconcile/three-way";
import { expiredUntil } from "../../reconcile/written-inputs";
import { prefixSetSchema, storedSet } from "./state";

/** `check` of a `PrefixSet`: all that needs no request. */
export function checkPrefixSet(runtime: Runtime, olds: JsonObject, news: JsonObject, about: About = {}): Checked {
  const { given, args, problems } = checkArguments(prefixSetSchema, news);
  if (!args) return { inputs: news, problems };
  const node = hasUnknown(given.node) ? undefined : runtime.node(given.node);
  const isOther = !isSameSet(olds, news) && !isRenamedOnly(runtime, olds, { news, node });
  const held = isOther ? undefined : heldBefore(olds);
  const address = setUrl(given);
  const url = address && formatUrl(address);
  const normal = normaliseEntries(given.entries, {
    hostBits: args.hostBits,
    now: runtime.today,
    held: held?.entries,
    at: node && url && sentPlace(node.endpoint, url),
  });
  if (!normal) return { inputs: { ...news, entries: UNKNOWN }, problems: [] };
  const { entries } = normal;
  const isShared = olds.exclusive !== false && args.exclusive === false;
  const set = address && node?.set(address);
  // The second check of a replaced resource has no old arguments, although its state has entries. Those of another set say nothing here.
  const before = held ? (isShared ? heldOf(held, entries) : held) : heldHere(set, normal, args);
  const found = [...normal.problems, ...setProblems(runtime, args, { url, node, before, isNew: isOther, ...normal })];
  if (found.length > 0) {
    const where = url ? `${url}: ` : "";
    return { inputs: news, problems: found.map((problem) => `${where}${problem}`) };
  }
  for (const warning of normal.warnings) runtime.notices.report({ kind: "dubious", type: "PrefixSet", url, warning });
  const where = { at: node?.label, url, name: whose(args, about) };
  if (set) {
    const declared = { type: "PrefixSet", entries, exclusive: args.exclusive !== false } as const;
    const conflict = set.declare(about, declared);
    if (conflict !== undefined) return { inputs: news, problems: [conflict] };
    const wide = set.coverage.add(about.urn, [...entries.keys()], contentLimits(args, runtime.settings));
    if (wide.length > 0) return { inputs: news, problems: wide.map((problem) => `${url}: ${problem}`) };
    set.announced.add(WHOLE_SET);
    set.sent.declare(entries, about);
    set.takeSent(normal.sent);
    set.ignore(about.ignored, before.entries, entries);
    set.desired.take(entries);
    set.declaring.push({ entries, limits: args });
    const change = { normal, before, isNew: isOther };
    const plan = planOf(runtime, change);
    if (plan) runtime.notices.report({ kind: "planned", ...where, plan });
    sayExpiredRemovals(runtime, where, change);
  }
  const withdrawn = [...withdrawnOf(normal.notes, before.notes)].filter(([prefix]) => !before.entries.has(prefix));
  sayWithdrawn(runtime, where, new Map(withdrawn));
  sayExpired(runtime, where, normal, before);
  return { inputs: { ...news, ...flat(normal) }, problems: [] };
}

/** Checked inputs of a set in canonical form. Entries have expired by the mark of the check. */
export function normalPrefixSet(runtime: Runtime, inputs: JsonObject): JsonObject {
  const { expired: _, ...rest } = inputs;
  const node = hasUnknown(rest.node) ? undefined : attempt(() => runtime.node(rest.node));
  const url = setUrl(rest);
  const normal = normaliseEntries(rest.entries, {
    hostBits: rest.hostBits === "mask" ? "mask" : undefined,
    now: expiredUntil(inputs),
    held: "any",
    at: node && url && sentPlace(node.endpoint, formatUrl(url)),
  });
  return { ...rest, ...(normal ? flat(normal) : { entries: UNKNOWN }) };
}

/** Entries and notes as the state has them. */
export function flat({ entries, notes, flat }: HeldEntries & Pick<NormalEntries, "flat">): JsonObject {
  return {
    entries: stored(entries, flat),
    ...(notes.size > 0 && { notes: Object.fromEntries(notes) }),
  };
}

/** Name of the resource for a line about a set that is not exclusive, where other resources may keep a part. */
export function whose(
  { exclusive }: { readonly exclusive?: boolean | undefined },
  { name }: About,
): string | undefined {
  return exclusive === false ? name : undefined;
}

/** A set before and after a change of the program. */
interface SetChange {
  readonly url: string | undefined;
  readonly node: { readonly maxValue: number | undefined } | undefined;
  readonly before: HeldEntries;
  /** True if the state of the resource has no values of it. */
  readonly isNew: boolean;
  readonly entries: ListedMap;
  /** Faults of entries that could not be read. */
  readonly problems: readonly string[];
}

/**
 * Sentences about limits that a set would break: of its content, values, removals and changes.
 *
 * @param set Its readable entries, those before, and its url and node, if known.
 */
export function setProblems(
  runtime: Runtime,
  args: ContentArguments & RemovalArguments,
  { url, node, before, isNew, entries, problems }: SetChange,
): string[] {
  const wrong: string[] = [];
  const limits = noting(wrong, () => contentLimits(args, runtime.settings));
  const prefixes = [...entries.keys()];
  const content = limits ? [...entryProblems(prefixes, limits), ...contentProblems(prefixes, limits)] : wrong;
  const found = [...content, ...valueProblems(entries, isNew ? NOTHING : before.entries, node?.maxValue)];
  return [...found, ...changeProblems(runtime, args, { url, before, entries, problems })];
}

/** Sentences about limits on removals and changes that a set would break. */
function changeProblems(
  { settings, today }: Runtime,
  args: RemovalArguments,
  { url, before, entries, problems }: Pick<SetChange, "url" | "before" | "entries" | "problems">,
): string[] {
  // An unreadable entry is not a removal: a limit must not be lifted for a typo.
  if (url === undefined || problems.length > 0) return [];
  const { dropped, changed } = desiredChange(before.entries, entries);
  const removals = dropped.length - expiredOf(dropped, before.notes, today).size;
  // Unknown values are counted when the set is written.
  const changes = changed.filter((prefix) => !hasUnknown(entries.get(prefix))).length;
  const change = { size: before.entries.size, removals, changes, left: entries.size };
  return removalProblems(url, change, removalLimits(args, settings, url));
}

/** Planned change of a set by the state. */
export interface PlannedChange {
  readonly normal: NormalEntries;
  readonly before: HeldEntries;
  readonly isNew: boolean;
}

/** Numbers of a plan; `undefined` without a change. */
export function planOf({ today }: Runtime, change: PlannedChange): PlanNumbers | undefined {
  const { normal, before, isNew } = change;
  const { entries } = normal;
  if (isUnchanged(before.entries, entries)) return undefined;
  // A new resource may find all its entries in the set, after a rename or in an import.
  const isUnknown = isNew && before.entries.size === 0;
  if (isUnknown) return { declared: entries.size };
  const { new: inserts, changed, dropped } = desiredChange(before.entries, entries);
  const numbers = { inserts: inserts.length, removes: dropped.length, changes: changed.length };
  return { ...numbers, expired: expiredRemovals(change, today), after: entries.size };
}

/** Place of a line about a plan. */
type PlanPlace = EventPlace & { readonly name?: string | undefined; readonly nodes?: readonly string[] };

/** Names the expired entries of a plan, if they are too many for its line. */
export function sayExpiredRemovals({ notices, today }: Runtime, where: PlanPlace, change: PlannedChange): void {
  const prefixes = expiredRemovals(change, today);
  if (prefixes.length > NAMED) notices.report({ kind: "expires", ...where, prefixes });
}

/** Entries that expired in the program, or whose note in the state has expired. */
function expiredRemovals({ normal, before }: PlannedChange, today: number): CanonicalPrefix[] {
  const isOver = (prefix: CanonicalPrefix) =>
    normal.expired.has(prefix) || isExpired(parseNote(before.notes.get(prefix)).expires, today);
  return desiredChange(before.entries, normal.entries).dropped.filter(isOver);
}

/** Reports entries of `block --now` that are no longer wanted. */
export function sayWithdrawn({ notices }: Runtime, where: PlanPlace, withdrawn: ListedMap): void {
  if (withdrawn.size > 0) notices.report({ kind: "withdrawn", ...where, entries: [...withdrawn] });
}

/** Reports expired entries, at each run until the program drops them; those that this run removes are reported otherwise. */
export function sayExpired({ notices }: Runtime, where: PlanPlace, normal: NormalEntries, before: HeldEntries): void {
  const isWithdrawn = (prefix: CanonicalPrefix) => {
    const note = normal.notes.get(prefix);
    return note !== before.notes.get(prefix) && parseNote(note).sent !== undefined;
  };
  const unwanted = [...normal.expired].filter(([prefix]) => !before.entries.has(prefix) && !isWithdrawn(prefix));
  const entries = unwanted.map(([prefix, expires]) => ({ prefix, expires }));
  if (entries.length > 0) notices.report({ kind: "expired", ...where, entries });
}

/**
 * Content of a set by the states of other resources, or of this one under another name, as far as this run has seen them. All of a
 * whole set is the resource's from now on. No state tells the values; the notes are those of the program.
 */
export function heldHere(
  set: DeploymentSet | undefined,
  { entries, notes }: HeldEntries,
  { exclusive }: { readonly exclusive?: boolean | undefined },
): HeldEntries {
  const managed = set?.managedHere;
  if (!managed || managed.size === 0) return NOTHING_HELD;
  const all = exclusive === false ? [] : (Array.from(managed) as CanonicalPrefix[]);
  const prefixes = [...all, ...entries.keys()].filter((prefix) => managed.has(prefix));
  const held = new Map(prefixes.map((prefix) => [prefix, entries.get(prefix) ?? 1]));
  return { entries: held, notes: new Map([...notes].filter(([prefix]) => held.has(prefix))) };
}

/** Content that a change of a set counts from that is shared from now on: inputs do not tell which entries a refresh found, and these stay. */
function heldOf(held: HeldEntries, desired: ListedMap): HeldEntries {
  return { ...held, entries: new Map([...held.entries].filter(([prefix]) => desired.has(prefix))) };
}

/** Content by the state. */
function heldBefore(olds: JsonObject): HeldEntries {
  const before = storedSet(olds);
  return { entries: before.entries(), notes: before.notes() };
}

/** True if the node has another name now, at the address of the state, or at the one that the configuration has for the old name. */
function isRenamedOnly(
  runtime: Runtime,
  { node: from, endpoint, ...olds }: JsonObject,
  { news, node }: { readonly news: JsonObject; readonly node: NodeInUse | undefined },
): boolean {
  const before = endpoint ?? attempt(() => runtime.node(from).endpoint);
  return isSamePlace(olds, news) && node !== undefined && before === node.endpoint;
}

const PLACE = ["arena", "profile", "set"] as const;

/** True if the arguments name the same set as before. */
export function isSameSet(olds: JsonObject, news: JsonObject): boolean {
  const { node: from } = olds;
  const { node: to } = news;
  const nodeChanged = typeof from === "string" && typeof to === "string" && from !== to;
  return !nodeChanged && isSamePlace(olds, news);
}

function isSamePlace(olds: JsonObject, news: JsonObject): boolean {
  return PLACE.every((key) => sameJson(olds[key], news[key]));
}
