import { MARK_TYPES, type NodeClient, RequestError, type Rule } from "../../client";
import { messageOf } from "../../model/errors";
import { some } from "../../model/text";
import type { CheckedConfig } from "../config/schema";
import { nextTurn } from "../slices";
import { matchesAny, type TableName, tableKey } from "../table";

/** A table that is to be polled, and what its marks come from. */
export interface WatchedTable {
  readonly table: TableName;
  readonly userArena: string | undefined;
  /** True if `watch` names its type; without types, all four are requested. */
  readonly isNamed: boolean;
  /** Undefined while they were not read. */
  readonly rules: readonly Rule[] | undefined;
}

/** A pattern of profiles that no profile of a node matches, with the sentence that says so. */
export interface Unmatched {
  readonly arena: string;
  readonly pattern: string;
  readonly sentence: string;
}

/** Tables of a node that are known before its profiles are listed: those of the last run, and those that `watch` names in full. */
export function knownTables(node: string, watch: CheckedConfig["watch"], before: readonly TableName[]): WatchedTable[] {
  const tables = new Map<string, WatchedTable>();
  for (const { nodes, arena, profiles, types: named, userArena } of watch) {
    if (!matchesAny(nodes, node)) continue;
    const types = named ?? MARK_TYPES;
    const isWatched = (one: TableName): boolean =>
      one.node === node && one.arena === arena && matchesAny(profiles, one.profile) && types.includes(one.type);
    const inWhole = inFull(profiles).flatMap((profile) => types.map((type) => ({ node, arena, profile, type })));
    for (const table of [...inWhole, ...before.filter(isWatched)])
      tables.set(tableKey(table), { table, userArena, isNamed: named !== undefined, rules: undefined });
  }
  return [...tables.values()];
}

function inFull(profiles: readonly string[]): string[] {
  return profiles.filter((name) => !name.includes("*"));
}

/**
 * Lists profiles and rules of the arenas that are watched on a node (docs/contributing/contract.md#profiles-and-rules). Once the node
 * does not answer, nothing more is asked for: the next look does.
 *
 * @param problem Is called at once with a sentence for each thing that could not be read, and that the next look may find.
 * @returns the tables, and each pattern that no profile matches: there may be one later, so nothing is wrong.
 */
export async function readStructure(
  node: string,
  client: NodeClient,
  watch: CheckedConfig["watch"],
  problem: (sentence: string) => void,
  signal: AbortSignal,
): Promise<{ tables: WatchedTable[]; unmatched: Unmatched[] }> {
  const unmatched: Unmatched[] = [];
  const tables = new Map<string, WatchedTable>();
  let isSilent = false;
  const asked = async <T>(ask: () => Promise<T>): Promise<T | undefined> => {
    if (isSilent) return undefined;
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted) throw error;
      isSilent = error instanceof RequestError && error.status === undefined;
      problem(messageOf(error));
      return undefined;
    }
  };
  for (const entry of watch.filter(({ nodes }) => matchesAny(nodes, node))) {
    const { arena, profiles: patterns } = entry;
    const listed = await asked(() => client.listProfiles(arena, { signal }));
    const all = listed?.map(({ name }) => name);
    const names = all?.filter((name) => matchesAny(patterns, name));
    const missing = names ? inFull(patterns).filter((name) => !names.includes(name)) : [];
    for (const name of missing) problem(`Arena ${arena} on ${node} has no profile ${name}.`);
    for (const pattern of all ? patterns.filter((one) => one.includes("*")) : []) {
      if (all?.some((name) => matchesAny([pattern], name))) continue;
      const known = all?.length === 0 ? "none" : some(all ?? []);
      const sentence = `Arena ${arena} on ${node} has no profile that matches ${pattern}: there are ${known}.`;
      unmatched.push({ arena, pattern, sentence });
    }
    // Profiles that are named in full need no list.
    for (const profile of names ?? inFull(patterns)) {
      // Many nodes may have answered at the same moment.
      await nextTurn();
      const rules = await asked(() => client.listRules(arena, profile, { signal }));
      await nextTurn();
      for (const type of entry.types ?? MARK_TYPES) {
        const table = { node, arena, profile, type };
        const isNamed = entry.types !== undefined;
        tables.set(tableKey(table), { table, userArena: entry.userArena, isNamed, rules });
      }
    }
  }
  return { tables: [...tables.values()], unmatched };
}
