import { count, some } from "../../model/text";
import type { NormalEntries } from "../entries";
import type { NodeInUse } from "../node-in-use";
import { type HeldBefore, planOf } from "../prefix-set/check";
import type { Runtime } from "../runtime";
import type { Differences } from "./content";

/** Nodes that are to hold the same, held the same, and take the same values. */
export interface Kind {
  readonly nodes: readonly string[];
  readonly normal: NormalEntries;
  readonly before: HeldBefore;
  readonly limits: { readonly maxRemovals?: number | string };
  readonly node: Pick<NodeInUse, "maxValue">;
}

/** What the nodes of a group held by the inputs of the run before. */
export interface Before {
  readonly common: HeldBefore;
  /** Where it differed from what it should hold. */
  differencesOf(node: string): Differences | undefined;
  /** What it should hold. */
  wantedOn(node: string): HeldBefore["entries"];
  has(node: string): boolean;
  /** True where it differed from others. */
  isSpecial(node: string): boolean;
  of(node: string): HeldBefore;
}

/**
 * One line with what changes by the state: what most nodes have, then what is different at others.
 * `99 nodes prefixset://edge/blocked: +1 -0 ~0, 10 000 after on each; n7: lacks 3, +4 -0 ~0, 10 000 after`
 */
export function sayGroupPlan(
  runtime: Runtime,
  url: string,
  {
    kinds,
    before,
    isNew,
  }: { readonly kinds: readonly Kind[]; readonly before: Before | undefined; readonly isNew: boolean },
): void {
  const alike = new Map<string, string[]>();
  for (const kind of kinds) {
    // A node that joins may be one under another name, or hold it already.
    const joins = isNew || !kind.nodes.some((node) => before?.has(node));
    const plan = planOf(runtime, { ...kind, isNew: joins });
    if (plan === undefined) continue;
    const text = [...stateOf(kind, before), plan].join(", ");
    alike.set(text, [...(alike.get(text) ?? []), ...kind.nodes]);
  }
  const [most, ...others] = [...alike].toSorted(([, a], [, b]) => b.length - a.length);
  if (!most) return;
  const told = others.slice(0, TOLD).map(([text, nodes]) => `; ${some(nodes)}: ${text}${onEach(nodes)}`);
  const rest = others.slice(TOLD).flatMap(([, nodes]) => nodes);
  const more = rest.length > 0 ? `; otherwise on ${count(rest.length, "other node")}: ${some(rest)}` : "";
  const all = kinds.reduce((sum, kind) => sum + kind.nodes.length, 0);
  const label = most[1].length < all && most[1].length <= NAMED ? most[1].join(", ") : namesOf(most[1]);
  runtime.notices.info(`${label} ${url}: ${most[0]}${onEach(most[1])}${told.join("")}${more}`);
}

/** So few nodes, if they are not all, are named. */
const NAMED = 5;

/** So many ways in which nodes differ from most are told. */
const TOLD = 5;

/** What the node of a kind held otherwise than it should: nodes that did are of a kind by themselves. */
function stateOf({ nodes: [node = ""] }: Kind, before: Before | undefined): string[] {
  const differences = before?.differencesOf(node);
  if (!before || !differences) return [];
  const wanted = before.wantedOn(node);
  const all = [...differences];
  const numbers = {
    lacks: all.filter(([, value]) => value === null).length,
    "has undeclared": all.filter(([prefix]) => !wanted.has(prefix)).length,
    "has other values of": all.filter(([prefix, value]) => value !== null && wanted.has(prefix)).length,
  };
  return Object.entries(numbers).flatMap(([what, number]) => (number > 0 ? `${what} ${number}` : []));
}

function onEach(nodes: readonly string[]): string {
  return nodes.length > 1 ? " on each" : "";
}

/** How a line calls nodes of which the same is said. */
export function namesOf(nodes: readonly string[]): string {
  return nodes.length === 1 ? (nodes[0] as string) : `${nodes.length} nodes`;
}
