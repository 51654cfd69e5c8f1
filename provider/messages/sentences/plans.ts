import { count, grouped, inLines, NAMED, some } from "../../model/text";
import type { EventOf, PlanEvents, PlanNumbers, PlanOfNodes } from "../events";
import { entries, type Sentences, them, warning } from "./words";

/** Sentences about what a check finds. */
export const PLANS: Sentences<keyof PlanEvents> = {
  dubious: ({ url, type, warning: text }) => warning(`${url ?? type}: ${text}`),
  planned: (event, where) => `${label(event, where)}: ${planText(event.plan)}`,
  groupPlanned(event) {
    const { parts, nodes: all } = event;
    const [most, ...others] = parts.toSorted((a, b) => b.nodes.length - a.nodes.length);
    if (!most) return [];
    const named = others
      .slice(0, NAMED)
      .map((part) => `; ${some(part.nodes)}: ${partText(part)}${onEach(part.nodes)}`)
      .join("");
    const rest = others.slice(NAMED).flatMap(({ nodes }) => nodes);
    const more = rest.length > 0 ? `; otherwise on ${count(rest.length, "other node")}: ${some(rest)}` : "";
    const isPart = most.nodes.length < all && most.nodes.length <= NAMED;
    const which = isPart ? most.nodes.join(", ") : nameOf(most.nodes);
    return `${label(event, which)}: ${partText(most)}${onEach(most.nodes)}${named}${more}`;
  },
  expires: (event, where) =>
    inLines(event.prefixes).map(
      (line) => `${label(event, where ?? names(event))}: up removes, since expired: ${line}.`,
    ),
  expired: (event, where) =>
    inLines(event.entries.map(({ prefix, expires }) => `${prefix} (${expires})`)).map((line) =>
      warning(`${label(event, where ?? names(event))}: expired, not wanted: ${line}.`),
    ),
  expiredEntry({ url, prefixes: [prefix], expires, wasHeld, sent }, at) {
    const where = url === undefined ? "" : `${[at ?? [], url].flat().join(" ")}: `;
    if (sent !== undefined)
      return `${where}${prefix} (${sent}) is removed if the node still has it with this value: "block --now" put it there, and it has expired.`;
    const outcome = wasHeld ? "it is removed" : "it is not wanted";
    return warning(`${where}${prefix} has expired (${expires}): ${outcome}.`);
  },
  withdrawn: (event, where) =>
    inLines(event.entries.map(([prefix, value]) => `${prefix} (${value})`)).map(
      (line) =>
        `${label(event, where ?? (event.nodes && some(event.nodes)))}: removed if the node still has ${event.entries.length === 1 ? "it with this value" : "them with these values"}, since "block --now" put ${them(event.entries.length)} there and no program declares ${them(event.entries.length)} any more: ${line}.`,
    ),
};

/** `fra1 prefixset://edge/blocked (mine)` */
function label(
  { url, name, type }: EventOf<"planned" | "groupPlanned" | "expires" | "expired" | "withdrawn">,
  where?: string,
) {
  const owner = name === undefined ? "" : ` (${name})`;
  return `${[where ?? [], url ?? type ?? "PrefixSet"].flat().join(" ")}${owner}`;
}

/** `+3 -2 (expired: 203.0.113.7/32) ~1, 10 after` */
function planText(plan: PlanNumbers): string {
  if ("declared" in plan) return `${entries(plan.declared)} declared`;
  const { inserts, removes, changes, expired, after } = plan;
  const over = expired.length > 0 ? ` (expired: ${some(expired)})` : "";
  return `+${inserts} -${removes}${over} ~${changes}, ${grouped(after)} after`;
}

function partText({ found: { lacks, undeclared, different }, plan }: PlanOfNodes): string {
  const numbers = { lacks, "has undeclared": undeclared, "has other values of": different };
  const parts = Object.entries(numbers).flatMap(([what, number]) => (number > 0 ? `${what} ${number}` : []));
  return [...parts, planText(plan)].join(", ");
}

function onEach(nodes: readonly string[]): string {
  return nodes.length > 1 ? " on each" : "";
}

function names({ nodes }: { readonly nodes?: readonly string[] | undefined }): string | undefined {
  return nodes && nameOf(nodes);
}

/** The name of a node, or the number of several. */
export function nameOf(nodes: readonly string[]): string {
  return nodes.length === 1 ? (nodes[0] as string) : `${nodes.length} nodes`;
}
