import type { Runtime } from "../../deployment/runtime";
import { FoldedNotices } from "../../messages/notices";
import { equal, type ListedMap } from "../../model/prefix-map";
import { formatUrl } from "../../model/resource-url";
import { count, some } from "../../model/text";
import type { GroupInputs, GroupState } from "./state";

/** Command that declares each address to be a machine of its own. */
const DISTINCT = "pulumi config set packetfilter:distinctNodes true";

/** Asks before the first write whether each address is a machine of its own: later all hold the same, which proves nothing. */
export function askForDistinct(runtime: Runtime, url: string, endpoints: Iterable<string>): void {
  const { size } = new Set(endpoints);
  if (size < 2 || runtime.settings.distinctNodes) return;
  runtime.notices.warn(
    `${url}: its nodes have ${size} addresses, and two of them may be one machine: a node that leaves keeps what the others want until it is known to be another one. If each is a machine of its own, say so: ${DISTINCT}`,
  );
}

/** A node of the group that may be the same machine as one that leaves it. */
interface Staying {
  readonly name: string;
  readonly endpoint: string | undefined;
  /** Entries of the node by the state. */
  readonly held: ListedMap;
  /** Entries that the program declares there. */
  readonly desired: ListedMap;
}

/**
 * Predicts from the state if an `up` clears a leaving node. It does so once the others are written, unless the node may
 * still be the same machine as one that wants the same entries.
 *
 * @param isKnown True if two addresses are known to be two machines.
 * @param joins True if a node joins the group in the same run: then lists are also compared before anything is written.
 * @returns `doubted`: nodes that may be the same machine; `same`: those of them with the same list, for which all stays
 */
export function fateOfLeaving(
  { endpoint: here, entries }: { readonly endpoint: string | undefined; readonly entries: ListedMap },
  staying: readonly Staying[],
  { isKnown, joins }: { readonly isKnown: (here: string, there: string) => boolean; readonly joins: boolean },
): { readonly doubted: readonly string[]; readonly same: readonly string[] } {
  const doubted = staying.filter(
    ({ endpoint: there, desired }) =>
      there !== here &&
      !isKnown(here ?? "", there ?? "") &&
      (desired === entries || [...entries.keys()].some((prefix) => desired.has(prefix))),
  );
  const same = doubted.filter(({ held, desired }) => equal(desired, entries) && (!joins || equal(held, entries)));
  const names = (nodes: readonly Staying[]) => nodes.map(({ name }) => name);
  return { doubted: names(doubted), same: names(same) };
}

/** Reports, by the state, the fate of nodes that left the program. @param former Node of the program to node of the state. */
export function reportRemovedNodes(
  runtime: Runtime,
  state: GroupState,
  inputs: GroupInputs,
  { former, left }: { readonly former: ReadonlyMap<string, string>; readonly left: readonly string[] },
): void {
  const notices = new FoldedNotices(runtime.notices);
  const { say } = notices;
  const url = formatUrl(state.address);
  const isKnown = (here: string, there: string) => runtime.shared.sameMachine.isKnown(url, here, there);
  const staying = [...inputs.nodes.keys()].map((name) => {
    const before = former.get(name);
    const held: ListedMap = before === undefined ? new Map() : state.of(before).entries;
    return { name, endpoint: runtime.node(name).endpoint, held, desired: inputs.of(name).entries };
  });
  for (const node of left) {
    const { entries } = state.of(node);
    const what = count(entries.size, "entry", "entries");
    const leaves = (text: string) => `it leaves the group, and ${text}`;
    if (inputs.onDestroy === "keep") {
      say(
        "info",
        { url, at: node },
        leaves(`up leaves ${what} there (onDestroy: "keep"); with onDestroy: "remove", "pulumi up" clears it.`),
      );
      continue;
    }
    const held = { endpoint: state.endpoints.get(node), entries };
    const joins = former.size < inputs.nodes.size;
    const { doubted, same } = fateOfLeaving(held, staying, { isKnown, joins });
    if (same.length > 0)
      say(
        "warn",
        { url, at: node },
        leaves(
          `${what} ${entries.size === 1 ? "stays" : "stay"} there: ${some(same)} ${same.length === 1 ? "holds" : "hold"} the same, and nothing proves that it is another machine. If it is, ${DISTINCT}`,
        ),
      );
    else if (doubted.length === 0) say("info", { url, at: node }, leaves(`up clears ${what} there.`));
    else
      say(
        "info",
        { url, at: node },
        leaves(`up clears ${what} there, once its list proves that it is another machine than ${some(doubted)}.`),
      );
  }
  notices.flush();
}
