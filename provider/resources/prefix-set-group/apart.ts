import { equal, type ListedMap } from "../../model/prefix-map";

/**
 * Numbers by node. Two nodes with different numbers once answered with different contents, so they are two machines. Nodes
 * with the same number, or without one, may be one machine behind two addresses.
 */
export type Apart = ReadonlyMap<string, number>;

/** Learns from lists made together before any write. Needs the lists of all nodes, to tell from which others a number differs. */
export function refined(
  distinctMachines: Apart,
  observed: ReadonlyMap<string, ListedMap>,
  nodes: readonly string[],
): Apart {
  if (nodes.some((node) => !observed.has(node))) return distinctMachines;
  const kinds: ListedMap[] = [];
  const kindOf = (node: string) => {
    const list = observed.get(node) ?? new Map();
    const found = kinds.findIndex((kind) => equal(kind, list));
    return found >= 0 ? found : kinds.push(list) - 1;
  };
  const kindsOfNodes = new Map(nodes.map((node) => [node, kindOf(node)]));
  if (kinds.length < 2) return distinctMachines;
  const numbered = new Set(nodes.filter((node) => distinctMachines.has(node)).map((node) => kindsOfNodes.get(node)));
  const numbers = new Map<string, number>();
  const refinedNumbers = nodes.flatMap((node): [string, number][] => {
    const [before, kind] = [distinctMachines.get(node), kindsOfNodes.get(node)];
    // A new node with the content of another one may be that one.
    if (before === undefined && numbered.has(kind)) return [];
    const key = JSON.stringify([before, kind]);
    const number = numbers.get(key) ?? numbers.size + 1;
    numbers.set(key, number);
    return [[node, number]];
  });
  return new Map(refinedNumbers);
}
