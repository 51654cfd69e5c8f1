import type { ListedValue } from "../../model/entry";
import { type JsonObject, membersOf } from "../../model/json";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import type { GroupState } from "./state";

/** True for the first state of an import: it names nodes, none of which was written. */
export function isImport({ endpoints, open }: GroupState): boolean {
  return endpoints.size + open.size === 0;
}

/** Arguments for the content of the nodes: common entries once, the others as overrides. */
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
