import type { CanonicalPrefix } from "../../model/prefix";
import type { CommitRecord } from "../answer-types";

/** A staged change of one prefix: its new value, or `null` for its removal. */
export type StagedValue = number | null;

/** Texts of entries that are not listed in canonical form: a node may keep host bits. */
export type Spellings = ReadonlyMap<CanonicalPrefix, string>;

export class Batch extends Map<CanonicalPrefix, StagedValue> {
  readonly spellings = new Map<CanonicalPrefix, string>();

  /** Adds a change, in place of an earlier one. @param spelling Text of the entry in lists. */
  put(prefix: CanonicalPrefix, value: StagedValue, spelling: string = prefix): void {
    this.set(prefix, value);
    if (spelling === prefix) this.spellings.delete(prefix);
    else this.spellings.set(prefix, spelling);
  }
}

/** The spellings after a batch; the same object if none changes. */
export function spelled(
  before: Spellings,
  batch: ReadonlyMap<CanonicalPrefix, StagedValue> & { readonly spellings?: Spellings },
): Spellings {
  const { spellings = new Map() } = batch;
  if (before.size === 0 && spellings.size === 0) return before;
  const after = new Map(before);
  for (const prefix of batch.keys()) after.delete(prefix);
  for (const [prefix, text] of spellings) after.set(prefix, text);
  return after;
}

export type { CommitRecord } from "../answer-types";

/** Numbers of entries that a commit inserted, removed and changed. */
export interface CommitCounts {
  readonly inserted: number;
  readonly removed: number;
  readonly changed: number;
}

/** The numbers of each record. Its members are lists made on demand, which costs more than the commit. */
const counted = new WeakMap<CommitRecord, CommitCounts>();

/** Applies changes to these entries. An equal value is not a change. */
export function applyBatch(
  entries: Map<CanonicalPrefix, number>,
  batch: ReadonlyMap<CanonicalPrefix, StagedValue>,
): CommitRecord {
  const inserted: [CanonicalPrefix, number][] = [];
  const removed: [CanonicalPrefix, number][] = [];
  const changed: [CanonicalPrefix, { from: number; to: number }][] = [];
  for (const [prefix, to] of batch) {
    const from = entries.get(prefix);
    if (from === to || (from === undefined && to === null)) continue;
    if (to === null) removed.push([prefix, from as number]);
    else if (from === undefined) inserted.push([prefix, to]);
    else changed.push([prefix, { from, to }]);
    if (to === null) entries.delete(prefix);
    else entries.set(prefix, to);
  }
  const record = {
    get inserted() {
      return Object.fromEntries(inserted);
    },
    get removed() {
      return Object.fromEntries(removed);
    },
    get changed() {
      return Object.fromEntries(changed);
    },
    size: entries.size,
  };
  counted.set(record, { inserted: inserted.length, removed: removed.length, changed: changed.length });
  return record;
}

/** The changes of one commit to several sets. Of a prefix that several of them have, the last one counts in the common part. */
export function commitOfSets(urls: readonly string[], records: readonly CommitRecord[]): CommitRecord {
  const counts = records.map(commitCounts);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  const record = {
    get inserted() {
      return Object.assign({}, ...records.map(({ inserted }) => inserted));
    },
    get removed() {
      return Object.assign({}, ...records.map(({ removed }) => removed));
    },
    get changed() {
      return Object.assign({}, ...records.map(({ changed }) => changed));
    },
    size: sum(records.map(({ size }) => size)),
    sets: Object.fromEntries(urls.flatMap((url, at) => (records[at] ? [[url, records[at]]] : []))),
  };
  counted.set(record, {
    inserted: sum(counts.map(({ inserted }) => inserted)),
    removed: sum(counts.map(({ removed }) => removed)),
    changed: sum(counts.map(({ changed }) => changed)),
  });
  return record;
}

/** The numbers of a commit, also of one parsed from JSON. */
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
