import { WHOLE_SET } from "../../../deployment/node-in-use";
import type { Runtime } from "../../../deployment/runtime";
import type { CanonicalPrefix } from "../../../model/prefix";
import { formatUrl } from "../../../model/resource-url";
import { isRemoved, judgeOf } from "../../../reconcile/set-plan";
import { desiredChange } from "../../../reconcile/three-way";
import type { GroupInputs } from "../state";
import type { Beginning, Begun } from "./facts";
import { foreseen, type Step } from "./next-step";

/**
 * Reports the steps of an `up`, and why a wave has not passed:
 * `wave 2 of 4 (6 nodes) is next; wave 1 (cdn1) did not pass: GET https://health.example/cdn1: HTTP 503`
 */
export function reportNextWave({ runtime, inputs }: Beginning, { state, pending }: Begun): void {
  const { waves, isBlocked } = state;
  const url = formatUrl(inputs.address);
  const isKnown = [...inputs.nodes.keys()].some((node) => isChecked(runtime, inputs, node));
  // During a refresh the program is not known yet, and so no step is.
  const steps = isKnown ? foreseen(state) : [];
  const revert = steps.find((step) => step.do === "write" && step.as === "revert");
  const back = revert?.do === "write" && waves.length > 1 ? revert.nodes : undefined;
  const wave = steps.find((step) => step.do === "write" && step.as === "wave");
  const number = wave?.do === "write" ? waves.findIndex((all) => all.some((node) => wave.nodes.includes(node))) : -1;
  const next =
    number >= 0 && waves.length > 1 ? { wave: number + 1, of: waves.length, nodes: waves[number] ?? [] } : undefined;
  const failed = pending && { ...pending, isBlocked: isKnown && isBlocked };
  if (back || next || failed) runtime.notices.report({ kind: "nextSteps", url, back, next, failed });
}

/** True once this run has the program's arguments for the node. */
function isChecked(runtime: Runtime, { address }: GroupInputs, node: string): boolean {
  return runtime.node(node).set(address).announced.has(WHOLE_SET);
}

/**
 * Reports what comes to each node and leaves it, where the arguments do not show that: after a run that did not reach all nodes,
 * and for a program that goes back. `sayForeign` names what a refresh found there. During a refresh the program is not known yet.
 */
export function sayChanges(beginning: Beginning, begun: Begun): void {
  beginning.runtime.notices.fold(() => changesOf(beginning, begun));
}

function changesOf({ runtime, inputs, state, former }: Beginning, { state: rollout }: Begun): void {
  if (!state) return;
  const isEven = state.open.size === 0 && !state.rollout.pending && state.isEven;
  const { address } = inputs;
  const steps = isEven ? [] : foreseen(rollout);
  const checked = steps.findIndex((step) => step.do === "check");
  const early = new Set((checked < 0 ? steps : steps.slice(0, checked)).flatMap(nodesOf));
  for (const node of new Set(steps.flatMap(nodesOf))) {
    const name = former.get(node);
    if (name === undefined) continue;
    if (!isChecked(runtime, inputs, node)) continue;
    const before = state.of(name);
    const isOurs = (prefix: CanonicalPrefix) => !(before.foreign.has(prefix) && before.entries.has(prefix));
    const { entries: desired } = inputs.of(node);
    const { new: inserts, changed, dropped } = desiredChange(before.entries, desired);
    const contents = { observed: before.entries, known: before.entries, desired };
    const facts = {
      unsettled: before.unsettled,
      declared: runtime.node(node).set(address).desired,
      withdrawn: new Map(),
    };
    const judge = judgeOf(contents, facts);
    const removes = [...new Set([...dropped, ...before.unsettled])].filter(
      (prefix) => !desired.has(prefix) && isRemoved(judge(prefix)) && isOurs(prefix),
    );
    const changes = changed.filter(isOurs);
    const all = { removes, inserts, changes, isEarly: early.has(node) };
    if (removes.length + inserts.length + changes.length > 0)
      runtime.notices.report({ kind: "changes", url: formatUrl(address), at: node, ...all });
  }
}

function nodesOf(step: Step): readonly string[] {
  return step.do === "write" || step.do === "try again" ? step.nodes : [];
}
