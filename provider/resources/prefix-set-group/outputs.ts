import type { JsonObject } from "../../model/json";
import { formatUrl } from "../../model/resource-url";
import { differencesOf } from "./content";
import type { GroupMembers, KeptNode } from "./state";

/** The outputs of a group with these arguments, whose nodes hold this. */
export function writeState(
  group: GroupMembers,
  nodes: ReadonlyMap<string, KeptNode>,
  mates: readonly string[] = [],
): JsonObject {
  const all = [...nodes];
  const listed = (key: "adopted" | "found" | "unsettled") =>
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
    ...listed("unsettled"),
    ...named("unreached", opened("unreached")),
    ...named("failed", opened("failed")),
    ...named("mates", mates),
  };
}

/** Where nodes differ from what these arguments want of them, if any does: lines of an input after a refresh. */
export function writeDiffers(group: GroupMembers, nodes: ReadonlyMap<string, KeptNode>): JsonObject {
  const found = [...nodes].flatMap(([name, { entries }]): [string, object][] => {
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
