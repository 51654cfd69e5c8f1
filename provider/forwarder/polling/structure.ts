import { MARK_TYPES, type NodeClient, type Rule } from "../../client";
import { messageOf } from "../../model/errors";
import type { CheckedConfig } from "../config/schema";
import type { SharedTurns } from "../slices";
import { matchesAny, type TableName } from "../table";

/** A table that is to be polled, and what its marks come from. */
export interface WatchedTable {
  readonly table: TableName;
  readonly userArena: string | undefined;
  readonly rules: readonly Rule[];
}

/**
 * Lists profiles and rules of the arenas that are watched on a node (docs/contributing/contract.md#profiles-and-rules).
 *
 * @returns the tables, and a sentence for each thing that could not be read, and that the next look may find.
 */
export async function readStructure(
  node: string,
  client: NodeClient,
  watch: CheckedConfig["watch"],
  loop: SharedTurns,
  signal: AbortSignal,
) {
  const tables = new Map<string, WatchedTable>();
  const problems: string[] = [];
  for (const entry of watch.filter(({ nodes }) => matchesAny(nodes, node))) {
    const { arena, profiles: patterns } = entry;
    let names: readonly string[];
    try {
      const listed = await client.listProfiles(arena, { signal });
      names = listed.map(({ name }) => name).filter((name) => matchesAny(patterns, name));
      const missing = patterns.filter((name) => !name.includes("*") && !names.includes(name));
      for (const name of missing) problems.push(`Arena ${arena} on ${node} has no profile ${name}.`);
    } catch (error) {
      if (signal.aborted) throw error;
      problems.push(messageOf(error));
      // Profiles that are named in full need no list.
      names = patterns.filter((name) => !name.includes("*"));
    }
    for (const profile of names) {
      // Many nodes may have answered at the same moment.
      await loop.next();
      let rules: readonly Rule[] = [];
      try {
        rules = await client.listRules(arena, profile, { signal });
      } catch (error) {
        if (signal.aborted) throw error;
        problems.push(messageOf(error));
      }
      await loop.next();
      for (const type of entry.types ?? MARK_TYPES) {
        const table = { node, arena, profile, type };
        tables.set(`${arena}/${profile}/${type}`, { table, userArena: entry.userArena, rules });
      }
    }
  }
  return { tables: [...tables.values()], problems };
}
