import { pause } from "../../client/clock";
import type { Runtime } from "../../deployment/runtime";
import { passWave } from "../../messages/remedy";
import { attempt } from "../../model/errors";
import { formatUrl } from "../../model/resource-url";
import { some } from "../../model/text";
import { eachSet, failureTexts, GONE_FROM_GROUP, type NodeFailure } from "./each-node";
import { notPassed } from "./rollout/arguments";
import { checkWave } from "./rollout/check-wave";
import { FormerRollouts } from "./rollout/former";
import { checkWorld } from "./rollout/wave-check";
import { inWaves } from "./rollout/waves";
import type { GroupInputs, GroupState } from "./state";

/** Nodes of a deleted group that are cleared together. */
interface Part {
  /** By their names in the state. */
  readonly nodes: readonly string[];
  /** Runs the check of the group that takes their place. Returns a sentence if it did not pass. */
  readonly check?: () => Promise<string | undefined>;
}

/**
 * Removes a deleted group's entries from its nodes. A destroy clears the last wave first. Where another group of the program
 * has taken the place of this one, to remove what only this one declared is a change of that group: it goes in the waves of
 * that group, with its check, and nodes that it does not have come last. A part that fails leaves the later ones as they are.
 *
 * @throws {Error} naming the nodes that failed or did not pass: the state stays, and the next run begins again
 */
export async function clearGroup(runtime: Runtime, state: GroupState): Promise<void> {
  const url = formatUrl(state.address);
  const names = [...state.endpoints.keys()];
  const successor = FormerRollouts.in(runtime).successor(state);
  const parts = successor?.rollout.args ? asChange(runtime, state, successor) : inReverse(state, names);
  const done: string[] = [];
  const failures: NodeFailure[] = [];
  let unpassed: string | undefined;
  for (const { nodes, check } of parts) {
    if (failures.length > 0 || unpassed !== undefined || runtime.cancelled.aborted) break;
    const failed = await eachSet(runtime, "clear", state, nodes, async (node, lifecycle) => {
      await lifecycle.delete(state.of(node), GONE_FROM_GROUP);
      done.push(node);
    });
    failures.push(...failed);
    if (failed.length === 0) unpassed = await check?.();
  }
  const isCancelled = runtime.cancelled.aborted && done.length < names.length;
  if (failures.length === 0 && unpassed === undefined && !isCancelled) return;
  // A delete that fails leaves the state as it is.
  const hint = `Set ${url} is cleared on ${some(names.filter((node) => done.includes(node)))}, although the state still has it there: "pulumi up --refresh" fills it again.`;
  const left = names.filter((node) => !done.includes(node));
  const rest = left.length > 0 ? ` What only the former group declared is still on ${some(left)}.` : "";
  const texts = [
    ...failureTexts(failures),
    ...(unpassed === undefined
      ? []
      : [`Set ${url}: ${unpassed}${rest} The next "pulumi up" checks again. ${passWave(url)}`]),
    ...(isCancelled ? [`Set ${url}: the run was cancelled, and ${some(left)} not cleared.`] : []),
    ...(done.length > 0 && !successor ? [hint] : []),
  ];
  throw new Error(texts.join("\n"));
}

/** Nodes of the state by the waves of the group that takes their place. */
function asChange(runtime: Runtime, state: GroupState, { nodes, rollout, address }: GroupInputs): Part[] {
  const { args } = rollout;
  const url = formatUrl(address);
  const nameThen = new Map([...state.endpoints].map(([name, endpoint]) => [endpoint, name]));
  const thenOf = (node: string) => nameThen.get(runtime.node(node).endpoint) ?? "";
  const waves = inWaves([...nodes.keys()], args?.waves);
  const asked = runtime.settings.passesWave(url) ? undefined : args?.check;
  const goes = (node: string) => {
    const name = thenOf(node);
    const desired = runtime.shared.desired.at(runtime.node(node), url);
    return name !== "" && [...state.of(name).entries.keys()].some((prefix) => !desired.has(prefix));
  };
  const parts = waves.map((members, index): Part => {
    const changed = members.filter(goes);
    const check = async () => {
      if (!args || !asked || changed.length === 0) return undefined;
      await pause(runtime.shared.world, args.pauseMs, runtime.cancelled);
      const wave = { nodes: changed, set: url, timeoutMs: args.checkTimeoutMs };
      const unpassed = await checkWave(checkWorld(runtime), asked, wave);
      return unpassed && notPassed({ ...unpassed, nodes: [...unpassed.nodes], wave: index + 1, of: waves.length });
    };
    return { nodes: members.map(thenOf).filter((name) => name !== ""), check };
  });
  const others = [...state.endpoints.keys()].filter((name) => !parts.some((part) => part.nodes.includes(name)));
  return [...parts, { nodes: others }].filter((part) => part.nodes.length > 0);
}

/** Nodes of the state by their waves, the last wave first; those that left the program come before all. */
function inReverse(state: GroupState, names: readonly string[]): Part[] {
  const { args } = state.rollout;
  const members = [...state.nodes.keys()];
  // A blocked run keeps the waves of a former program beside the nodes of the new one, which may lack some.
  const inOrder = (args && attempt(() => inWaves(members, args.waves))) ?? [members];
  const waves = inOrder.map((nodes) => nodes.filter((node) => state.endpoints.has(node)));
  const left = names.filter((node) => !state.nodes.has(node));
  return [left, ...waves.toReversed()].filter((nodes) => nodes.length > 0).map((nodes) => ({ nodes }));
}
