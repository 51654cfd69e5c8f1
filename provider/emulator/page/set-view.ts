import { type CanonicalPrefix, Prefix, PrefixError } from "../../model/prefix";
import { sorted } from "../../model/prefix-map";
import type { PrefixSetStore } from "../state/prefix-set-store";
import type { SetView } from "./schemas";

/** Which rows of a set are shown. */
export interface RowChoice {
  /** A part of the prefix; or an address or prefix that overlaps it. */
  readonly filter: string;
  readonly onlyChanges: boolean;
  /** Most rows. */
  readonly limit: number;
}

/** Applied and staged entries of a set side by side. */
export function describeSet(set: PrefixSetStore, { filter, onlyChanges, limit }: RowChoice): SetView {
  const { applied, ordered, staged } = set;
  const both = staged === ordered ? ordered : sorted(new Map([...ordered, ...staged]));
  const passes = rowFilter(filter);
  const counts = { inserted: 0, removed: 0, changed: 0, matching: 0 };
  const rows: SetView["rows"] = [];
  for (const [prefix] of both) {
    const row = { prefix, applied: applied.get(prefix) ?? null, staged: set.stagedValue(prefix) ?? null };
    if (row.applied === null) counts.inserted += 1;
    else if (row.staged === null) counts.removed += 1;
    else if (row.applied !== row.staged) counts.changed += 1;
    if ((onlyChanges && row.applied === row.staged) || !passes(prefix)) continue;
    counts.matching += 1;
    if (rows.length < limit) rows.push(row);
  }
  return { applied: applied.size, staged: staged.length, ...counts, rows };
}

/** An address finds the entries that cover it, a part of a text those that hold it. */
function rowFilter(filter: string): (prefix: CanonicalPrefix) => boolean {
  if (filter === "") return () => true;
  const wanted = prefixOf(filter);
  const part = filter.toLowerCase();
  if (!wanted) return (prefix) => prefix.includes(part);
  return (text) => {
    const prefix = Prefix.fromCanonical(text);
    return prefix.contains(wanted) || wanted.contains(prefix);
  };
}

function prefixOf(text: string): Prefix | undefined {
  try {
    return Prefix.parse(text);
  } catch (error) {
    if (error instanceof PrefixError) return undefined;
    throw error;
  }
}
