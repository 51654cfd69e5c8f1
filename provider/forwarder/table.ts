import { z } from "zod";
import { MARK_TYPES, type MarkType } from "../model/mark";
import { matches } from "../model/wildcard";

/** One mark table of one node: what is listed, compared and ordered by itself. */
export interface TableName {
  /** The node's name in the configuration. */
  readonly node: string;
  readonly arena: string;
  readonly profile: string;
  readonly type: MarkType;
}

/** A text that identifies a table; names cannot hold a slash. */
export function tableKey({ node, arena, profile, type }: TableName): string {
  return `${node}/${arena}/${profile}/${type}`;
}

export function tableOf(key: string): TableName {
  const [node = "", arena = "", profile = "", type = ""] = key.split("/");
  return { node, arena, profile, type: z.enum(MARK_TYPES).parse(type) };
}

/** Which tables something is about. `*` in a name stands for any characters. */
export interface TableFilter {
  /** Patterns of names of nodes. Default: all. */
  readonly nodes?: readonly string[];
  /** Patterns of names of arenas. Default: all. */
  readonly arenas?: readonly string[];
  /** Patterns of names of profiles. Default: all. */
  readonly profiles?: readonly string[];
  /** Types of marks. Default: all. */
  readonly types?: readonly MarkType[];
}

/** True when a table is among those of a filter. */
export function takes(filter: TableFilter | undefined, table: TableName): boolean {
  if (!filter) return true;
  return (
    matchesAny(filter.nodes, table.node) &&
    matchesAny(filter.arenas, table.arena) &&
    matchesAny(filter.profiles, table.profile) &&
    (filter.types?.includes(table.type) ?? true)
  );
}

/** True when a name is one of the patterns, or when there are none. */
export function matchesAny(patterns: readonly string[] | undefined, name: string): boolean {
  return patterns?.some((pattern) => matches(pattern.replaceAll("*", "**"), name)) ?? true;
}
