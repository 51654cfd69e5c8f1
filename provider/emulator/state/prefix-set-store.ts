import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { type OrderedPrefixes, type PrefixMap, sorted } from "../../model/prefix-map";
import { PacketPrefixTable } from "../rules/packet-prefix-table";
import { applyBatch, type Batch, type CommitRecord, type StagedValue } from "./commit-record";

export type { Batch, CommitRecord, StagedValue } from "./commit-record";

/** Applied and staged entries of a set as plain objects, canonical prefixes in order. Equal when nothing is staged. */
export interface PrefixSetContent {
  /** Entries that lists answer and rules see, canonical prefix to value. */
  readonly applied: Record<string, number>;
  /** Entries of the applied set after a commit. */
  readonly staged: Record<string, number>;
}

/**
 * One prefix-set: applied entries, which rules look up, and staged changes, which wait for `commit`
 * (docs/contributing/contract.md#staging-and-commit).
 * Staging is shared by all callers. Knows nothing of HTTP or dialects.
 */
export class PrefixSetStore {
  private readonly entries: Map<CanonicalPrefix, number>;
  private staging: Batch = new Map();
  /** Commits that take effect later, the oldest first. */
  private committing: Batch[] = [];
  private lastCommit: CommitRecord | undefined;
  /** Ordered entries that were asked for, until they change. */
  private sorted: { applied?: OrderedPrefixes; staged?: OrderedPrefixes; previous?: OrderedPrefixes } = {};
  private table: PacketPrefixTable | undefined;
  /**
   * Spellings of the entries that are not listed in canonical form. Exchanged, never changed: encoded lists that are kept know by it
   * whether they still hold.
   */
  spellings: ReadonlyMap<CanonicalPrefix, string> = new Map();

  /** Grows with every change of the applied entries: a cheap way to see that a view of them is out of date. */
  revision = 0;

  constructor(entries: PrefixMap = new Map()) {
    this.entries = new Map(entries);
  }

  /** The applied entries, in no particular order. Not to be changed by the caller. */
  get applied(): PrefixMap {
    return this.entries;
  }

  /** The applied entries in the order of prefixes; never changed. */
  get ordered(): OrderedPrefixes {
    this.sorted.applied ??= sorted(this.entries);
    return this.sorted.applied;
  }

  /** Entries after a commit of everything under way; ordered, never changed. */
  get staged(): OrderedPrefixes {
    if (this.pending.length === 0) return this.ordered;
    this.sorted.staged ??= inOrder(this.entries, this.pending);
    return this.sorted.staged;
  }

  /** The applied entries as they were before the last commit; ordered, never changed. */
  get previous(): OrderedPrefixes {
    if (!this.lastCommit) return this.ordered;
    this.sorted.previous ??= inOrder(this.entries, [undoing(this.lastCommit)]);
    return this.sorted.previous;
  }

  /** Staged changes that wait for a commit. */
  get changes(): ReadonlyMap<CanonicalPrefix, StagedValue> {
    return this.staging;
  }

  /** The value that a prefix has once all that is staged is applied; `undefined` when it is not there then. */
  stagedValue(prefix: CanonicalPrefix): number | undefined {
    let value = this.staging.get(prefix);
    for (let at = this.committing.length - 1; value === undefined && at >= 0; at -= 1) {
      value = this.committing[at]?.get(prefix);
    }
    return value === undefined ? this.entries.get(prefix) : (value ?? undefined);
  }

  /** Number of entries once all that is staged is applied. */
  get stagedSize(): number {
    return this.pending.length === 0 ? this.entries.size : this.staged.length;
  }

  /** Stages an insert, a new value or, with `null`, a removal. */
  stage(prefix: CanonicalPrefix, value: StagedValue): void {
    const draft = new Draft(this);
    draft.stage(prefix, value);
    this.keep(draft);
  }

  /** Stages the whole of a draft, which is written no further. */
  keep({ changes, spellings }: Draft): void {
    if (this.staging.size === 0) this.staging = changes;
    else for (const [prefix, value] of changes) this.staging.set(prefix, value);
    delete this.sorted.staged;
    if (spellings.size === 0) return;
    const all = new Map(this.spellings);
    for (const [prefix, spelling] of spellings) {
      if (spelling === undefined) all.delete(prefix);
      else all.set(prefix, spelling);
    }
    this.spellings = all;
  }

