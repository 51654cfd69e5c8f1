import { addTo } from "../../provider/model/group";
import type { Connection, SetResource } from "../resources";

/** Resources that add entries to one set, or to sets of one node, and the number of nodes with exactly these resources. */
export interface Together {
  readonly holders: readonly SetResource[];
  readonly nodes: number;
}

/** The resources of a stack that add entries to one set of one node, or of several equal nodes. */
export interface OneSet extends Together {
  readonly url: string;
}

/**
 * Resources grouped by node and set; nodes with the same resources are one group.
 *
 * @throws {NotYetKnown} when one of them is not known; see `known` for leaving it out.
 */
export function bySet(resources: readonly SetResource[]): OneSet[] {
  return together(resources, ({ url }) => url).map((group) => ({
    ...group,
    url: (group.holders[0] as SetResource).url,
  }));
}

/**
 * Resources grouped by node; nodes with the same resources are one group.
 *
 * @throws {NotYetKnown} when one of them is not known; see `known` for leaving it out.
 */
export function byNode(resources: readonly SetResource[]): Together[] {
  return together(resources, () => "");
}

function together(resources: readonly SetResource[], keyOf: (resource: SetResource) => string): Together[] {
  const places = new Map<string, SetResource[]>();
  const addresses = addressesOf(resources);
  for (const resource of resources) {
    const own = keyOf(resource);
    for (const node of resource.nodes) addTo(places, `${nodeKey(node, resource, addresses)} ${own}`, resource);
  }
  const index = new Map(resources.map((resource, at) => [resource, at]));
  const groups = new Map<string, { holders: readonly SetResource[]; nodes: number }>();
  for (const holders of places.values()) {
    const key = holders.map((holder) => index.get(holder)).join();
    const group = groups.get(key);
    if (group) group.nodes += 1;
    else groups.set(key, { holders, nodes: 1 });
  }
  return [...groups.values()];
}

/** The addresses of each name: more than one where two providers have nodes of one name. */
function addressesOf(resources: readonly SetResource[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const resource of resources) {
    for (const node of resource.nodes) {
      const address = addressOf(node, resource);
      if (node.name === undefined || address === undefined) continue;
      found.set(node.name, (found.get(node.name) ?? new Set()).add(address));
    }
  }
  return found;
}

/** The address that this run reaches by its configuration, else that of the state. */
function addressOf({ url }: Connection, { endpoint }: SetResource): string | undefined {
  return url ?? endpoint;
}

// A node is identified by its address, which two names may have, else by the only address of its name, else by the name.
function nodeKey(node: Connection, resource: SetResource, addresses: ReadonlyMap<string, ReadonlySet<string>>): string {
  const { name = "" } = node;
  const [only, ...others] = addresses.get(name) ?? [];
  return addressOf(node, resource) ?? (others.length === 0 ? only : undefined) ?? name;
}
