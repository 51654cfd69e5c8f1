import { equal } from "../../../model/prefix-map";
import { formatUrl } from "../../../model/resource-url";
import { some } from "../../../model/text";
import type { Runtime } from "../../runtime";
import type { GroupInputs, GroupState } from "../state";
import { type Wave, wavesOf } from "./rollout";

/** Number of nodes of a wave up to which they are named. */
const NAMED = 3;

/**
 * Reports the next wave, and why the last one did not pass:
 * `wave 2 of 4 (6 nodes) is next; wave 1 (cdn1) did not pass: GET https://health.example/cdn1: HTTP 503`
 */
export function sayNext(
  { notices }: Runtime,
  state: GroupState | undefined,
  inputs: GroupInputs,
  pending = state?.rollout.pending,
): void {
  const waves = wavesOf([...inputs.nodes.keys()], inputs.rollout);
  const isOpen = (node: string) =>
    !pending?.nodes.includes(node) &&
    (!state?.endpoints.has(node) || !equal(state.of(node).entries, inputs.of(node).entries));
  const next = waves.find(({ nodes }) => nodes.some(isOpen));
  const parts: string[] = [];
  if (next && next.of > 1) parts.push(`wave ${next.number} of ${next.of} (${namesOf(next)}) is next`);
  if (pending) {
    const of = parts.length > 0 ? "" : ` of ${pending.of}`;
    parts.push(`wave ${pending.wave}${of} (${namesOf(pending)}) did not pass: ${pending.reason}`);
  }
  if (parts.length > 0) notices.info(`${formatUrl(inputs.address)}: ${parts.join("; ")}`);
}

function namesOf({ nodes }: Pick<Wave, "nodes">): string {
  return nodes.length > NAMED ? `${nodes.length} nodes` : some(nodes);
}
