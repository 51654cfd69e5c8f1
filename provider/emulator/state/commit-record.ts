import type { CanonicalPrefix } from "../../model/prefix";
import type { PrefixMap } from "../../model/prefix-map";
import type { StagedValue } from "./draft";

/** What a commit changed: JSON, as the journal keeps it. */
export interface CommitRecord {
  /** Prefixes that are new, with their values. */
  readonly inserted: Record<string, number>;
  /** Prefixes that are gone, with the values that they had. */
  readonly removed: Record<string, number>;
  /** Prefixes whose value changed. */
  readonly changed: Record<string, { from: number; to: number }>;
  /** Entries of the set after the commit. */
  readonly size: number;
}

/** How many entries a commit inserted, removed and changed. */
export interface CommitCounts {
  readonly inserted: number;
  readonly removed: number;
  readonly changed: number;
}

/** Counting the names of an object of 200 000 takes 60 ms, and the page asks for the numbers again and again. */
const counted = new WeakMap<CommitRecord, CommitCounts>();

/** What a batch will change in these entries. A prefix that keeps its value is no change. */
export function commitRecord(entries: PrefixMap, batch: ReadonlyMap<CanonicalPrefix, StagedValue>): CommitRecord {
  const inserted: Record<string, number> = {};
  const removed: Record<string, number> = {};
  const changed: Record<string, { from: number; to: number }> = {};
  const counts = { inserted: 0, removed: 0, changed: 0 };
  for (const [prefix, to] of batch) {
    const from = entries.get(prefix);
    if (from === undefined) {
      if (to === null) continue;
      inserted[prefix] = to;
      counts.inserted += 1;
    } else if (to === null) {
      removed[prefix] = from;
      counts.removed += 1;
    } else if (from !== to) {
      changed[prefix] = { from, to };
      counts.changed += 1;
    }
  }
  const record = { inserted, removed, changed, size: entries.size + counts.inserted - counts.removed };
  counted.set(record, counts);
  return record;
}

/** The numbers of a commit, also of one that was read from JSON. */
export function commitCounts(record: CommitRecord): CommitCounts {
  const numberOf = (part: object) => Object.keys(part).length;
  return (
    counted.get(record) ?? {
      inserted: numberOf(record.inserted),
      removed: numberOf(record.removed),
      changed: numberOf(record.changed),
    }
  );
}
