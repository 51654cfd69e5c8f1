import type { ListedValue } from "../../model/entry";
import { type JsonObject, membersOf } from "../../model/json";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import type { GroupState } from "./state";

/** True of a state that an import begins with: it names nodes, and nothing has been done at any. */
export function isImport({ endpoints, open }: GroupState): boolean {
  return endpoints.size + open.size === 0;
}

/** The arguments that say what nodes hold: what is alike on all of them stands once, the rest with its node. */
export function sharedContent(json: JsonObject, held: ReadonlyMap<string, ListedMap>): JsonObject {
  const [first = new Map<CanonicalPrefix, ListedValue>(), ...others] = held.values();
  const isCommon = (prefix: CanonicalPrefix, value: ListedValue) => others.every((one) => one.get(prefix) === value);
  const common = new Map([...first].filter(([prefix, value]) => isCommon(prefix, value)));
  const nodes = [...held].map(([node, entries]) => {
    const own = [...entries].filter(([prefix]) => !common.has(prefix));
    const given = membersOf(membersOf(json.nodes)[node]);
    return [node, own.length > 0 ? { ...given, entries: Object.fromEntries(own) } : given];
  });
  return { ...json, entries: Object.fromEntries(common), nodes: Object.fromEntries(nodes) };
}
