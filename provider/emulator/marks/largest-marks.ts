import type { MarkTable } from "./mark-table";

/** Where a record is. */
export interface MarkPlace {
  readonly family: 4 | 6;
  readonly table: MarkTable;
  readonly slot: number;
  readonly value: number;
}

/** The live records with the largest values, largest first. Reads columns only: a million records take some milliseconds. */
export function largestMarks(
  tables: { readonly 4?: MarkTable; readonly 6?: MarkTable },
  limit: number,
  now: number,
  id?: number,
): MarkPlace[] {
  let found: MarkPlace[] = [];
  let least = -1;
  const keepLargest = () => {
    found = found.sort((a, b) => b.value - a.value).slice(0, limit);
    if (found.length === limit) least = found.at(-1)?.value ?? least;
  };
  for (const family of [4, 6] as const) {
    const table = tables[family];
    for (let slot = 0; table && slot < table.used; slot++) {
      const value = table.values[slot] as number;
      if (value <= least || !((table.expires[slot] as number) > now)) continue;
      if (id !== undefined && table.idOf(slot) !== id) continue;
      found.push({ family, table, slot, value });
      // Sorting now and then instead of placing each: values that rise all the time cost no more than others.
      if (found.length >= limit + 4_096) keepLargest();
    }
  }
  keepLargest();
  return found;
}
