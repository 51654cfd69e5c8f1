import type { NodeInUse } from "../../deployment/node-in-use";
import type { Runtime } from "../../deployment/runtime";
import { type ListedValue, parseNote } from "../../model/entry";
import type { CanonicalPrefix } from "../../model/prefix";
import { count, NAMED, some } from "../../model/text";
import type { HeldEntries, NormalEntries } from "../../reconcile/entries";
import { planOf, sayWithdrawn } from "../prefix-set/check";
import type { GroupInputs } from "./state";

/** Nodes with the same wanted and former content and the same limits. */
export interface Kind {
  readonly nodes: readonly string[];
  readonly normal: NormalEntries;
  readonly before: HeldEntries;
  readonly limits: { readonly maxRemovals?: number | string };
  readonly node: Pick<NodeInUse, "maxValue">;
}

/**
 * Reports the planned changes in one line: those of most nodes, then those of the others.
 * `99 nodes prefixset://edge/blocked: +1 -0 ~0, 10 000 after on each; n7: lacks 3, +4 -0 ~0, 10 000 after`
 */
export function sayGroupPlan(
  runtime: Runtime,
  where: string,
  {
    kinds,
    before,
    isNew,
  }: { readonly kinds: readonly Kind[]; readonly before: GroupInputs | undefined; readonly isNew: boolean },
): void {
  const alike = new Map<string, string[]>();
  for (const kind of kinds) {
    // A joining node may be a renamed one, or hold the entries already.
    const joins = isNew || !kind.nodes.some((node) => before?.nodes.has(node));
    const plan = planOf(runtime, { ...kind, isNew: joins });
    if (plan === undefined) continue;
    const text = [...stateOf(kind, before), plan].join(", ");
    alike.set(text, [...(alike.get(text) ?? []), ...kind.nodes]);
  }
  const [most, ...others] = [...alike].toSorted(([, a], [, b]) => b.length - a.length);
  if (!most) return;
  const told = others.slice(0, NAMED).map(([text, nodes]) => `; ${some(nodes)}: ${text}${onEach(nodes)}`);
  const rest = others.slice(NAMED).flatMap(([, nodes]) => nodes);
  const more = rest.length > 0 ? `; otherwise on ${count(rest.length, "other node")}: ${some(rest)}` : "";
  const all = kinds.reduce((sum, kind) => sum + kind.nodes.length, 0);
  const label = most[1].length < all && most[1].length <= NAMED ? most[1].join(", ") : namesOf(most[1]);
  runtime.notices.info(`${label} ${where}: ${most[0]}${onEach(most[1])}${told.join("")}${more}`);
}

/** Reports entries of `block --now` that are no longer wanted, at the nodes where it put them. */
export function sayGroupWithdrawn(runtime: Runtime, where: string, { nodes, normal, before }: Kind): void {
  const alike = new Map<string, Map<CanonicalPrefix, ListedValue>>();
  for (const [prefix, note] of normal.notes) {
    if (note === before.notes.get(prefix) || before.entries.has(prefix)) continue;
    const { sent, at = [] } = parseNote(note);
    const here = nodes.filter((node) => at.includes(node));
    if (sent === undefined || here.length === 0) continue;
    const label = some(here);
    alike.set(label, (alike.get(label) ?? new Map()).set(prefix, sent));
  }
  for (const [label, withdrawn] of alike) sayWithdrawn(runtime, `${label} ${where}`, withdrawn);
}

/** Differences of the node of a kind from its declared entries: a node with differences is a kind of its own. */
function stateOf({ nodes: [node = ""] }: Kind, before: GroupInputs | undefined): string[] {
  const differences = before?.differs.get(node);
  if (!before || !differences) return [];
  const desired = before.contentOf(node).entries;
  const all = [...differences];
  const numbers = {
    lacks: all.filter(([, value]) => value === null).length,
    "has undeclared": all.filter(([prefix]) => !desired.has(prefix)).length,
    "has other values of": all.filter(([prefix, value]) => value !== null && desired.has(prefix)).length,
  };
  return Object.entries(numbers).flatMap(([what, number]) => (number > 0 ? `${what} ${number}` : []));
}

function onEach(nodes: readonly string[]): string {
  return nodes.length > 1 ? " on each" : "";
}

export function namesOf(nodes: readonly string[]): string {
  return nodes.length === 1 ? (nodes[0] as string) : `${nodes.length} nodes`;
}
