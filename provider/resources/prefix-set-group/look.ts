import type { Runtime } from "../../deployment/runtime";
import type { Foresight, LookedAt } from "../../engine/handler";
import { addTo } from "../../model/group";
import { hasUnknown, type JsonObject, membersOf } from "../../model/json";
import { NOTHING } from "../../model/prefix-map";
import { NAMED, some } from "../../model/text";
import { hasOtherAddress } from "../changes";
import { lookAgain } from "../look-at-set";
import { isSameSet } from "../prefix-set/check";
import { SetLifecycle } from "../prefix-set/lifecycle";
import { ResourceSet } from "../resource-set";
import { placed } from "./diff";
import { readInputs } from "./state";

/** Looks at all nodes of a group at once. Nodes with the same losses share a part of the text. */
export async function lookAtGroup(
  runtime: Runtime,
  olds: JsonObject,
  json: JsonObject,
  foresight: Foresight,
): Promise<LookedAt> {
  if (hasUnknown(json)) return {};
  const inputs = readInputs(json);
  const before = isSameSet(olds, json) && !hasUnknown(olds) ? readInputs(olds) : undefined;
  const isNew = Object.keys(olds).length === 0;
  const lifecycle = new SetLifecycle(runtime);
  const endpoints = new Map(Object.entries(membersOf(olds.endpoints)).map(([name, at]) => [name, String(at)]));
  const { former } = placed(runtime, [...inputs.nodes.keys()], { endpoints });
  const nodesByText = new Map<string, string[]>();
  let hasValues = false;
  const problems = new Set<string>();
  const look = async (node: string) => {
    const looked = await ResourceSet.look(runtime, { ...json, node }, isNew);
    if (!looked) return;
    const desired = inputs.of(node);
    const name = former.get(node) ?? node;
    const isSame = before?.nodes.has(name) && !hasOtherAddress({ endpoint: endpoints.get(name) }, looked.set);
    const known = before && isSame ? before.of(name).entries : NOTHING;
    const found = isNew ? lifecycle.lookNew(looked, desired, foresight) : lookAgain(looked, known, desired.entries);
    if (found.restores !== undefined) addTo(nodesByText, found.restores, node);
    hasValues ||= found.hasValues === true;
    for (const problem of found.problems ?? []) problems.add(problem);
  };
  await runtime.notices.fold(() => Promise.all([...inputs.nodes.keys()].map(look)));
  if (problems.size > 0) return { problems: [...problems] };
  // In the order of the arguments, which the engine sorts by name, and not in that of the answers.
  const order = [...inputs.nodes.keys()];
  const at = (nodes: readonly string[]) => order.filter((node) => nodes.includes(node));
  const parts = [...nodesByText].map(([text, nodes]) => ({ text, nodes: at(nodes) }));
  parts.sort(
    (a, b) => b.nodes.length - a.nodes.length || order.indexOf(a.nodes[0] ?? "") - order.indexOf(b.nodes[0] ?? ""),
  );
  const shown = parts.slice(0, NAMED).map(({ text, nodes }) => `${some(nodes)}: ${text}`);
  const rest = parts.slice(NAMED).flatMap(({ nodes }) => nodes);
  const more = rest.length > 0 ? [`and otherwise ${some(rest)}`] : [];
  // Only the state knows the waves that have passed.
  const waits = inputs.rollout.args ? ["what has not passed goes in with its wave"] : [];
  return parts.length > 0 ? { restores: [...shown, ...more, ...waits].join("; "), hasValues } : {};
}
