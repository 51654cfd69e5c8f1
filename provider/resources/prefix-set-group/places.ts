import type { Runtime } from "../runtime";
import type { GroupState } from "./state";

/** Which node of the state each node of the program was. */
export interface Placed {
  /** Node of the program to node of the state; those that join are not there. */
  readonly former: ReadonlyMap<string, string>;
  /** Nodes of the state that are none of the program's any more. */
  readonly left: readonly string[];
}

/**
 * A place is an address, not a name: a node under another name at the address of the state is the same machine. Only where
 * no node of the program is at that address does a name say that the node has moved.
 */
export function placed(runtime: Runtime, names: readonly string[], state: GroupState | undefined): Placed {
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
