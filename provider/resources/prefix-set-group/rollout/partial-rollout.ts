import { equal } from "../../../model/prefix-map";
import { formatUrl } from "../../../model/resource-url";
import { some } from "../../../model/text";
import type { Beginning } from "./facts";
import type { RolloutEnd } from "./roll";

/**
 * Stops a group without a state and without a check, if some nodes have the content of the program and others do not: it may
 * take the place of one with a wave that has not passed.
 */
export function partialRollout(
  { runtime, inputs, state, replaced, observed }: Beginning,
  remedy: string,
): RolloutEnd | undefined {
  const { args } = inputs.rollout;
  if (state || replaced || !args || args.check || runtime.settings.passesWave(formatUrl(inputs.address)))
    return undefined;
  const held = [...inputs.nodes.keys()].flatMap((node) => {
    const { managed } = runtime.node(node).set(inputs.address);
    const { entries, exclusive } = inputs.of(node);
    // In a shared set, entries of others do not count.
    const ours = [...(observed.get(node) ?? [])].filter(([prefix]) => exclusive || entries.has(prefix));
    const isOurs = ours.length > 0 && ours.every(([prefix]) => !managed.has(prefix));
    return isOurs ? [{ node, isDone: equal(new Map(ours), entries) }] : [];
  });
  const namesOf = (isDone: boolean) => held.flatMap((it) => (it.isDone === isDone ? it.node : []));
  const [done, behind] = [namesOf(true), namesOf(false)];
  if (done.length === 0 || behind.length === 0) return undefined;
  const [hold, others] = [done, behind].map((nodes) => `${some(nodes)} ${nodes.length > 1 ? "hold" : "holds"}`);
  const text = `nothing was written: ${hold} what the program says, and ${others} something else, which a wave leaves if it has not passed. The engine does not show a group that is replaced or renamed, and these waves have no check. Give them the check, or run "pulumi up --refresh", which reads the state. ${remedy}`;
  return { text };
}
