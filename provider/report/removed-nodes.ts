import type { JsonObject } from "../model/json";
import type { CanonicalPrefix } from "../model/prefix";
import { keptOnLeaving } from "../resources/prefix-set-group/removed-nodes";
import type { SetContent } from "./set-content";

/**
 * Finds the entries that stay at a node that leaves a group, since another address wants them and may be the same
 * machine (`packetfilter:distinctNodes`).
 *
 * @param desired What each node is to hold, by its key.
 */
export function stayingIn(
  config: JsonObject,
  desired: ReadonlyMap<string, SetContent>,
): (leaving: SetContent) => ReadonlySet<CanonicalPrefix> {
  if (String(config["packetfilter:distinctNodes"]) === "true") return () => new Set();
  const staying = [...desired.values()].map(({ place: { label, endpoint }, entries }) => ({
    name: label,
    endpoint,
    desired: entries,
  }));
  return ({ place: { endpoint }, entries }) => keptOnLeaving({ endpoint, entries }, staying).prefixes;
}
