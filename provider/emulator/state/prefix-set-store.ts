import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { apply, type Difference, difference, type PrefixMap, sorted } from "../../model/prefix-map";
import { PacketPrefixTable } from "../rules";

/** A staged change of one prefix: its new value, or `null` for its removal. */
export type StagedValue = number | null;

/** What a commit changed: JSON, as the journal keeps it. */
export interface CommitRecord {
  readonly inserted: Record<string, number>;
  readonly removed: Record<string, number>;
  readonly changed: Record<string, { from: number; to: number }>;
  /** Entries of the set after the commit. */
  readonly size: number;
}

/** Applied and staged entries of a set as plain objects, canonical prefixes in order. Equal when nothing is staged. */
export interface PrefixSetContent {
  readonly applied: Record<string, number>;
  /** What the applied set becomes by a commit. */
  readonly staged: Record<string, number>;
}

/** A set of changes on its way from staged to applied. */
type Batch = Map<CanonicalPrefix, StagedValue>;

/**
 * One prefix-set: applied entries, which rules look up, and staged changes, which wait for `commit`
 * (docs/contract.md#staging-and-commit).
 * Staging is shared by all callers. Knows nothing of HTTP or dialects.
 */
export class PrefixSetStore {
  private entries: Map<CanonicalPrefix, number>;
  private staging: Batch = new Map();
  private committing: Batch[] = [];
  private before: Difference | undefined;
  private order: { revision: number; map: PrefixMap } | undefined;
  private count: number | undefined;
  private table: PacketPrefixTable | undefined;
  private readonly spellings = new Map<CanonicalPrefix, string>();

  /** Grows with every change of the applied entries: a cheap way to see that a lookup table is out of date. */
  revision = 0;

  constructor(entries: PrefixMap = new Map()) {
    this.entries = new Map(entries);
  }

  /** The applied entries, in no particular order. Not to be changed by the caller. */
  get applied(): PrefixMap {
    return this.entries;
  }

  /** The applied entries in the order of prefixes. */
  get ordered(): PrefixMap {
    if (this.order?.revision !== this.revision) this.order = { revision: this.revision, map: sorted(this.entries) };
    return this.order.map;
  }

  /** What a commit of everything under way would leave. */
  get staged(): PrefixMap {
    if (this.pending.length === 0) return this.ordered;
    const result = new Map(this.entries);
    for (const batch of this.pending) merge(result, batch);
    return sorted(result);
  }

  /** Staged changes that wait for a commit. */
  get changes(): ReadonlyMap<CanonicalPrefix, StagedValue> {
    return this.staging;
  }

  /** The applied entries as they were before the last commit. */
  get previous(): PrefixMap {
    return this.before ? sorted(apply(this.entries, this.before)) : this.ordered;
  }

  /** The value that a prefix has once all that is staged is applied; `undefined` when it is not there then. */
  stagedValue(prefix: CanonicalPrefix): number | undefined {
    for (const batch of this.pending.toReversed()) {
      const value = batch.get(prefix);
      if (value !== undefined) return value ?? undefined;
    }
    return this.entries.get(prefix);
  }

  /** Stages an insert or a new value. `spelling` is how a node that keeps host bits lists the entry. */
  stage(prefix: CanonicalPrefix, value: StagedValue, spelling?: string): void {
    if (this.count !== undefined) {
      this.count += Number(value !== null) - Number(this.stagedValue(prefix) !== undefined);
    }
    this.staging.set(prefix, value);
    if (value === null) return;
    if (spelling === undefined || spelling === prefix) this.spellings.delete(prefix);
    else this.spellings.set(prefix, spelling);
  }

  /** Takes back a {@link stage}: puts the staged change of a prefix to what it was, `undefined` for none. */
  unstage(prefix: CanonicalPrefix, before: StagedValue | undefined): void {
    this.count = undefined;
    if (before === undefined) this.staging.delete(prefix);
    else this.staging.set(prefix, before);
  }

  /** How many entries the set has once all that is staged is applied. Counted once, then kept up to date by {@link stage}. */
  get stagedSize(): number {
    this.count ??= this.staged.size;
    return this.count;
  }

  /** How the entry is listed. */
  spelling(prefix: CanonicalPrefix): string {
    return this.spellings.get(prefix) ?? prefix;
  }

  /** Takes what is staged out of staging; the function returned applies it, at once or later. */
  commit(): () => CommitRecord {
    const batch = this.staging;
    this.staging = new Map();
    this.committing.push(batch);
    return () => {
      this.committing = this.committing.filter((other) => other !== batch);
      return this.write(batch);
    };
  }

  /** Drops what is staged, as a restart without persistence does. */
  discard(): void {
    this.count = undefined;
    this.staging = new Map();
  }

  /** Changes the applied entries and nothing else, as an operator at the node's own console would. */
  change(batch: ReadonlyMap<CanonicalPrefix, StagedValue>): CommitRecord {
    return this.write(new Map(batch));
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

  private write(batch: Batch): CommitRecord {
    this.count = undefined;
    const touched = [...batch.keys()];
    const old = subset(this.entries, touched);
    merge(this.entries, batch);
    if (this.table) updateTable(this.table, batch);
    const delta = difference(old, subset(this.entries, touched));
    this.before = difference(subset(this.entries, touched), old);
    this.revision += 1;
    return {
      inserted: Object.fromEntries(delta.insert),
      removed: Object.fromEntries(delta.remove),
      changed: Object.fromEntries(delta.change),
      size: this.entries.size,
    };
  }
}

function merge(entries: Map<CanonicalPrefix, number>, batch: Batch): void {
  for (const [prefix, value] of batch) {
    if (value === null) entries.delete(prefix);
    else entries.set(prefix, value);
  }
}

function updateTable(table: PacketPrefixTable, batch: Batch): void {
  for (const [text, value] of batch) {
    const prefix = Prefix.fromCanonical(text);
    if (value === null) table.delete(prefix);
    else table.set(prefix, value);
  }
}

function subset(entries: PrefixMap, prefixes: readonly CanonicalPrefix[]): PrefixMap {
  const result = new Map<CanonicalPrefix, number>();
  for (const prefix of prefixes) {
    const value = entries.get(prefix);
    if (value !== undefined) result.set(prefix, value);
  }
  return result;
}
