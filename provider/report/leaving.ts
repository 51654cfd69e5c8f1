import { type JsonObject, membersOf } from "../model/json";
import type { ListedMap } from "../model/prefix-map";
import { fateOfLeaving } from "../resources/prefix-set-group/leaving";
import type { SetContent } from "./set-content";

/** True for two addresses that are known to be two machines. */
export type AreTwo = (one: string, other: string) => boolean;

/** Facts about two addresses from configuration and state of a group. */
export function areTwoBy(config: JsonObject, { distinctMachines, endpoints }: JsonObject): AreTwo {
  if (String(config["packetfilter:distinctNodes"]) === "true") return () => true;
  const addresses = membersOf(endpoints);
  const numbers = new Map(
    Object.entries(membersOf(distinctMachines)).map(([node, number]) => [addresses[node], number]),
  );
  return (one, other) => {
    const [a, b] = [numbers.get(one), numbers.get(other)];
    return a !== undefined && b !== undefined && a !== b;
  };
}

/**
 * Tells of a node that leaves a group whether its entries stay there, since nothing proves that it is another machine.
 *
 * @param had What each node held, by its key.
 * @param wanted What each node is to hold.
 */
export function unprovenIn(
  had: ReadonlyMap<string, SetContent>,
  desired: ReadonlyMap<string, SetContent>,
  isKnown: AreTwo,
): (leaving: SetContent) => boolean {
  const listed = new Map<unknown, ListedMap>();
  const entriesOf = (content: SetContent | undefined): ListedMap => {
    const made = listed.get(content?.entries);
    const entries = made ?? new Map([...(content?.entries ?? [])].map(([prefix, { value }]) => [prefix, value]));
    listed.set(content?.entries, entries);
    return entries;
  };
  const staying = [...desired].map(([key, content]) => {
    const { label: name, endpoint } = content.place;
    return { name, endpoint, held: entriesOf(had.get(key)), desired: entriesOf(content) };
  });
  const joins = [...desired.keys()].some((key) => !had.has(key));
  return (leaving) => {
    const { endpoint } = leaving.place;
    return fateOfLeaving({ endpoint, entries: entriesOf(leaving) }, staying, { isKnown, joins }).same.length > 0;
  };
}
