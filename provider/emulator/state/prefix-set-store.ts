import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import type { PrefixMap } from "../../model/prefix-map";
import { PacketPrefixTable } from "../rules";
import { type CommitRecord, commitRecord } from "./commit-record";
import { type Batch, Draft, type StagedValue } from "./draft";
import { PrefixOrder } from "./prefix-order";

export type { CommitRecord } from "./commit-record";
export type { StagedValue } from "./draft";

/** Applied and staged entries of a set as plain objects, canonical prefixes in order. Equal when nothing is staged. */
export interface PrefixSetContent {
  /** What a list answers and rules see, canonical prefix to value. */
  readonly applied: Record<string, number>;
  /** What the applied set becomes by a commit. */
  readonly staged: Record<string, number>;
}

/**
 * One prefix-set: applied entries, which rules look up, and staged changes, which wait for `commit`
 * (docs/contract.md#staging-and-commit).
 * Staging is shared by all callers. Knows nothing of HTTP or dialects.
 */
export class PrefixSetStore {
  private readonly entries: Map<CanonicalPrefix, number>;
  private readonly order: PrefixOrder;
  private staging: Batch = new Map();
  /** Commits that take effect later, the oldest first. */
  private committing: Batch[] = [];
  private lastCommit: CommitRecord | undefined;
  /** What was asked for in order, until it changes. */
  private sorted: { applied?: PrefixMap; staged?: PrefixMap; previous?: PrefixMap } = {};
  private table: PacketPrefixTable | undefined;
  /** Exchanged, never changed: lists that are kept encoded know by it whether they still hold. */
  private ownSpellings: ReadonlyMap<CanonicalPrefix, string> = new Map();

  /** Grows with every change of the applied entries: a cheap way to see that a view of them is out of date. */
  revision = 0;

  constructor(entries: PrefixMap = new Map()) {
    this.entries = new Map(entries);
    this.order = new PrefixOrder(entries.keys());
  }

  /** The applied entries, in no particular order. Not to be changed by the caller. */
  get applied(): PrefixMap {
    return this.entries;
  }

  /** The applied entries in the order of prefixes; a map that is never changed. */
  get ordered(): PrefixMap {
    this.sorted.applied ??= this.order.sort(this.entries);
    return this.sorted.applied;
  }

  /** What a commit of everything under way would leave; ordered, a map that is never changed. */
  get staged(): PrefixMap {
    if (this.pending.length === 0) return this.ordered;
    this.sorted.staged ??= inOrder(this.ordered, this.pending);
    return this.sorted.staged;
  }

  /** The applied entries as they were before the last commit; ordered, a map that is never changed. */
  get previous(): PrefixMap {
    if (!this.lastCommit) return this.ordered;
    this.sorted.previous ??= inOrder(this.ordered, [undoing(this.lastCommit)]);
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

  /** How many entries the set has once all that is staged is applied. */
  get stagedSize(): number {
    return this.pending.length === 0 ? this.entries.size : this.staged.size;
  }

  /** Stages an insert, a new value or, with `null`, a removal. */
  stage(prefix: CanonicalPrefix, value: StagedValue): void {
    const draft = this.draft();
    draft.stage(prefix, value);
    this.keep(draft);
  }

  /** Changes that are gathered before any of them is staged. */
  draft(): Draft {
    return new Draft(this);
  }

  /** Stages the whole of a draft. */
  keep({ changes, spellings }: Draft): void {
    for (const [prefix, value] of changes) this.staging.set(prefix, value);
    delete this.sorted.staged;
    if (spellings.size === 0) return;
    const all = new Map(this.ownSpellings);
    for (const [prefix, spelling] of spellings) {
      if (spelling === undefined) all.delete(prefix);
      else all.set(prefix, spelling);
    }
    this.ownSpellings = all;
  }

  /** How entries are listed that are not listed in canonical form. */
  get spellings(): ReadonlyMap<CanonicalPrefix, string> {
    return this.ownSpellings;
  }

  /** Every prefix that may be there once all that is staged is applied, in no particular order. */
  *mentioned(): Generator<CanonicalPrefix, void> {
    yield* this.entries.keys();
    for (const batch of this.pending) for (const prefix of batch.keys()) if (!this.entries.has(prefix)) yield prefix;
  }

  /** Takes what is staged out of staging; the function returned applies it, at once or later. */
  commit(): () => CommitRecord {
    const batch = this.staging;
    this.staging = new Map();
    this.committing.push(batch);
    return () => {
      this.committing = this.committing.filter((other) => other !== batch);
      return this.change(batch);
    };
  }

  /** Drops what is staged, as a restart without persistence does. */
  discard(): void {
    this.staging = new Map();
    delete this.sorted.staged;
  }

  /** Changes the applied entries and nothing else, as an operator at the node's own console would. */
  change(batch: ReadonlyMap<CanonicalPrefix, StagedValue>): CommitRecord {
    const record = commitRecord(this.entries, batch);
    for (const [prefix, value] of batch) {
      if (value === null) this.delete(prefix);
      else this.set(prefix, value);
    }
    this.lastCommit = record;
    this.sorted = {};
    this.revision += 1;
    return record;
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

  private set(prefix: CanonicalPrefix, value: number): void {
    if (!this.entries.has(prefix)) this.order.add(prefix);
    this.entries.set(prefix, value);
    this.table?.set(Prefix.fromCanonical(prefix), value);
  }

  private delete(prefix: CanonicalPrefix): void {
    this.order.delete(prefix);
    this.entries.delete(prefix);
    this.table?.delete(Prefix.fromCanonical(prefix));
  }
}

/** The entries with these changes, in order. */
function inOrder(entries: PrefixMap, batches: readonly Batch[]): PrefixMap {
  const result = new Map(entries);
  for (const batch of batches) {
    for (const [prefix, value] of batch) {
      if (value === null) result.delete(prefix);
      else result.set(prefix, value);
    }
  }
  return new PrefixOrder(result.keys()).sort(result);
}

/** What takes a commit back. */
function undoing({ inserted, removed, changed }: CommitRecord): Batch {
  const batch: Batch = new Map();
  const note = (prefix: string, value: StagedValue) => batch.set(prefix as CanonicalPrefix, value);
  for (const prefix of Object.keys(inserted)) note(prefix, null);
  for (const [prefix, value] of Object.entries(removed)) note(prefix, value);
  for (const [prefix, { from }] of Object.entries(changed)) note(prefix, from);
  return batch;
}
