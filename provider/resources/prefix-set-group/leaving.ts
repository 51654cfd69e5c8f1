import type { Runtime } from "../../deployment/runtime";
import { FoldedNotices } from "../../messages/notices";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import { formatUrl } from "../../model/resource-url";
import { count, some } from "../../model/text";
import type { GroupInputs, GroupState } from "./state";

/** Command that declares each address to be a machine of its own. */
const DISTINCT = "pulumi config set packetfilter:distinctNodes true";

/** Asks at the first `up` whether each address is a machine of its own: later it is too late for a node that leaves then. */
export function askForDistinct(runtime: Runtime, url: string, endpoints: Iterable<string>): void {
  const { size } = new Set(endpoints);
  if (size < 2 || runtime.settings.distinctNodes) return;
  runtime.notices.warn(
    `${url}: its nodes have ${size} addresses, and two of them may be one machine: a node that leaves keeps what the others want. If each is a machine of its own, say so: ${DISTINCT}`,
  );
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

/** Reports, by the state, the fate of nodes that left the program. */
export function reportRemovedNodes(
  runtime: Runtime,
  state: GroupState,
  inputs: GroupInputs,
  left: readonly string[],
): void {
  const notices = new FoldedNotices(runtime.notices);
  const url = formatUrl(state.address);
  const staying = [...inputs.nodes.keys()].map((name) => ({
    name,
    endpoint: runtime.node(name).endpoint,
    desired: inputs.of(name).entries,
  }));
  for (const node of left) {
    const say = (how: "info" | "warn", text: string) =>
      notices.say(how, { url, at: node }, `it leaves the group, and ${text}`);
    const { entries } = state.of(node);
    const all = count(entries.size, "entry", "entries");
    if (inputs.onDestroy === "keep") {
      say("info", `up leaves ${all} there (onDestroy: "keep"); with onDestroy: "remove", "pulumi up" clears it.`);
      continue;
    }
    const held = { endpoint: state.endpoints.get(node), entries };
    const { prefixes, nodes } = runtime.settings.distinctNodes
      ? { prefixes: new Set(), nodes: [] }
      : keptOnLeaving(held, staying);
    if (prefixes.size === 0) say("info", `up clears ${all} there.`);
    else {
      const cleared = entries.size - prefixes.size;
      const rest = cleared > 0 ? `; up clears ${count(cleared, "entry", "entries")} there` : "";
      say(
        "warn",
        `${count(prefixes.size, "entry stays", "entries stay")} there, since ${some(nodes)} ${nodes.length === 1 ? "has" : "have"} the same and may be the same machine${rest}. If each address is a machine of its own, say so: ${DISTINCT}; if not, onDestroy: "keep" in one run forgets it`,
      );
    }
  }
  notices.flush();
}
