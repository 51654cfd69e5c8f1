import type { SetResource } from "../resources";

/** The resources of a stack that put entries into one set of one node. */
export interface OneSet {
  readonly url: string;
  readonly holders: readonly SetResource[];
}

/**
 * Resources grouped by node and set.
 *
 * @throws {NotYetKnown} when one of them is not known; see `known` for leaving it out.
 */
export function bySet(resources: readonly SetResource[]): OneSet[] {
  const groups = new Map<string, SetResource[]>();
  for (const resource of resources) {
    const key = `${nodeKey(resource)} ${resource.url}`;
    const group = groups.get(key);
    if (group) group.push(resource);
    else groups.set(key, [resource]);
  }
  return [...groups.values()].map((holders) => ({
    url: (holders[0] as SetResource).url,
    holders,
  }));
}

// The endpoint of an update says best which node it is; before the first one, what the program says. The key is compared
// and never shown.
function nodeKey({ node, endpoint }: SetResource): string {
  return node.name ?? endpoint ?? node.url ?? "";
}
