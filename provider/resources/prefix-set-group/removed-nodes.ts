import type { Runtime } from "../../deployment/runtime";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import { formatUrl } from "../../model/resource-url";
import type { GroupInputs, GroupState } from "./state";

/** Asks at the first `up` whether each address is a machine of its own: later it is too late for a node that leaves then. */
export function askForDistinct(runtime: Runtime, url: string, endpoints: Iterable<string>): void {
  const { size } = new Set(endpoints);
  if (size < 2 || runtime.settings.distinctNodes) return;
  runtime.notices.report({ kind: "mayBeOneMachine", url, addresses: size });
}

/** A node that stays in the group. */
interface Staying {
  readonly name: string;
  readonly endpoint: string | undefined;
  /** Entries that the program declares there. */
  readonly desired: Pick<ListedMap, "has">;
}

/**
 * Entries of a leaving node that an `up` leaves there, since another address wants the same and may be the same machine.
 *
 * @returns `nodes`: those that want them
 */
export function keptOnLeaving(
  { endpoint: here, entries }: { readonly endpoint: string | undefined; readonly entries: Pick<ListedMap, "keys"> },
  staying: readonly Staying[],
): { readonly prefixes: ReadonlySet<CanonicalPrefix>; readonly nodes: readonly string[] } {
  const all = [...entries.keys()];
  const wanting = staying.filter(({ endpoint, desired }) => endpoint !== here && all.some((it) => desired.has(it)));
  const prefixes = new Set(all.filter((prefix) => wanting.some(({ desired }) => desired.has(prefix))));
  return { prefixes, nodes: wanting.map(({ name }) => name) };
}

/** Reports, by the state, the outcome of nodes that left the program. */
export function reportRemovedNodes(
  runtime: Runtime,
  state: GroupState,
  inputs: GroupInputs,
  left: readonly string[],
): void {
  const { notices } = runtime;
  const url = formatUrl(state.address);
  const staying = [...inputs.nodes.keys()].map((name) => ({
    name,
    endpoint: runtime.node(name).endpoint,
    desired: inputs.of(name).entries,
  }));
  const report = (at: string) => {
    const { entries } = state.of(at);
    const isForgotten = inputs.onDestroy === "keep";
    const held = { endpoint: state.endpoints.get(at), entries };
    const isOwn = isForgotten || runtime.settings.distinctNodes;
    const kept = isOwn ? { prefixes: [], nodes: [] } : keptOnLeaving(held, staying);
    const what = { prefixes: [...entries.keys()], kept: [...kept.prefixes], like: kept.nodes, isForgotten };
    notices.report({ kind: "leaves", url, at, ...what });
  };
  notices.fold(() => left.forEach(report));
}
