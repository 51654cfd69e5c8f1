import { pause } from "../../client/clock";
import type { JsonObject } from "../../model/json";
import { formatUrl } from "../../model/resource-url";
import type { Runtime } from "../runtime";
import { GroupNodes } from "./group-nodes";
import { checkWave } from "./rollout/check-wave";
import { FormerRollouts } from "./rollout/former";
import { wayOut } from "./rollout/passed-over";
import { Rollout, type Wave } from "./rollout/rollout";
import type { GroupInputs, GroupState } from "./state";

/** Brings each node from its content by the state to the content of the program, and clears the nodes that left it. */
export async function bring(runtime: Runtime, inputs: GroupInputs, state?: GroupState): Promise<JsonObject> {
  const url = formatUrl(inputs.address);
  const places = new Map([...inputs.nodes.keys()].map((node) => [node, runtime.node(node).endpoint]));
  const former = state ? undefined : FormerRollouts.in(runtime).at(url, places);
  const before = state ? { ...state.rollout, strays: state.strays } : former;
  const nodes = new GroupNodes(runtime, inputs, state, former);
  const { args } = inputs.rollout;
  const { world } = runtime.shared;
  const rollout = new Rollout(
    nodes,
    inputs.rollout,
    before ?? { args: undefined, pending: undefined, strays: [] },
    {
      wayOut: wayOut(url),
      isCancelled: () => runtime.cancelled.aborted,
      pause: async ({ number, of }: Wave) => {
        const ms = args?.pauseMs ?? 0;
        if (ms === 0) return;
        runtime.notices.info(`Set ${url}: wave ${number} of ${of} is written; its pause is ${ms / 1_000} s.`);
        await pause(world, ms, runtime.cancelled);
      },
      check: (check, names, isOnce) => {
        const timeoutMs = (args ?? before?.args)?.checkTimeoutMs ?? 0;
        const surroundings = { world, env: runtime.env, signal: runtime.cancelled };
        return checkWave(surroundings, check, { nodes: names, set: url, timeoutMs, isOnce });
      },
    },
    runtime.settings.passesWave(url),
  );
  const red = await rollout.run();
  // Without waves, a failed node stops no other.
  const isRollout = args !== undefined || before?.pending !== undefined || red?.isHeld === true;
  if (red && isRollout) {
    if (!runtime.cancelled.aborted) await nodes.restore(red);
    nodes.leaveStaying();
  } else await nodes.clear();
  return nodes.ended(isRollout ? red : undefined);
}
