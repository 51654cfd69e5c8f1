import { stripVTControlCharacters } from "node:util";
import { type JsonObject, membersOf } from "../model/json";
import { isForeign, kindOf, typeIn, typeToken } from "../model/resource-kind";
import { compareNames, some } from "../model/text";
import { addressesOf } from "./entry-lists";
import { contentsAfter, contentsBefore, type GroupStep, Groups } from "./groups";
import { type Report, type ResourceChange, type Restored, resourceSchema, type SignalingReport } from "./model";
import { type Preview, type PreviewStep, parseUrn, type Urn } from "./preview-json";
import { stayingIn } from "./removed-nodes";
import { restoredBy, saysRestored, withLost } from "./restored";
import { SetChanges, type SetStep, WholeChanges } from "./set-changes";
import {
  addressesIn,
  canonical,
  contentOfEntry,
  contentOfSet,
  type Known,
  keyOf,
  membersBefore,
  readList,
  type SetContent,
  withoutSecrets,
} from "./set-content";
import { signalingChange } from "./signaling-changes";

/** Findings of a look at the nodes. */
const FOUND =
  / lacks | holds (?:another|other|[\d ]+undeclared) | not active \(|active already, and adopted|: it leaves the group, and /;
const { operation: operationSchema } = resourceSchema.shape;

/**
 * Changes of a preview, put together by node and set.
 *
 * @param now Milliseconds since 1970: by it an entry that goes has expired.
 * @param byNode True: each node of a group has its own item, also where they change in the same way.
 */
export function reportOf(preview: Preview, now: number, { byNode = false } = {}): Report {
  const work = new Work(addressesIn(preview));
  for (const step of preview.steps) work.take(step);
  const { stack, project } = parseUrn(preview.steps[0]?.urn ?? "");
  const sets = work.sets(now, byNode);
  const { signalings, restored, others } = work;
  const whole = work.whole.report();
  const said = (...severities: string[]) =>
    preview.diagnostics.filter((one) => severities.includes(severityOf(one))).map(({ message }) => plain(message));
  const errors = said("error");
  const isShown = (message: string) => !saysRestored(message);
  const entriesOf = (list: (set: Report["sets"][number]) => number) =>
    sum(sets, (set) => list(set) * (set.nodes?.length ?? 1));
  return {
    project,
    stack,
    failed: errors.length > 0,
    totals: {
      in: entriesOf((set) => set.in.count),
      out: entriesOf((set) => set.out.count),
      changed: entriesOf(({ changed }) => changed.count),
      renoted: entriesOf(({ renoted }) => renoted.count),
      addressesIn: addressesOf(sets.flatMap((set) => set.in.entries.map(({ prefix }) => prefix))),
      addressesOut: addressesOf(sets.flatMap(({ out }) => out.entries.map(({ prefix }) => prefix))),
      ...work.extent(),
      started: sum(signalings, ({ started }) => started.length),
      stopped: sum(signalings, ({ stopped }) => stopped.length),
      deleted: sum(whole, ({ operation, names }) => (operation === "delete" ? names.length : 0)),
      replaced: sum(whole, ({ operation, names }) => (operation === "replace" ? names.length : 0)),
      restored: restored.length,
    },
    whole,
    sets,
    signalings,
    restored,
    others,
    errors,
    warnings: [...work.foreign, ...said("warning").filter((message) => isShown(message) && !FOUND.test(message))],
    found: said("info", "warning").filter((message) => isShown(message) && FOUND.test(message)),
  };
}

/** A step of a resource with one set. */
interface EntriesStep {
  readonly kind: "PrefixSet" | "PrefixSetEntry";
  /** The state before the refresh, and what the refresh found. */
  readonly state: SetContent | undefined;
  readonly live: SetContent | undefined;
}

/** Sum of the steps so far. */
class Work {
  readonly signalings: SignalingReport[] = [];
  readonly restored: Restored[] = [];
  readonly whole = new WholeChanges();
  readonly others: Record<string, number> = {};
  /** Sentences on resources that are ours under another type. */
  readonly foreign = new Set<string>();
  private readonly bySet = new Map<string, SetChanges>();
  private readonly groups = new Groups();
  /** State of a resource before the refresh, by URN. */
  private readonly refreshed = new Map<string, readonly SetContent[]>();

  constructor(private readonly known: Known) {}

  take(step: PreviewStep): void {
    const urn = parseUrn(step.urn);
    const { inputs = {}, provider } = step.newState ?? step.oldState ?? {};
    // A reference to a provider is its URN and, behind that, its id.
    const kind = kindOf(urn.type, inputs, provider === undefined ? undefined : typeIn(provider));
    if (kind === undefined) {
      this.takeOther(step.op, urn);
      return;
    }
    if (step.op.startsWith("import"))
      throw new Error(
        `The preview imports ${urn.name} (${kind}), and does not say what the node holds: run it once with "pulumi up", and report the next preview.`,
      );
    if (isForeign(urn.type, kind)) this.foreign.add(foreignSentence(urn, kind));
    if (step.op === "refresh" && step.oldState && kind !== "CloudSignaling")
      this.refreshed.set(step.urn, this.before(kind, membersBefore(step.oldState)));
    const operation = operationSchema.safeParse(step.op).data;
    if (operation === undefined) return;
    const resource: ResourceChange = { name: urn.name, type: kind, operation };
    const lost = restoredBy(step, resource, this.known);
    if (lost) this.restored.push(lost.report);
    if (lost?.isAll) return;
    const { oldState } = step;
    const known = lost ? withLost(step, kind, this.known) : step;
    if (kind === "CloudSignaling") {
      this.takeSignaling(known, resource);
      return;
    }
    const state = this.refreshed.get(step.urn) ?? [];
    const live = state.length > 0 && oldState ? this.before(kind, membersBefore(oldState)) : [];
    if (kind === "PrefixSetGroup") this.takeGroup(known, resource, { state, live });
    else this.takeEntries(known, resource, { kind, state: state[0], live: live[0] });
  }

  /** Numbers of sets and nodes that change. */
  extent(): Pick<Report["totals"], "sets" | "nodes"> {
    const places = [...this.bySet.values()].map(({ places }) => places);
    const nodes = new Set(places.flat().map(({ endpoint, label }) => endpoint ?? label));
    return { sets: places.flat().length, nodes: nodes.size };
  }

  sets(now: number, byNode: boolean): Report["sets"] {
    this.groups.into(this.bySet, byNode);
    const sets = [...this.bySet.values()].map((set) => set.report(now));
    return sets.sort((a, b) => compareNames(a.url, b.url) || compareNames(a.node, b.node));
  }

  private takeOther(op: string, { type }: Urn): void {
    if (type.startsWith("pulumi:pulumi:") || type.startsWith("pulumi:providers:")) return;
    if (operationSchema.safeParse(op).success) this.others[op] = (this.others[op] ?? 0) + 1;
  }

  private takeGroup(step: PreviewStep, resource: ResourceChange, drift: Pick<GroupStep, "state" | "live">): void {
    const old = step.oldState ? membersBefore(step.oldState) : undefined;
    const before = old ? contentsBefore(old, this.known) : [];
    // A node leaves by what the program says now.
    const { onDestroy } = withoutSecrets(step.newState?.inputs ?? {});
    const leaves = old && resource.operation === "update" ? { ...old, onDestroy } : old;
    const keeps = (node: string) => (leaves ? keptEntries(leaves, node) : NONE);
    this.groups.add({
      resource,
      before,
      after: step.newState ? contentsAfter(withoutSecrets(step.newState.inputs), this.known) : [],
      ...drift,
      keeps,
      stayingIn: (desired) => stayingIn(this.known.config, desired),
      differs: differences(step, "PrefixSet"),
    });
    const [first] = [...before].sort((a, b) => b.entries.size - a.entries.size);
    if (first && (resource.operation === "delete" || resource.operation === "replace")) {
      const place = { label: some(before.map(({ place: { label } }) => label)) };
      const kept = before.every((held) => isKept(held, keeps(held.place.label)));
      this.addWhole(step, { resource, before: { ...first, place }, after: undefined, kept });
    }
  }

  private takeEntries(step: PreviewStep, resource: ResourceChange, { kind, state, live }: EntriesStep): void {
    const old = step.oldState ? membersBefore(step.oldState) : undefined;
    const before = old && this.held(kind, old);
    const after = step.newState && this.held(kind, withoutSecrets(step.newState.inputs));
    const isMove = before && after && keyOf(before) !== keyOf(after);
    // An update that moves to another address leaves everything at the former one.
    const keeps = resource.operation === "update" ? () => isMove === true : old ? keptEntries(old) : NONE;
    const base = { resource, keeps, differs: differences(step, kind) };
    if (before && (isMove || !after)) this.setOf(before).add({ ...base, before });
    if (after) this.setOf(after).add({ ...base, before: isMove ? undefined : before, after });
    if (state && live && before) this.setOf(before).addDrift(state, live);
    if (before && (resource.operation === "delete" || resource.operation === "replace"))
      this.addWhole(step, { resource, before, after: after ?? undefined, kept: isKept(before, keeps) });
  }

  private addWhole(
    { replaceReasons }: PreviewStep,
    {
      resource,
      before,
      after,
      kept,
    }: Pick<SetStep, "resource" | "after"> & {
      readonly before: SetContent;
      readonly kept: boolean;
    },
  ): void {
    const becomes = after && (keyOf(after) !== keyOf(before) ? `${after.url} at ${after.place.label}` : undefined);
    this.whole.add(resource.name, [...before.entries.keys()], {
      operation: resource.operation === "delete" ? "delete" : "replace",
      type: resource.type,
      place: before.place.label,
      url: before.url,
      ...(becomes !== undefined && { becomes }),
      reasons: (replaceReasons ?? []).filter((reason) => !reason.startsWith("__")),
      kept,
    });
  }

  private takeSignaling(step: PreviewStep, resource: ResourceChange): void {
    const { report, whole } = signalingChange(step, resource, this.known);
    this.signalings.push(report);
    if (whole) this.whole.add(resource.name, whole.prefixes, whole.change);
  }

  private held(kind: "PrefixSet" | "PrefixSetEntry", members: JsonObject): SetContent {
    return kind === "PrefixSet" ? contentOfSet(members, this.known) : contentOfEntry(members, this.known);
  }

  private before(kind: Exclude<ResourceChange["type"], "CloudSignaling">, members: JsonObject): readonly SetContent[] {
    return kind === "PrefixSetGroup" ? contentsBefore(members, this.known) : [this.held(kind, members)];
  }

  private setOf(held: SetContent): SetChanges {
    const key = keyOf(held);
    const set = this.bySet.get(key) ?? new SetChanges([held.place], held.url);
    this.bySet.set(key, set);
    return set;
  }
}

function foreignSentence({ name, type }: Urn, kind: ResourceChange["type"]): string {
  return `${name} has the type ${type}, under which other tools do not recognise it, and is a ${kind} to its provider: declare it with that class, whose type is ${typeToken(kind)} (policy foreign-type).`;
}

/** Entries that a resource leaves at the node when it goes; of a group those of one node. */
function keptEntries({ onDestroy, existed }: JsonObject, node?: string): SetStep["keeps"] {
  if (onDestroy !== "created") return () => onDestroy === "keep";
  if (typeof existed === "boolean") return () => existed;
  const older = new Set(readList(node === undefined ? existed : membersOf(existed)[node]).prefixes);
  return (prefix) => older.has(prefix);
}

const NONE: SetStep["keeps"] = () => false;

function isKept({ entries }: SetContent, keeps: SetStep["keeps"]): boolean {
  return entries.size > 0 && [...entries.keys()].every(keeps);
}

/** Two secret values look the same; the engine knows whether they are. */
function differences({ detailedDiff }: PreviewStep, kind: "PrefixSet" | "PrefixSetEntry"): SetStep["differs"] {
  const paths = new Set(Object.keys(detailedDiff ?? {}));
  const has = (...names: string[]) => names.some((name) => paths.has(name));
  if (kind === "PrefixSetEntry")
    return () => (has("value") ? "value" : has("reason", "ticket", "expires") ? "note" : undefined);
  const entries = new Map<string | undefined, "value" | "note">();
  for (const path of paths) {
    const [, key, member = "value"] = /^entries\["([^"]*)"\](?:\.(\w+))?$/.exec(path) ?? [];
    const prefix = canonical(key);
    if (entries.get(prefix) !== "value") entries.set(prefix, member === "value" ? "value" : "note");
  }
  return (prefix) => entries.get(prefix);
}

/** Severity of a message. Dynamic resources print theirs, and the engine records all that a provider prints as `info`. */
function severityOf({ severity, message }: Preview["diagnostics"][number]): string {
  return severity === "info" && GRAVITY.exec(readable(message))?.[1] === "warning" ? "warning" : severity;
}

/** A message without colours and without the word that says how grave it is. */
function plain(message: string): string {
  return readable(message).replace(GRAVITY, "");
}

const GRAVITY = /^(warning|error): /;

function readable(message: string): string {
  return stripVTControlCharacters(message).trim();
}

function sum<T>(items: readonly T[], numberOf: (item: T) => number): number {
  return items.reduce((total, item) => total + numberOf(item), 0);
}
