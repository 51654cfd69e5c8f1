import { hasUnknown, isObject, type JsonObject, membersOf } from "../../model/json";
import type { HostBits } from "../../model/prefix";
import { issuePath } from "../../model/schema";
import { compareNames } from "../../model/text";
import { type NormalEntries, normaliseEntries } from "../../reconcile/entries";
import { flat } from "../prefix-set/check";
import { overrideSchema } from "./state";

export interface GivenNode {
  readonly own: NormalEntries | undefined;
  readonly maxRemovals: number | string | undefined;
  readonly exclusive: boolean | undefined;
}

/**
 * Reads the argument `nodes`: names, or names with overrides.
 *
 * @returns `json`: names to overrides with flat maps of entries, for the inputs; without nodes, the argument itself, while
 * something is unknown
 */
export function givenNodes(
  given: unknown,
  options: {
    readonly hostBits?: HostBits | undefined;
    readonly now: number;
    readonly held?: "any";
    /** Name of the set in `sent`, by node; `undefined` while it is unknown. */
    readonly placeOf: (node: string) => string | undefined;
  },
) {
  const nodes = new Map<string, GivenNode>();
  const json: Record<string, unknown> = {};
  const problems: string[] = [];
  const warnings: string[] = [];
  if (hasUnknown(given)) return { nodes, json: given, problems, warnings };
  const pairs = pairsOf(given);
  if (typeof pairs === "string") return { nodes, json, problems: [pairs], warnings };
  for (const [place, name, content] of pairs) {
    const say = (sentence: string) => problems.push(`${place}: ${sentence}`);
    if (typeof name !== "string" || name === "") say("is not a name.");
    else if (nodes.has(name)) say(`the node ${JSON.stringify(name)} appears twice.`);
    else {
      const read = readNode(content, { ...options, at: options.placeOf(name) });
      for (const problem of read.problems) problems.push(`${place}${problem}`);
      for (const warning of read.own?.warnings ?? []) warnings.push(`${place}.${warning}`);
      nodes.set(name, read);
      json[name] = read.json;
    }
  }
  return { nodes, json, problems, warnings };
}

type Pair = readonly [place: string, name: unknown, content: unknown];

function pairsOf(given: unknown): readonly Pair[] | string {
  const pairs = Array.isArray(given)
    ? given.map((name, index): Pair => [`nodes[${index}]`, name, {}])
    : Object.entries(membersOf(given))
        .sort(([a], [b]) => compareNames(a, b))
        .map(([name, content]): Pair => [`nodes[${JSON.stringify(name)}]`, name, content]);
  if (!Array.isArray(given) && !isObject(given)) {
    return "nodes: is neither an array of names nor an object with names as keys.";
  }
  if (pairs.length > 0) return pairs;
  return "nodes: is empty, which would clear the set on every node that the group had. To do that, take the resource out of the program.";
}

function readNode(
  content: unknown,
  options: Parameters<typeof normaliseEntries>[1],
): GivenNode & { readonly json: JsonObject; readonly problems: readonly string[] } {
  const nothing = { own: undefined, maxRemovals: undefined, exclusive: undefined, json: {} };
  const result = overrideSchema.safeParse(content);
  if (!result.success) {
    const problems = result.error.issues.map((issue) => {
      const path = issuePath(issue.path);
      return `${path === "" ? "" : `.${path}`}: ${issue.message}.`;
    });
    return { ...nothing, problems };
  }
  const { entries, notes, ...rest } = result.data;
  if (notes !== undefined) return { ...nothing, problems: [": has no member notes."] };
  const json: Record<string, unknown> = Object.fromEntries(
    Object.entries(rest).filter(([, member]) => member !== undefined),
  );
  const { maxRemovals, exclusive } = rest;
  if (entries === undefined) return { own: undefined, maxRemovals, exclusive, json, problems: [] };
  const own = normaliseEntries(entries, options);
  if (!own) return { ...nothing, problems: [": its entries are not known."] };
  Object.assign(json, flat(own));
  return { own, maxRemovals, exclusive, json, problems: own.problems.map((problem) => `.${problem}`) };
}
