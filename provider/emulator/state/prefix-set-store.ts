import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { type OrderedPrefixes, type PrefixMap, sorted } from "../../model/prefix-map";
import { PacketPrefixTable } from "../rules/packet-prefix-table";
import { applyBatch, type Batch, type CommitRecord, type StagedValue } from "./commit-record";

export type { Batch, CommitRecord, StagedValue } from "./commit-record";

/** Applied and staged entries of a set as plain objects, canonical prefixes in order. Equal if nothing is staged. */
export interface PrefixSetContent {
  /** Entries for lists and rules, canonical prefix to value. */
  readonly applied: Record<string, number>;
  /** Entries of the applied set after a commit. */
  readonly staged: Record<string, number>;
}

/**
 * One prefix-set: applied entries for rules, and staged changes of all callers, which wait for `commit`
 * (docs/contributing/contract.md#staging-and-commit). Independent of HTTP and dialects.
 */
export class PrefixSetStore {
  private readonly entries: Map<CanonicalPrefix, number>;
  private staging: Batch = new Map();
  /** Commits that take effect later, oldest first. */
  private committing: Batch[] = [];
  private lastCommit: CommitRecord | undefined;
  /** Cache of ordered entries, until they change. */
  private sorted: { applied?: OrderedPrefixes; staged?: OrderedPrefixes; previous?: OrderedPrefixes } = {};
  private table: PacketPrefixTable | undefined;
  /**
   * Spellings of the entries that are not listed in canonical form. Replaced, never changed: cached lists compare it to know
   * whether they are up to date.
   */
  spellings: ReadonlyMap<CanonicalPrefix, string> = new Map();

  /** Version of the applied entries, which grows with every change, for caches. */
  revision = 0;

  constructor(entries: PrefixMap = new Map()) {
    this.entries = new Map(entries);
  }

  /** The applied entries, unordered; the caller must not change them. */
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

  /** The applied entries before the last commit; ordered, never changed. */
  get previous(): OrderedPrefixes {
    if (!this.lastCommit) return this.ordered;
    this.sorted.previous ??= inOrder(this.entries, [undoing(this.lastCommit)]);
    return this.sorted.previous;
  }

  /** Staged changes that wait for a commit. */
  get changes(): ReadonlyMap<CanonicalPrefix, StagedValue> {
    return this.staging;
  }

  /** The value of a prefix after all staged changes; `undefined` if it is absent then. */
  stagedValue(prefix: CanonicalPrefix): number | undefined {
    let value = this.staging.get(prefix);
    for (let at = this.committing.length - 1; value === undefined && at >= 0; at -= 1) {
      value = this.committing[at]?.get(prefix);
    }
    return value === undefined ? this.entries.get(prefix) : (value ?? undefined);
  }

  /** Number of entries after all staged changes. */
  get stagedSize(): number {
    return this.pending.length === 0 ? this.entries.size : this.staged.length;
  }

  /** Stages a value or, with `null`, a removal. */
  stage(prefix: CanonicalPrefix, value: StagedValue): void {
    const draft = new Draft(this);
    draft.stage(prefix, value);
    this.keep(draft);
  }

  /** Stages a draft, which must not change afterwards. */
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

  /** Every prefix that may exist after all staged changes, unordered. */
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

  /** Changes only the applied entries, as an operator at the node's console. */
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

  /** The applied entries in the form for rules, kept up to date after the first call. */
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
 * Changes of one request while it is read; those of a refused request are dropped. Includes the staged changes of the set
 * beneath its own.
 */
export class Draft {
  readonly changes: Batch = new Map();
  /** Prefixes whose insert has no effect, since the set has them. */
  readonly ignored = new Set<CanonicalPrefix>();
  /** Changed spellings of entries in lists; `undefined` for the canonical form. */
  readonly spellings = new Map<CanonicalPrefix, string | undefined>();
  /** Number of new entries. */
  private added = 0;

  constructor(readonly set: PrefixSetStore) {}

  /** The value of a prefix after this draft and all staged changes; `undefined` if it is absent then. */
  value(prefix: CanonicalPrefix): number | undefined {
    const own = this.changes.get(prefix);
    return own === undefined ? this.set.stagedValue(prefix) : (own ?? undefined);
  }

  /** Number of entries after this draft, which may only insert, and all staged changes. */
  get size(): number {
    return this.set.stagedSize + this.added;
  }

  /** Spelling of the entry in lists. */
  spelling(prefix: CanonicalPrefix): string {
    const spellings = this.spellings.has(prefix) ? this.spellings : this.set.spellings;
    return spellings.get(prefix) ?? prefix;
  }

  /** Adds a change. @param spelling Text of the entry in lists of a node that keeps host bits. */
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

/** Changes that undo a commit. */
function undoing({ inserted, removed, changed }: CommitRecord): Batch {
  const batch: Batch = new Map();
  const note = (prefix: string, value: StagedValue) => batch.set(prefix as CanonicalPrefix, value);
  for (const prefix of Object.keys(inserted)) note(prefix, null);
  for (const [prefix, value] of Object.entries(removed)) note(prefix, value);
  for (const [prefix, { from }] of Object.entries(changed)) note(prefix, from);
  return batch;
}
