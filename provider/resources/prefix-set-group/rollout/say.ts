import { WHOLE_SET } from "../../../deployment/node-in-use";
import { FoldedNotices } from "../../../messages/notices";
import type { CanonicalPrefix } from "../../../model/prefix";
import { formatUrl } from "../../../model/resource-url";
import { count, some } from "../../../model/text";
import { isRemoved, judgeOf } from "../../../reconcile/set-plan";
import { wantedChange } from "../../../reconcile/three-way";
import type { Beginning, Begun } from "./facts";
import { foreseen, type Step } from "./next-step";
import { namesOf } from "./roll";

/**
 * Reports the steps of an `up`, and why a wave has not passed:
 * `wave 2 of 4 (6 nodes) is next; wave 1 (cdn1) did not pass: GET https://health.example/cdn1: HTTP 503`
 */
export function reportNextWave({ runtime, inputs }: Beginning, { state, pending }: Begun): void {
  const { waves } = state;
  const steps = foreseen(state);
  const parts: string[] = [];
  const back = steps.find((step) => step.do === "write" && step.as === "revert");
  if (back?.do === "write" && waves.length > 1)
    parts.push(`${namesOf(back.nodes)} had these entries before: up goes back to them at once`);
  const wave = steps.find((step) => step.do === "write" && step.as === "wave");
  const number = wave?.do === "write" ? waves.findIndex((all) => all.some((node) => wave.nodes.includes(node))) : -1;
  if (number >= 0 && waves.length > 1)
    parts.push(`wave ${number + 1} of ${waves.length} (${namesOf(waves[number] ?? [])}) is next`);
  if (pending) {
    const of = number >= 0 && parts.length > 0 ? "" : ` of ${pending.of}`;
    parts.push(`wave ${pending.wave}${of} (${namesOf(pending.nodes)}) did not pass: ${pending.reason}`);
  }
  if (parts.length > 0) runtime.notices.info(`${formatUrl(inputs.address)}: ${parts.join("; ")}`);
}

/**
 * Reports what comes to each node and leaves it, where the arguments do not show that: after a run that did not reach all nodes,
 * and for a program that goes back. `sayForeign` names what a refresh found there. During a refresh the program is not known yet.
 */
export function sayChanges({ runtime, inputs, state, former }: Beginning, { state: rollout }: Begun): void {
  if (!state) return;
  const isEven = state.open.size === 0 && !state.rollout.pending && state.isEven;
  const { address } = inputs;
  const notices = new FoldedNotices(runtime.notices);
  const steps = isEven ? [] : foreseen(rollout);
  const checked = steps.findIndex((step) => step.do === "check");
  const early = new Set((checked < 0 ? steps : steps.slice(0, checked)).flatMap(nodesOf));
  for (const node of new Set(steps.flatMap(nodesOf))) {
    const name = former.get(node);
    if (name === undefined) continue;
    const set = runtime.node(node).set(address);
    if (!set.announced.has(WHOLE_SET)) continue;
    const before = state.of(name);
    const isOurs = (prefix: CanonicalPrefix) => !(before.foreign.has(prefix) && before.entries.has(prefix));
    const { entries: desired } = inputs.of(node);
    const { new: inserts, changed, dropped } = wantedChange(before.entries, desired);
    const contents = { observed: before.entries, known: before.entries, desired };
    const facts = { unsettled: before.unsettled, declared: set.desired, withdrawn: new Map() };
    const judge = judgeOf(contents, facts);
    const leaves = [...new Set([...dropped, ...before.unsettled])].filter(
      (prefix) => !desired.has(prefix) && isRemoved(judge(prefix)) && isOurs(prefix),
    );
    const changes = changed.filter(isOurs);
    const parts = [
      leaves.length > 0 ? `removes ${count(leaves.length, "entry", "entries")} (${some(leaves)})` : "",
      inserts.length > 0 ? `inserts ${count(inserts.length, "entry", "entries")} (${some(inserts)})` : "",
      changes.length > 0 ? `changes ${count(changes.length, "value", "values")} (${some(changes)})` : "",
    ].filter((part) => part !== "");
    if (parts.length > 0)
      notices.say(
        "info",
        { url: formatUrl(address), at: node },
        `up ${early.has(node) ? "" : "then "}${inWords(parts)}.`,
      );
  }
  notices.flush();
}

function nodesOf(step: Step): readonly string[] {
  return step.do === "write" || step.do === "try again" ? step.nodes : [];
}

function inWords(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${last}` : last;
}
