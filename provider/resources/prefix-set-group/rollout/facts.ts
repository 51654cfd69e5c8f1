import type { Runtime } from "../../../deployment/runtime";
import { digestOf } from "../../../deployment/sent-before";
import type { ListedValue } from "../../../model/entry";
import type { CanonicalPrefix } from "../../../model/prefix";
import { equal, type ListedMap, NOTHING } from "../../../model/prefix-map";
import { formatUrl } from "../../../model/resource-url";
import { driftOf } from "../../../reconcile/drift";
import { withdrawnOf } from "../../../reconcile/entries";
import type { KnownPrefixes } from "../../../reconcile/set-plan";
import { compareSet, isUnchanged } from "../../../reconcile/three-way";
import type { SetState } from "../../prefix-set/state";
import { type GroupInputs, type GroupState, withoutFound } from "../state";
import { type Check, hasOwed, type Pending, renamed } from "./arguments";
import type { Former } from "./former";
import { type NodeState, nodeState, type RolloutState } from "./next-step";
import { inWaves } from "./waves";

/** All that a run of a group begins with, in preview and `up` alike. */
export interface Beginning {
  readonly runtime: Runtime;
  readonly inputs: GroupInputs;
  readonly state?: GroupState | undefined;
  /** State of the group that this one replaces. */
  readonly replaced?: Former | undefined;
  /** Node of the program to node of the state. */
  readonly former: ReadonlyMap<string, string>;
  /** Nodes of the state that left the program. */
  readonly left: readonly string[];
  /** Lists of this run, by nodes of the program and those that left it. */
  readonly observed: ReadonlyMap<string, ListedMap>;
  /** Nodes that did not answer. */
  readonly silent: ReadonlySet<string>;
}

/** The rollout at the start of a run, and the facts that its steps need. */
export interface Begun {
  readonly state: RolloutState;
  /** True if there are waves, in the program or in the state. */
  readonly isRollout: boolean;
  /** Entries that a node lost and the program still declares. */
  readonly losses: ReadonlyMap<string, ListedMap>;
  /** The wave that has not passed, by the names of the program. */
  readonly pending: Pending | undefined;
  /** The check that a node has to pass. */
  checkOf(node: string): Check | undefined;
  /** Digest of the content that a check of this run is about at a node. */
  digestAt(node: string): string;
}

/** The rollout of a group by its state, its program and the lists of this run. */
export function begun(beginning: Beginning): Begun {
  const { runtime, inputs, state, replaced, former, left, observed, silent } = beginning;
  const { args } = inputs.rollout;
  const before = state?.rollout ?? replaced;
  const isLifted = runtime.settings.passesWave(formatUrl(inputs.address));
  const isRollout = args !== undefined || before?.pending !== undefined;
  const names = [...inputs.nodes.keys()];
  const nameNow = new Map([...former].map(([now, name]) => [name, now]));
  const pendingNow = before?.pending && renamed(before.pending, (name) => nameNow.get(name) ?? name);
  const pending = isLifted ? undefined : pendingNow;
  const owed = before?.args?.check;
  const own = args?.check;
  const isOwn = hasOwed(owed, own);
  const losses = new Map<string, ListedMap>();
  const nodes = new Map<string, NodeState>();
  const digestAt = (node: string) =>
    inputs.nodes.has(node)
      ? digestOf(inputs.of(node).entries)
      : (pending?.contents[node] ?? digestOf(inputs.common.entries));
  const isAsked = !isLifted && (owed ?? own) !== undefined;
  for (const node of names) {
    const isPending = pending?.nodes.includes(node) === true;
    const it = standing(beginning, node, isPending);
    if (it.losses.size > 0) losses.set(node, it.losses);
    const isLost = it.losses.size > 0;
    nodes.set(
      node,
      nodeState({
        holds: it.holds && (isRollout || !isLost),
        had: it.had,
        lost: isRollout && isLost,
        silent: silent.has(node),
        isPending,
        isUnpassed: pending?.contents[node] !== undefined && pending.contents[node] === digestAt(node),
        isFound: isAsked && it.isFound,
        isReplaced: it.isReplaced,
      }),
    );
  }
  // A wave that has not passed may have nodes that the group in the place of another one does not have.
  const gone = state ? left : (pending?.nodes ?? []).filter((node) => !names.includes(node));
  for (const node of gone) {
    const isPending = pending?.nodes.includes(node) === true;
    const held = observed.get(node);
    const known = state ? withoutFound(state.of(node)) : NOTHING;
    const { entries } = inputs.common;
    const isNews = state?.nodes.has(node) === true && !equal(known, entries);
    const isFound = isAsked && isNews && isBrought(held, known, entries);
    if (isPending || isFound) nodes.set(node, { holds: true, open: "same" });
  }
  const isOpen = [...nodes.values()].some(({ open }) => open !== undefined);
  const isBlocked = isOpen && owed !== undefined && !isOwn && (pending !== undefined || own === undefined);
  return {
    isRollout: isRollout || isOpen,
    losses,
    pending,
    state: {
      waves: args ? inWaves(names, args.waves) : [names],
      nodes,
      hasCheck: own !== undefined,
      isBlocked,
      maxSilent: inputs.maxUnreachable,
    },
    digestAt,
    checkOf: (node) => (!isOwn && pending?.nodes.includes(node) ? owed : (own ?? owed)),
  };
}

