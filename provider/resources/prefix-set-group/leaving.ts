import { equal, type ListedMap } from "../../model/prefix-map";
import { formatUrl } from "../../model/resource-url";
import { count, some } from "../../model/text";
import { FoldedNotices } from "../notices";
import type { Runtime } from "../runtime";
import type { GroupInputs, GroupState } from "./state";

/** The command that says that each address is a machine of its own. */
const DISTINCT = "pulumi config set packetfilter:distinctNodes true";

/**
 * Asks, at the first `up` of a group with several addresses, whether each is a machine of its own: later they hold the same,
 * which proves nothing.
 */
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
  readonly wanted: ListedMap;
}

/**
 * Fate at an `up` of the entries of a node that leaves the group, as far as the state shows it: it is cleared once the others are
 * written, unless nothing proves by then that it is another machine than one where the same is wanted.
 *
 * @param isKnown Whether two addresses are known to be two machines.
 * @param joins Whether a node joins the group in the same run: then lists are compared before anything is written, too.
 * @returns `doubted`: nodes that may be the same machine; `same`: those of them whose lists will show the same, so that all stays
 */
export function fateOfLeaving(
  { endpoint: here, entries }: { readonly endpoint: string | undefined; readonly entries: ListedMap },
  staying: readonly Staying[],
  { isKnown, joins }: { readonly isKnown: (here: string, there: string) => boolean; readonly joins: boolean },
): { readonly doubted: readonly string[]; readonly same: readonly string[] } {
  const doubted = staying.filter(
    ({ endpoint: there, wanted }) =>
      there !== here &&
      !isKnown(here ?? "", there ?? "") &&
      (wanted === entries || [...entries.keys()].some((prefix) => wanted.has(prefix))),
  );
  const same = doubted.filter(({ held, wanted }) => equal(wanted, entries) && (!joins || equal(held, entries)));
  const names = (nodes: readonly Staying[]) => nodes.map(({ name }) => name);
  return { doubted: names(doubted), same: names(same) };
}

/**
 * Says what an `up` does with the nodes that left the program, as far as the state tells.
 *
 * @param former Node of the program to node of the state.
 */
export function sayLeaving(
  runtime: Runtime,
  state: GroupState,
  inputs: GroupInputs,
  { former, left }: { readonly former: ReadonlyMap<string, string>; readonly left: readonly string[] },
): void {
  const notices = new FoldedNotices(runtime.notices);
  const url = formatUrl(state.address);
  const isKnown = (here: string, there: string) => runtime.shared.sameMachine.isKnown(url, here, there);
  const staying = [...inputs.nodes.keys()].map((name) => {
    const before = former.get(name);
    const held: ListedMap = before === undefined ? new Map() : state.of(before).entries;
    return { name, endpoint: runtime.node(name).endpoint, held, wanted: inputs.of(name).entries };
  });
  for (const node of left) {
    const { entries } = state.of(node);
    const what = count(entries.size, "entry", "entries");
    const leaves = (text: string) => `it leaves the group, and ${text}`;
    if (inputs.onDestroy === "keep") {
      notices.info(
        { url, at: node },
        leaves(`up leaves ${what} there (onDestroy: "keep"); with onDestroy: "clear", "pulumi up" clears it.`),
      );
      continue;
    }
    const held = { endpoint: state.endpoints.get(node), entries };
    const joins = former.size < inputs.nodes.size;
    const { doubted, same } = fateOfLeaving(held, staying, { isKnown, joins });
    if (same.length > 0)
      notices.warn(
        { url, at: node },
        leaves(
          `${what} ${entries.size === 1 ? "stays" : "stay"} there: ${some(same)} ${same.length === 1 ? "holds" : "hold"} the same, and nothing proves that it is another machine. If it is, ${DISTINCT}`,
        ),
      );
    else if (doubted.length === 0) notices.info({ url, at: node }, leaves(`up clears ${what} there.`));
    else
      notices.info(
        { url, at: node },
        leaves(`up clears ${what} there, once its list proves that it is another machine than ${some(doubted)}.`),
      );
  }
  notices.flush();
}
