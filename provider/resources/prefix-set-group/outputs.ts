import { type JsonObject, membersOf } from "../../model/json";
import { formatUrl } from "../../model/resource-url";
import { differencesOf } from "./content";
import type { Pending } from "./rollout/arguments";
import type { GroupMembers, KeptNode } from "./state";

/**
 * The outputs of a group with these arguments and this content.
 *
 * @param known `rollout`: its argument, if it is not that of the group; `pending`: the wave that has not passed
 */
export function writeState(
  group: GroupMembers,
  nodes: ReadonlyMap<string, KeptNode>,
  {
    rollout = group.rollout.given,
    pending,
  }: {
    readonly rollout?: JsonObject | undefined;
    readonly pending?: Pending | undefined;
  } = {},
): JsonObject {
  const all = [...nodes];
  const listed = (key: "adopted" | "found" | "existed" | "unsettled") =>
    some(
      key,
      all.flatMap(([name, { [key]: list = [] }]) => {
        const prefixes = [...list];
        return prefixes.length > 0 ? [[name, prefixes] as const] : [];
      }),
    );
  const opened = (how: KeptNode["open"]) => all.flatMap(([name, { open }]) => (open === how ? name : []));
  return {
    ...group.verbatim,
    url: formatUrl(group.address),
    count: group.common.entries.size,
    endpoints: Object.fromEntries(
      all.flatMap(([name, { endpoint }]) => (endpoint === undefined ? [] : [[name, endpoint]])),
    ),
    ...writeDiffers(group, nodes),
    ...listed("adopted"),
    ...listed("found"),
    ...listed("existed"),
    ...listed("unsettled"),
    ...named("unreached", opened("unreached")),
    ...named("failed", opened("failed")),
    ...some(
      "history",
      all.flatMap(([name, { history = [] }]) => (history.length > 0 ? [[name, history.join(" ")] as const] : [])),
    ),
    ...some(
      "lost",
      all.flatMap(([name, { lost }]) => (lost && lost.size > 0 ? [[name, Object.fromEntries(lost)] as const] : [])),
    ),
    ...((rollout || pending) && { rollout: { ...membersOf(rollout), ...pending } }),
  };
}

/** The same without losses, which are no wish of a program: a refresh makes the other differences an input. */
export function writeDiffersToChange(group: GroupMembers, nodes: ReadonlyMap<string, KeptNode>): JsonObject {
  const known = [...nodes].map(([name, node]) => {
    const { entries, lost } = node;
    return [name, lost ? { ...node, entries: new Map([...entries, ...lost]) } : node] as const;
  });
  return writeDiffers(group, new Map(known));
}

/** Differences of nodes from these arguments. */
function writeDiffers(group: GroupMembers, nodes: ReadonlyMap<string, KeptNode>): JsonObject {
  const found = [...nodes].flatMap(([name, { entries, endpoint, open }]): [string, object][] => {
    // A node whose wave has not come would differ in every entry.
    if (endpoint === undefined && open === undefined) return [];
    const differences = differencesOf(group.contentOf(name).entries, entries);
    return differences.size > 0 ? [[name, Object.fromEntries(differences)]] : [];
  });
  return some("differs", found);
}

function some(key: string, members: readonly (readonly [string, unknown])[]): JsonObject {
  return members.length > 0 ? { [key]: Object.fromEntries(members) } : {};
}

function named(key: string, list: readonly string[]): JsonObject {
  return list.length > 0 ? { [key]: list } : {};
}