/** A node and the content of the program, by state and lists. */
function standing({ runtime, inputs, state, replaced, former, observed }: Beginning, node: string, isPending: boolean) {
  const program = inputs.of(node);
  const desired = program.entries;
  const set = runtime.node(node).set(inputs.address);
  const name = former.get(node);
  const before = name === undefined ? undefined : state?.of(name);
  const known = before?.entries ?? NOTHING;
  const isThere = before?.endpoint !== undefined && before.endpoint === set.endpoint;
  const list = observed.get(node) ?? set.observed;
  const isSame = isUnchanged(known, desired);
  const open = name === undefined ? undefined : state?.open.get(name);
  // What a killed run left staged is only restored where the rest of the node is as the program says, by a list.
  const isRest = list !== undefined && isThere && isSame && open === undefined && !isPending;
  const staged: KnownPrefixes = isRest ? set.staged : NOTHING;
  const unsettled = new Set([...(before?.unsettled ?? [])].filter((prefix) => !staged.has(prefix)));
  const base = before ? withoutUnsettled(before, unsettled) : replaced?.bases.get(node);
  const isBase = base !== undefined && isUnchanged(base, desired);
  const withdrawn = withdrawnOf(program.notes, before && !before.isOpen ? before.notes : new Map(), node);
  const isSettled =
    before !== undefined && unsettled.size === 0 && withdrawn.size === 0 && (before.exclusive || !program.exclusive);
  const history = name === undefined ? [] : (state?.historyOf(name) ?? []);
  // Entries of other resources, which this group takes over.
  const isTaken = () => base === undefined && [...desired.keys()].some((prefix) => set.managed.has(prefix));
  return {
    holds: isThere && open === undefined && isSame && isBase && isSettled,
    had: history.includes(digestOf(desired)) || (isSame && (open !== undefined || unsettled.size > 0)),
    isFound: !isBase && isBrought(list ?? known, base ?? NOTHING, desired) && !isTaken(),
    isReplaced: before !== undefined && list !== undefined && isReplaced(before, list),
    losses: isThere && before ? lossesOf(before, desired, list, (it) => set.ignores(it), staged) : new Map(),
  };
}

/** True if a list lacks entries of the state, has other values, or has what a killed run added. */
function isReplaced({ entries, unsettled }: SetState, list: ListedMap): boolean {
  const { missing, different, foreign } = compareSet(list, entries, entries);
  return missing.length + different.length > 0 || foreign.some((prefix) => unsettled.has(prefix));
}

/** Entries of the state that this stack wrote, and whose write is known to have ended. */
function withoutUnsettled(before: SetState, unsettled: SetState["unsettled"]): ListedMap {
  const entries = withoutFound(before);
  if (unsettled.size === 0) return entries;
  return new Map([...entries].filter(([prefix]) => !unsettled.has(prefix)));
}

/** True if a list shows a content, and nothing that the content leaves out of the known one. */
function isBrought(list: ListedMap | undefined, known: ListedMap, desired: ListedMap): boolean {
  if (list === undefined || desired.size === 0) return false;
  const { new: lacks, missing, occupied, changed, different, dropped } = compareSet(list, known, desired);
  const open = lacks.length + missing.length + occupied.length + changed.length + different.length;
  return open === 0 && !dropped.some((prefix) => list.has(prefix));
}

/** Entries that the state has as the program declares them, and that the node does not show; by the last refresh without a list. */
function lossesOf(
  { entries: known, lost, unsettled }: SetState,
  desired: ListedMap,
  list: ListedMap | undefined,
  ignores: (prefix: CanonicalPrefix) => boolean,
  staged: KnownPrefixes,
): ListedMap {
  const isDeclared = ([prefix, value]: [CanonicalPrefix, ListedValue]) => desired.get(prefix) === value;
  if (!list) return new Map([...(lost ?? [])].filter(isDeclared));
  const { missing, different } = driftOf(list, known, desired, ignores);
  const restaged = [...unsettled].filter((prefix) => staged.has(prefix) && known.has(prefix));
  const gone = [...missing, ...different.keys(), ...restaged];
  return new Map(gone.map((prefix) => [prefix, known.get(prefix) as ListedValue]));
}
