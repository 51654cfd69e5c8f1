import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { type OrderedPrefixes, type PrefixMap, sorted } from "../../model/prefix-map";
import { PacketPrefixTable } from "../rules/packet-prefix-table";
import { applyBatch, Batch, type CommitRecord, type Spellings, type StagedValue, spelled } from "./commit-record";

export type { CommitRecord, StagedValue } from "./commit-record";

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
  private staging = new Batch();
  /** Commits that take effect later, oldest first. */
  private committing: Batch[] = [];
  private lastCommit: CommitRecord | undefined;
  /** Cache of ordered entries, until they change. */
  private sorted: { applied?: OrderedPrefixes; staged?: OrderedPrefixes; previous?: OrderedPrefixes } = {};
  private table: PacketPrefixTable | undefined;
  /** Spellings of the applied entries, and those before the last commit. Replaced, never changed. */
  private spellings: Spellings = new Map();
  private previousSpellings: Spellings = this.spellings;

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

  /** All changes that are not applied, those of commits under way included. */
  get unapplied(): ReadonlyMap<CanonicalPrefix, StagedValue> {
    return new Map(this.pending.flatMap((batch) => [...batch]));
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

  /** Spelling of an entry in lists after all staged changes. */
  stagedSpelling(prefix: CanonicalPrefix): string {
    const last = this.pending.findLast((batch) => batch.has(prefix));
    return (last?.spellings ?? this.spellings).get(prefix) ?? prefix;
  }

  /** Entries for a list, with their spellings: equal objects until they change. */
  listed(view: "applied" | "staged" | "previous"): { entries: OrderedPrefixes; spellings: Spellings } {
    if (view === "staged") return { entries: this.staged, spellings: this.pending.reduce(spelled, this.spellings) };
    if (view === "previous") return { entries: this.previous, spellings: this.previousSpellings };
    return { entries: this.ordered, spellings: this.spellings };
  }

  /** Stages a value or, with `null`, a removal. */
  stage(prefix: CanonicalPrefix, value: StagedValue): void {
    this.staging.put(prefix, value);
    delete this.sorted.staged;
  }

  /** Stages a draft, which must not change afterwards. */
  keep({ changes }: Draft): void {
    if (this.staging.size === 0) this.staging = changes;
    else for (const [prefix, value] of changes) this.staging.put(prefix, value, changes.spellings.get(prefix));
    delete this.sorted.staged;
  }

  /** Takes the staged changes out of staging; the returned function applies them, at once or later. */
  commit(): () => CommitRecord {
    const batch = this.staging;
    this.staging = new Batch();
    this.committing.push(batch);
    return () => {
      this.committing = this.committing.filter((other) => other !== batch);
      return this.change(batch);
    };
  }

  /** Drops the staged changes, as a restart without persistence does. */
  discard(): void {
    this.staging = new Batch();
    delete this.sorted.staged;
  }

  /** Changes only the applied entries, as an operator at the node's console. */
  change(batch: ReadonlyMap<CanonicalPrefix, StagedValue>): CommitRecord {
    this.lastCommit = applyBatch(this.entries, batch);
    this.previousSpellings = this.spellings;
    this.spellings = spelled(this.spellings, batch);
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
  readonly changes = new Batch();
  /** Prefixes whose insert has no effect, since the set has them. */
  readonly ignored = new Set<CanonicalPrefix>();
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
    return this.changes.has(prefix) ? (this.changes.spellings.get(prefix) ?? prefix) : this.set.stagedSpelling(prefix);
  }

  /** Adds a change. @param spelling Text of the entry in lists of a node that keeps host bits. */
  stage(prefix: CanonicalPrefix, value: StagedValue, spelling: string = prefix): void {
    if (value !== null && this.value(prefix) === undefined) this.added += 1;
    this.changes.put(prefix, value, spelling);
  }
}

function inOrder(entries: PrefixMap, batches: readonly ReadonlyMap<CanonicalPrefix, StagedValue>[]): OrderedPrefixes {
  const result = new Map(entries);
  for (const batch of batches) applyBatch(result, batch);
  return sorted(result);
}

function undoing({ inserted, removed, changed }: CommitRecord): Map<CanonicalPrefix, StagedValue> {
  const batch = new Map<CanonicalPrefix, StagedValue>();
  const note = (prefix: string, value: StagedValue) => batch.set(prefix as CanonicalPrefix, value);
  for (const prefix of Object.keys(inserted)) note(prefix, null);
  for (const [prefix, value] of Object.entries(removed)) note(prefix, value);
  for (const [prefix, { from }] of Object.entries(changed)) note(prefix, from);
  return batch;
}
