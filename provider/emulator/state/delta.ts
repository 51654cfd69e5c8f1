import type { CanonicalPrefix } from "../../model/prefix";
import { SLICE, type SlicedWork } from "../time/slices";
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

/** What a batch changes in a set, gathered prefix by prefix. A prefix that keeps its value is no change. */
export class Delta {
  private readonly inserted = new Map<CanonicalPrefix, number>();
  private readonly changed = new Map<CanonicalPrefix, { from: number; to: number }>();
  private readonly removed = new Map<CanonicalPrefix, number>();

  /** Changes so far. */
  get size(): number {
    return this.inserted.size + this.changed.size + this.removed.size;
  }

  /** Notes what becomes of a prefix that had the value `from`. Each prefix once. */
  note(prefix: CanonicalPrefix, from: number | undefined, to: StagedValue): void {
    if (from === undefined) {
      if (to !== null) this.inserted.set(prefix, to);
    } else if (to === null) this.removed.set(prefix, from);
    else if (from !== to) this.changed.set(prefix, { from, to });
  }

  *prefixes(): Generator<CanonicalPrefix, void> {
    yield* this.inserted.keys();
    yield* this.changed.keys();
    yield* this.removed.keys();
  }

  /** The value that each of the prefixes had before. */
  *before(): SlicedWork<Map<CanonicalPrefix, number | undefined>> {
    const values = new Map<CanonicalPrefix, number | undefined>();
    for (const prefix of this.prefixes()) {
      values.set(prefix, this.removed.get(prefix) ?? this.changed.get(prefix)?.from);
      if (values.size % SLICE === 0) yield;
    }
    return values;
  }

  /** @param size Entries of the set afterwards. */
  *record(size: number): SlicedWork<CommitRecord> {
    const inserted = yield* plain(this.inserted);
    const removed = yield* plain(this.removed);
    const changed = yield* plain(this.changed);
    const record = { inserted, removed, changed, size };
    counted.set(record, { inserted: this.inserted.size, removed: this.removed.size, changed: this.changed.size });
    return record;
  }
}

/** How many entries a commit inserted, removed and changed. */
export interface CommitCounts {
  readonly inserted: number;
  readonly removed: number;
  readonly changed: number;
}

/** To count the names of an object takes a fifth of a second for 200 000: here they were counted before they were names. */
const counted = new WeakMap<CommitRecord, CommitCounts>();

/** The numbers of a commit, also of one that was read from JSON. */
export function commitCounts(record: CommitRecord): CommitCounts {
  const known = counted.get(record);
  if (known) return known;
  const [inserted = 0, removed = 0, changed = 0] = [record.inserted, record.removed, record.changed].map(
    (part) => Object.keys(part).length,
  );
  const counts = { inserted, removed, changed };
  counted.set(record, counts);
  return counts;
}

function* plain<V>(map: ReadonlyMap<CanonicalPrefix, V>): SlicedWork<Record<string, V>> {
  const result: Record<string, V> = {};
  let steps = 0;
  for (const [prefix, value] of map) {
    result[prefix] = value;
    steps += 1;
    if (steps % SLICE === 0) yield;
  }
  return result;
}
