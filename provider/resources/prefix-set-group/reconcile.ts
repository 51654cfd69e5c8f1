import { pause } from "../../client/clock";
import type { Runtime } from "../../deployment/runtime";
import { passWave } from "../../messages/remedy";
import { groupBy } from "../../model/group";
import type { JsonObject } from "../../model/json";
import { formatUrl } from "../../model/resource-url";
import { GroupNodes } from "./group-nodes";
import { recalled } from "./recalled";
import type { Check } from "./rollout/arguments";
import { checkWave } from "./rollout/check-wave";
import { begun } from "./rollout/facts";
import { FormerRollouts } from "./rollout/former";
import { partialRollout } from "./rollout/partial-rollout";
import { roll } from "./rollout/roll";
import { checkWorld, type Unpassed } from "./rollout/wave-check";
import type { GroupInputs, GroupState } from "./state";

/** Reconciles each node: from its content by the state to the content of the program, and clears the nodes that left it. */
export async function reconcile(runtime: Runtime, inputs: GroupInputs, known?: GroupState): Promise<JsonObject> {
  const state = known && recalled(runtime, known, inputs);
  const url = formatUrl(inputs.address);
  const places = new Map([...inputs.nodes.keys()].map((node) => [node, runtime.node(node).endpoint]));
  const replaced = state ? undefined : FormerRollouts.in(runtime).at(inputs, places);
  const nodes = new GroupNodes(runtime, inputs, state, replaced);
  const beginning = await nodes.beginning();
  const start = begun(beginning);
  nodes.withdraw(start);
  const { args: own } = inputs.rollout;
  const former = state?.rollout.args ?? replaced?.args;
  const { world } = runtime.shared;
  const ask = (check: Check, nodes: readonly string[], isOnce: boolean) => {
    // The check of a former program has the time that it had there.
    const timeoutMs = (check === own?.check ? own : former)?.checkTimeoutMs ?? 0;
    return checkWave(checkWorld(runtime), check, { nodes, set: url, timeoutMs, isOnce });
  };
  const end =
    partialRollout(beginning, passWave(url)) ??
    (await roll(
      start,
      {
        isCancelled: () => runtime.cancelled.aborted,
        restore: (names) => nodes.restore(names, start),
        write: (names, isBrief) => nodes.write(names, isBrief),
        pause: async (wave, of) => {
          const ms = inputs.rollout.args?.pauseMs ?? 0;
          if (ms === 0) return;
          runtime.notices.report({ kind: "paused", url, wave, of, ms });
          await pause(world, ms, runtime.cancelled);
        },
        check: async (names, isOnce) => {
          const checks = groupBy(names, (node) => start.checkOf(node));
          const unpassed: Unpassed[] = [];
          for (const [check, nodesOfCheck] of checks) {
            const found = check && (await ask(check, nodesOfCheck, isOnce));
            if (found) unpassed.push(found);
          }
          const [first] = unpassed;
          return first && { reason: first.reason, nodes: unpassed.flatMap((one) => one.nodes) };
        },
      },
      passWave(url),
    ));
  const isRed = end.text !== undefined && (start.isRollout || runtime.cancelled.aborted);
  if (isRed) nodes.leaveStaying();
  else await nodes.clear();
  return nodes.ended(start.isRollout || isRed ? end : {}, start);
}
