import { WHOLE_SET } from "../../deployment/node-in-use";
import type { Runtime } from "../../deployment/runtime";
import type { About, Compared } from "../../engine/handler";
import { attempt } from "../../model/errors";
import { addTo } from "../../model/group";
import { hasUnknown, type JsonObject, membersOf, without } from "../../model/json";
import { type ListedMap, NOTHING } from "../../model/prefix-map";
import { formatUrl, setUrl } from "../../model/resource-url";
import type { Place } from "../../reconcile/desired";
import { RESTORES } from "../../reconcile/drift";
import { withdrawnOf } from "../../reconcile/entries";
import { compare, remember } from "../changes";
import { isSameSet } from "../prefix-set/check";
import { SetLifecycle } from "../prefix-set/lifecycle";
import { ResourceSet } from "../resource-set";
import { writeDiffersToChange } from "./outputs";
import { recalled } from "./recalled";
import { reportRemovedNodes } from "./removed-nodes";
import { readRollout } from "./rollout/arguments";
import { begun } from "./rollout/facts";
import { FormerRollouts } from "./rollout/former";
import { reportNextWave, sayChanges } from "./rollout/say";
import {
  GROUP_OUTPUTS,
  type GroupInputs,
  type GroupState,
  keptBefore,
  readInputs,
  readReplaced,
  readState,
} from "./state";

/** `diff` of a `PrefixSetGroup`: compares state and program, and records entries of the state as owned. */
export function diffPrefixSetGroup(runtime: Runtime, olds: JsonObject, checked: JsonObject, about?: About): Compared {
  const isLeft = about?.ignored !== undefined && !restores(runtime, olds, checked, about.ignored);
  const news = isLeft ? without(checked, [RESTORES]) : checked;
  const formers = FormerRollouts.in(runtime);
  const areKnown = !hasUnknown(news.nodes);
  const look = { hasSent: false };
  remember(olds.nodes, () => {
    const state = readReplaced(olds);
    formers.add(state);
    const now = recalled(runtime, state, hasUnknown(news) ? undefined : readInputs(news));
    look.hasSent = now !== state;
    runtime.notices.fold(() => takeIn(runtime, now, areKnown ? news : undefined));
  });
  const names = Object.keys(membersOf(news.nodes));
  const { given, pending } = readRollout(olds.rollout);
  if (!hasUnknown(news)) {
    const inputs = readInputs(news);
    const state = recalled(runtime, readReplaced(olds), inputs);
    sayPlan(runtime, state, inputs);
    if (isSameSet(olds, news)) runtime.notices.fold(() => foresee(runtime, state, inputs));
  }
  const hasMoved = areKnown && addressOverridden(runtime, olds.endpoints, names);
  if (hasMoved) exchange(runtime, readReplaced(olds), names, news);
  return compare({
    // `unsettled` shows an update that only the lists of the look show.
    olds: { ...withoutLeaving(withLost(runtime, olds)), rollout: given, ...(look.hasSent && { unsettled: {} }) },
    news,
    about,
    outputs: GROUP_OUTPUTS,
    identity: ["arena", "profile", "set"],
    leave: () => {
      const state = readState(olds);
      const successor = setUrl(news);
      if (pending && successor) formers.add(state, formatUrl(successor));
      if (state.onDestroy !== "keep") leave(runtime, state, state.endpoints.keys());
    },
    withdraw: () => {
      for (const node of names) ResourceSet.withdraw(runtime, { ...news, node }, WHOLE_SET);
    },
    runtime,
    hasMoved: () => hasMoved || pending !== undefined,
  });
}

/** False if all that the looks did not see as in the state is ignored by the program. */
function restores(runtime: Runtime, olds: JsonObject, news: JsonObject, ignored: About["ignored"]): boolean {
  if (hasUnknown(news)) return true;
  const [state, inputs] = [readReplaced(olds), readInputs(news)];
  const names = [...inputs.nodes.keys()];
  const { former } = placed(runtime, names, state);
  const areRestored = names.map((name) => {
    const desired = inputs.of(name);
    const set = ResourceSet.open(runtime, desired);
    const before = former.get(name);
    const isSame = before !== undefined && state.endpoints.get(before) === set.endpoint && isSameSet(olds, news);
    return set.ignoreLate(ignored, isSame ? state.of(before).entries : NOTHING, desired.entries);
  });
  return areRestored.includes(true);
}

/** State without the entries of nodes that left the program: they are not a change of arguments, and `hasMoved` covers them. */
function withoutLeaving({ differs, ...olds }: JsonObject): JsonObject {
  const nodes = membersOf(olds.nodes);
  const staying = Object.entries(membersOf(differs)).filter(([node]) => node in nodes);
  return staying.length > 0 ? { ...olds, differs: Object.fromEntries(staying) } : olds;
}

/** True if a node of the program has another address than in the state, or a node that left it is still in the state. */
function addressOverridden(runtime: Runtime, endpoints: unknown, names: readonly string[]): boolean {
  const before = new Map(Object.entries(membersOf(endpoints)));
  return before.size !== names.length || names.some((node) => before.get(node) !== runtime.node(node).endpoint);
}

