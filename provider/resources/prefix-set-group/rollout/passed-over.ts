import type { Runtime } from "../../../deployment/runtime";
import { passWave } from "../../../messages/remedy";
import { attempt } from "../../../model/errors";
import { formatUrl } from "../../../model/resource-url";
import type { GroupState } from "../state";
import { notPassed } from "./arguments";
import { checkWave } from "./check-wave";
import { FormerRollouts } from "./former";
import { checkWorld } from "./wave-check";

/**
 * Runs the check of a pending wave before its group is deleted, if the program replaces the group, or another resource takes over
 * an entry of it: the engine creates the replacement first, without this state.
 *
 * @throws {Error} if the check does not pass: the state stays, and the next run checks again
 */
export async function askPassedOver(runtime: Runtime, state: GroupState): Promise<void> {
  const { address, endpoints, rollout } = state;
  const { pending, args } = rollout;
  const url = formatUrl(address);
  if (!pending || !args?.check || runtime.settings.passesWave(url)) return;
  const isReplaced = FormerRollouts.in(runtime).successor(state) !== undefined;
  const isTaken = (node: string) => {
    // The state has no address of one that was never written.
    const endpoint = endpoints.get(node) ?? attempt(() => runtime.node(node).endpoint);
    if (endpoint === undefined) return false;
    const desired = runtime.shared.desired.at({ endpoint }, url);
    // Entries of other resources beside those of the group replace nothing.
    return isReplaced ? desired.size > 0 : [...state.of(node).entries.keys()].some((prefix) => desired.has(prefix));
  };
  if (!pending.nodes.some(isTaken)) return;
  const desired = { nodes: pending.nodes, set: url, timeoutMs: args.checkTimeoutMs, isOnce: true, asksAll: true };
  const unpassed = await checkWave(checkWorld(runtime), args.check, desired);
  if (!unpassed) return;
  const { reason } = unpassed;
  const hasBegun = [...endpoints.keys()].some(
    (node) => attempt(() => runtime.node(node).set(address).writer.hasWritten) === true,
  );
  const effect = hasBegun
    ? "This run began to write the replacement of the group nevertheless"
    : "This run wrote nothing of the replacement of the group";
  throw new Error(
    `Set ${url}: ${notPassed({ ...pending, reason })} ${effect}; the engine shows a former state last, and with "pulumi up --refresh" first. The next "pulumi up" checks again. ${passWave(url)}`,
  );
}