  /** Every prefix that may be there once all that is staged is applied, in no particular order. */
  *mentioned(): Generator<CanonicalPrefix, void> {
    yield* this.entries.keys();
    for (const batch of this.pending) for (const prefix of batch.keys()) if (!this.entries.has(prefix)) yield prefix;
  }

  /** Takes the staged changes out of staging; the returned function applies them, at once or later. */
  commit(): () => CommitRecord {
    const batch = this.staging;
    this.staging = new Map();
    this.committing.push(batch);
    return () => {
      this.committing = this.committing.filter((other) => other !== batch);
      return this.change(batch);
    };
  }

  /** Drops the staged changes, as a restart without persistence does. */
  discard(): void {
    this.staging = new Map();
    delete this.sorted.staged;
  }

  /** Changes the applied entries and nothing else, as an operator at the node's own console would. */
  change(batch: ReadonlyMap<CanonicalPrefix, StagedValue>): CommitRecord {
    this.lastCommit = applyBatch(this.entries, batch);
    for (const [text, value] of this.table ? batch : []) {
      if (value === null) this.table?.delete(Prefix.fromCanonical(text));
      else this.table?.set(Prefix.fromCanonical(text), value);
    }
    this.sorted = {};
    this.revision += 1;
    return this.lastCommit;
  }

  /** The applied entries in the form in which rules look them up; kept up to date from the first call on. */
  lookup(): PacketPrefixTable {
    this.table ??= new PacketPrefixTable([...this.entries].map(([text, value]) => [Prefix.fromCanonical(text), value]));
    return this.table;
  }

  /** Applied and staged entries as plain objects. */
  content(): PrefixSetContent {
    return { applied: Object.fromEntries(this.ordered), staged: Object.fromEntries(this.staged) };
  }

  private get pending(): Batch[] {
    return this.staging.size === 0 ? this.committing : [...this.committing, this.staging];
  }
}

/**
 * Changes that one request is to stage, while it is being read: those of a refused one are thrown away. Sees what is staged
 * already, and its own changes above that.
 */
export class Draft {
  readonly changes: Batch = new Map();
  /** Spellings of entries that are not listed in canonical form, or were not; `undefined` for the canonical form. */
  readonly spellings = new Map<CanonicalPrefix, string | undefined>();
  /** Entries that are new by it. */
  private added = 0;

  constructor(readonly set: PrefixSetStore) {}

  /** The value that a prefix has once this and all that is staged is applied; `undefined` when it is not there then. */
  value(prefix: CanonicalPrefix): number | undefined {
    const own = this.changes.get(prefix);
    return own === undefined ? this.set.stagedValue(prefix) : (own ?? undefined);
  }

  /** Entries of the set once this and all that is staged is applied; of a draft that only inserts. */
  get size(): number {
    return this.set.stagedSize + this.added;
  }

  /** Spelling of the entry in lists. */
  spelling(prefix: CanonicalPrefix): string {
    const spellings = this.spellings.has(prefix) ? this.spellings : this.set.spellings;
    return spellings.get(prefix) ?? prefix;
  }

  /** Adds a change. `spelling` is how a node that keeps host bits lists the entry. */
  stage(prefix: CanonicalPrefix, value: StagedValue, spelling: string = prefix): void {
    if (value !== null && this.value(prefix) === undefined) this.added += 1;
    this.changes.set(prefix, value);
    if (value !== null && spelling !== this.spelling(prefix)) {
      this.spellings.set(prefix, spelling === prefix ? undefined : spelling);
    }
  }
}

function inOrder(entries: PrefixMap, batches: readonly Batch[]): OrderedPrefixes {
  const result = new Map(entries);
  for (const batch of batches) applyBatch(result, batch);
  return sorted(result);
}

/** Changes that take a commit back. */
function undoing({ inserted, removed, changed }: CommitRecord): Batch {
  const batch: Batch = new Map();
  const note = (prefix: string, value: StagedValue) => batch.set(prefix as CanonicalPrefix, value);
  for (const prefix of Object.keys(inserted)) note(prefix, null);
  for (const [prefix, value] of Object.entries(removed)) note(prefix, value);
  for (const [prefix, { from }] of Object.entries(changed)) note(prefix, from);
  return batch;
}