/** Records the entries of the state as owned, so that they are not foreign, and reports foreign and lost ones. */
function takeIn(runtime: Runtime, state: GroupState, news: JsonObject | undefined): void {
  const inputs = news === undefined || hasUnknown(news) ? undefined : readInputs(news);
  const { former } = placed(runtime, [...(inputs?.nodes.keys() ?? [])], state);
  const successors = new Map([...former].map(([name, before]) => [before, name]));
  const placesByEntries = new Map<ListedMap, Place[]>();
  const lifecycle = new SetLifecycle(runtime);
  for (const [node, endpoint] of state.endpoints) {
    const held = state.of(node);
    addTo(placesByEntries, held.entries, { name: node, endpoint });
    const before = held.existed.size > 0 ? attempt(() => ResourceSet.ofState(runtime, held)) : undefined;
    for (const prefix of held.existed) before?.existed.add(prefix);
    const name = successors.get(node);
    if (!inputs || name === undefined) continue;
    const desired = inputs.of(name);
    const set = ResourceSet.open(runtime, desired);
    if (held.foreign.size === 0 && !held.lost && !set.observedInLook) continue;
    if (held.foreign.size > 0) lifecycle.reportForeign(set, held, desired);
    const withdrawn = withdrawnOf(desired.notes, held.isOpen ? new Map() : held.notes, name);
    if (set.endpoint === endpoint)
      lifecycle.reportDrift(set, held, desired.entries, { exclusive: desired.exclusive, withdrawn });
  }
  const url = formatUrl(state.address);
  for (const [entries, places] of placesByEntries) runtime.shared.managed.addAll(places, url, entries);
}

/** Reports the steps of an `up` by the state and the look of this run. */
function sayPlan(runtime: Runtime, state: GroupState, inputs: GroupInputs): void {
  const names = [...inputs.nodes.keys()];
  const { former, left } = placed(runtime, names, state);
  const silent = new Set(names.filter((node) => runtime.look.isSilent(runtime.node(node).endpoint)));
  const beginning = { runtime, inputs, state, former, left, observed: new Map(), silent };
  const start = begun(beginning);
  reportNextWave(beginning, start);
  sayChanges(beginning, start);
}

/** Reports entries of others that the writes to the nodes that answer meet, and warns of limits that they exceed. */
function foresee(runtime: Runtime, state: GroupState, inputs: GroupInputs): void {
  const lifecycle = new SetLifecycle(runtime);
  const { former } = placed(runtime, [...inputs.nodes.keys()], state);
  for (const name of inputs.nodes.keys()) {
    const before = former.get(name);
    const desired = inputs.of(name);
    const set = ResourceSet.open(runtime, desired);
    if (runtime.look.isSilent(set.endpoint)) continue;
    if (before === undefined) lifecycle.foreseeNew(set, desired);
    else lifecycle.foresee(set, state.of(before), desired);
  }
}

/** The state with the entries that its nodes should hold; `lost` remains if an update restores something. */
function withLost(runtime: Runtime, { lost, differs, ...olds }: JsonObject): JsonObject {
  if (lost === undefined) return differs === undefined ? olds : { ...olds, differs };
  const state = readReplaced({ ...olds, lost, differs });
  const kept = new Map([...state.endpoints.keys()].map((node) => [node, keptBefore(state, node)]));
  const isLeft = (node: string) => {
    // A node that left the configuration, or has another name there, shows no longer what the program ignores.
    const set = attempt(() => runtime.node(node).set(state.address));
    const { entries, lost } = kept.get(node) ?? {};
    return [...(lost?.keys() ?? [])].every((prefix) => entries?.has(prefix) && set?.ignores(prefix));
  };
  const known = { ...olds, ...writeDiffersToChange(state, kept) };
  return Object.keys(membersOf(lost)).every(isLeft) ? known : { ...known, lost };
}

/** A node takes the place of another one: the contents of both are compared before the new one is written. */
function exchange(runtime: Runtime, state: GroupState, names: readonly string[], news: JsonObject): void {
  const { former, left } = placed(runtime, names, state);
  if (!hasUnknown(news)) reportRemovedNodes(runtime, state, readInputs(news), left);
  if (former.size < names.length && news.onDestroy !== "keep") leave(runtime, state, left);
}

function leave(runtime: Runtime, state: GroupState, nodes: Iterable<string>): void {
  for (const node of nodes) ResourceSet.leave(runtime, state.of(node));
}

/**
 * Finds the node of the state for each node of the program: the one at its address, whatever its name. Only if the program
 * has no node at an address of the state, the name shows that the node has moved.
 *
 * @returns `former`: node of the program to node of the state, without joining nodes; `left`: nodes that left the program
 */
export function placed(
  runtime: Runtime,
  names: readonly string[],
  state: Pick<GroupState, "endpoints"> | undefined,
): { readonly former: ReadonlyMap<string, string>; readonly left: readonly string[] } {
  const former = new Map<string, string>();
  if (!state) return { former, left: [] };
  const free = new Map(state.endpoints);
  const addresses = new Map(names.map((node) => [node, runtime.node(node).endpoint]));
  const take = (node: string, name: string | undefined) => {
    if (name === undefined || former.has(node) || !free.delete(name)) return;
    former.set(node, name);
  };
  for (const [node, address] of addresses) if (free.get(node) === address) take(node, node);
  const byAddress = new Map([...free].map(([name, address]) => [address, name]));
  for (const [node, address] of addresses) take(node, byAddress.get(address));
  for (const node of addresses.keys()) take(node, node);
  return { former, left: [...free.keys()] };
}
