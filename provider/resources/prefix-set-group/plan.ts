import type { NodeInUse } from "../../deployment/node-in-use";
import type { Runtime } from "../../deployment/runtime";
import type { EventPlace, PlanOfNodes } from "../../messages/events";
import { type ListedValue, parseNote } from "../../model/entry";
import { groupBy } from "../../model/group";
import type { CanonicalPrefix } from "../../model/prefix";
import { type HeldEntries, type NormalEntries, sentAt } from "../../reconcile/entries";
import { planOf, sayWithdrawn } from "../prefix-set/check";
import type { GroupInputs } from "./state";

/** Nodes with the same wanted and former content and the same limits. */
export interface Kind {
  readonly nodes: readonly string[];
  readonly normal: NormalEntries;
  readonly before: HeldEntries;
  /** The first of the nodes by its name in the state, if that has it. */
  readonly former: string | undefined;
  readonly limits: { readonly maxRemovals?: number | string };
  readonly node: Pick<NodeInUse, "maxValue">;
}

/**
 * Reports the planned changes in one line: those of most nodes, then those of the others.
 * `99 nodes prefixset://edge/blocked: +1 -0 ~0, 10 000 after on each; n7: lacks 3, +4 -0 ~0, 10 000 after`
 */
export function sayGroupPlan(
  runtime: Runtime,
  where: EventPlace & { readonly name?: string | undefined },
  {
    kinds,
    before,
    isNew,
  }: { readonly kinds: readonly Kind[]; readonly before: GroupInputs | undefined; readonly isNew: boolean },
): void {
  const equalPlans = new Map<string, PlanOfNodes & { nodes: string[] }>();
  for (const kind of kinds) {
    // A joining node may hold the entries already.
    const joins = isNew || kind.former === undefined;
    const plan = planOf(runtime, { ...kind, isNew: joins });
    if (plan === undefined) continue;
    const found = foundAt(kind, before);
    const key = JSON.stringify([found, plan]);
    const equal = equalPlans.get(key);
    if (equal) equal.nodes.push(...kind.nodes);
    else equalPlans.set(key, { nodes: [...kind.nodes], found, plan });
  }
  const nodes = kinds.reduce((sum, kind) => sum + kind.nodes.length, 0);
  if (equalPlans.size > 0)
    runtime.notices.report({ kind: "groupPlanned", ...where, parts: [...equalPlans.values()], nodes });
}

/** Reports entries of `block --now` that are no longer wanted, at the nodes where it put them. */
export function sayGroupWithdrawn(runtime: Runtime, where: EventPlace, { nodes, normal, before }: Kind): void {
  const byNodes = new Map<string, { here: readonly string[]; withdrawn: Map<CanonicalPrefix, ListedValue> }>();
  for (const [prefix, note] of normal.notes) {
    if (note === before.notes.get(prefix) || before.entries.has(prefix)) continue;
    const noted = parseNote(note);
    for (const [sent, here] of groupBy(nodes, (node) => sentAt(noted, node))) {
      if (sent === undefined) continue;
      const key = JSON.stringify(here);
      const group = byNodes.get(key) ?? { here, withdrawn: new Map() };
      group.withdrawn.set(prefix, sent);
      byNodes.set(key, group);
    }
  }
  for (const { here, withdrawn } of byNodes.values()) sayWithdrawn(runtime, { ...where, nodes: here }, withdrawn);
}

/** Differences of the node of a kind from its declared entries: a node with differences is a kind of its own. */
function foundAt({ former: node = "" }: Kind, before: GroupInputs | undefined): PlanOfNodes["found"] {
  const differences = before?.differs.get(node);
  if (!before || !differences) return { lacks: 0, undeclared: 0, different: 0 };
  const desired = before.contentOf(node).entries;
  const all = [...differences];
  return {
    lacks: all.filter(([, value]) => value === null).length,
    undeclared: all.filter(([prefix]) => !desired.has(prefix)).length,
    different: all.filter(([prefix, value]) => value !== null && desired.has(prefix)).length,
  };
}
