import { NodeMemories } from "../../provider/client/world";
import { Prefix } from "../../provider/model/prefix";
import { parseUrl } from "../../provider/model/resource-url";
import { type ProbeOptions, probe } from "../../provider/probe/probe";
import { OWN, SET } from "./support";

/** Waits that take no time. */
export function atOnce() {
  let time = 0;
  const sleep = async (ms: number) => {
    time += ms;
  };
  return { sleep, monotonic: () => time, memories: new NodeMemories() };
}

/** Probes the set of a shaped node, with small requests. */
export function probedSet({ endpoint }: { readonly endpoint: string }, options: Partial<ProbeOptions> = {}) {
  const limits = { entries: 20, bytes: 2_048 };
  return probe({ node: { endpoint }, urls: [parseUrl(SET)], write: true, limits, world: atOnce(), ...options });
}

/** Options of a shaped receiver. */
export const optionsOf = ({ url }: { readonly url: string }) => ({ url, clientId: "c1", secretKey: "k3y" });

/** Probes a shaped receiver. */
export function probedReceiver(receiver: { readonly url: string }, prefix = OWN) {
  const own = { options: optionsOf(receiver), prefix: Prefix.parse(prefix) };
  return probe({ urls: [], receiver: own, world: atOnce() });
}
