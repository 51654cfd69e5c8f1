import { type JsonObject, membersOf } from "../../model/json";
import type { ListedMap } from "../../model/prefix-map";
import { formatUrl } from "../../model/resource-url";
import type { Apart } from "./apart";
import { differencesOf } from "./content";
import type { Pending } from "./rollout/arguments";
import type { GroupMembers, KeptNode } from "./state";

/**
 * The outputs of a group with these arguments and this content.
 *
 * @param known `pending`: the wave that has not passed; `apart`: nodes that are machines of their own; `strays`: nodes that a
 * refresh found changed since the last run; `lost`: entries that they held before
 */
export function writeState(
  group: GroupMembers,
  nodes: ReadonlyMap<string, KeptNode>,
  {
    pending,
    apart = new Map(),
    strays = [],
    lost = new Map(),
  }: {
    readonly pending?: Pending | undefined;
    readonly apart?: Apart;
    readonly strays?: readonly string[];
    readonly lost?: ReadonlyMap<string, ListedMap>;
  } = {},
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
    ...some("apart", [...apart]),
    ...named("strays", strays),
    ...some(
      "lost",
      [...lost].flatMap(([name, entries]) => (entries.size > 0 ? [[name, Object.fromEntries(entries)] as const] : [])),
    ),
    ...(pending && { rollout: { ...membersOf(group.rollout.given), ...pending } }),
  };
}

/** Differences of nodes from these arguments, which a refresh makes an input. */
export function writeDiffers(group: GroupMembers, nodes: ReadonlyMap<string, KeptNode>): JsonObject {
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
