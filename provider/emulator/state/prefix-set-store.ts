import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import type { PrefixMap } from "../../model/prefix-map";
import { PacketPrefixTable } from "../rules";
import { atOnce, LIGHT_SLICE, Line, SLICE, type SlicedWork } from "../time/slices";
import { type CommitRecord, Delta } from "./delta";
import { type Batch, Draft, type StagedValue } from "./draft";
import { NOTHING, type Ordering, reorder } from "./ordering";

export type { CommitRecord } from "./delta";
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
 *
 * What takes long on a large set is sliced work, whose effect shows at its end. The requests of a set keep their order on
 * its {@link line}; whoever changes the set past that line, as a test does, is taken in: work that began before begins anew.
 */
export class PrefixSetStore {
  /** Where requests that concern this set wait for each other. */
  readonly line = new Line();
  private entries: Map<CanonicalPrefix, number>;
  private staging: Batch = new Map();
  /** A kept draft on its way into `staging`: its changes hold already. */
  private joining: Batch | undefined;
  private committing: Batch[] = [];
  /** One of those, while it is applied in slices. */
  private applying: Batch | undefined;
  /** What the last commit changed. */
  private last: Delta | undefined;
  private order: { revision: number; ordering: Ordering } | undefined;
  /** Prefixes that may differ from `order`. */
  private touched = new Set<CanonicalPrefix>();
  private stagedOrder: { version: number; ordering: Ordering } | undefined;
  private count: number | undefined;
  private table: PacketPrefixTable | undefined;
  private readonly spellings = new Map<CanonicalPrefix, string>();
  /** Grows with every change, staged ones included. */
  private version = 0;

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
    return atOnce(this.listing("applied"));
  }

  /** What a commit of everything under way would leave. */
  get staged(): PrefixMap {
    return atOnce(this.listing("staged"));
  }

  /** Staged changes that wait for a commit. */
  get changes(): ReadonlyMap<CanonicalPrefix, StagedValue> {
    return this.joining ? new Map([...this.staging, ...this.joining]) : this.staging;
  }

  /** The same, and what is being applied at this moment: what a state must hold so that nothing of it is lost. */
  get unapplied(): ReadonlyMap<CanonicalPrefix, StagedValue> {
    return this.applying ? new Map([...this.applying, ...this.changes]) : this.changes;
  }

  /** The applied entries as they were before the last commit. */
  get previous(): PrefixMap {
    return atOnce(this.listing("previous"));
  }

  /** The value that a prefix has once all that is staged is applied; `undefined` when it is not there then. */
  stagedValue(prefix: CanonicalPrefix): number | undefined {
    const { joining, staging, committing } = this;
    let value = joining?.get(prefix);
    if (value === undefined) value = staging.get(prefix);
    for (let at = committing.length - 1; value === undefined && at >= 0; at -= 1) value = committing[at]?.get(prefix);
    if (value !== undefined) return value ?? undefined;
    return this.entries.get(prefix);
  }

  /** Stages an insert, a new value or, with `null`, a removal. `spelling` is how a node that keeps host bits lists the entry. */
  stage(prefix: CanonicalPrefix, value: StagedValue, spelling?: string): void {
    const draft = this.draft();
    draft.stage(prefix, value, spelling);
    atOnce(this.keep(draft));
  }

  /** Changes that are gathered before any of them is staged. */
  draft(): Draft {
    return new Draft(this);
  }

  /** Stages the whole of a draft, in one step. */
  *keep(draft: Draft): SlicedWork<void> {
    const { changes, spellings, growth } = draft;
    draft.isKept = true;
    this.version += 1;
    if (this.count !== undefined) this.count += growth;
    for (const [prefix, spelling] of spellings) {
      if (spelling === undefined) this.spellings.delete(prefix);
      else this.spellings.set(prefix, spelling);
    }
    if (this.staging.size === 0) {
      this.staging = changes;
      return;
    }
    const { staging } = this;
    this.joining = changes;
    let steps = 0;
    for (const [prefix, value] of changes) {
      if (this.joining !== changes) return; // discarded meanwhile
      staging.set(prefix, value);
      steps += 1;
      if (steps % LIGHT_SLICE === 0) yield;
    }
    this.joining = undefined;
  }

  /** How many entries the set has once all that is staged is applied. Counted once, then kept up to date. */
  get stagedSize(): number {
    this.count ??= this.pending.length === 0 ? this.entries.size : this.staged.size;
    return this.count;
  }

  /** How the entry is listed. */
  spelling(prefix: CanonicalPrefix): string {
    return this.spellings.get(prefix) ?? prefix;
  }

  /** How entries are listed at this moment that are not listed in canonical form. */
  ownSpellings(): ReadonlyMap<CanonicalPrefix, string> {
    return this.spellings.size === 0 ? this.spellings : new Map(this.spellings);
  }

  /** What is to be listed, in the order of prefixes; never changed afterwards. */
  *listing(which: "applied" | "staged" | "previous"): SlicedWork<PrefixMap> {
    for (;;) {
      const { version } = this;
      const { map } = yield* this.ordering(which);
      if (version === this.version) return map;
    }
  }

  /** Every prefix that may be there once all that is staged is applied, in no particular order. */
  *mentioned(): Generator<CanonicalPrefix, void> {
    yield* this.entries.keys();
    for (const batch of this.pending) for (const prefix of batch.keys()) if (!this.entries.has(prefix)) yield prefix;
  }

  /**
   * Takes what is staged out of staging; the function returned begins to apply it, at once or later.
   */
  commit(): () => SlicedWork<CommitRecord> {
    const batch = this.joining ? new Map(this.changes) : this.staging;
    this.staging = new Map();
    this.joining = undefined;
    this.committing.push(batch);
    this.version += 1;
    return () => this.write(batch);
  }

  /** Drops what is staged, as a restart without persistence does. */
  discard(): void {
    this.count = undefined;
    this.version += 1;
    this.staging = new Map();
    this.joining = undefined;
  }

  /** Changes the applied entries and nothing else, as an operator at the node's own console would. */
  change(batch: ReadonlyMap<CanonicalPrefix, StagedValue>): CommitRecord {
    return atOnce(this.write(new Map(batch)));
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
    const staged = this.staging.size === 0 ? [] : [this.staging];
    return [...this.committing, ...staged, ...(this.joining ? [this.joining] : [])];
  }

  private *ordering(which: "applied" | "staged" | "previous"): SlicedWork<Ordering> {
    const applied = yield* this.appliedOrdering();
    if (which === "previous") return this.last ? yield* reorder(applied, yield* this.last.before()) : applied;
    const { pending, version } = this;
    if (which !== "staged" || pending.length === 0) return applied;
    if (this.stagedOrder?.version === version) return this.stagedOrder.ordering;
    const changed = new Map<CanonicalPrefix, number | undefined>();
    for (const batch of pending) {
      for (const [prefix, value] of batch) {
        changed.set(prefix, value ?? undefined);
        if (changed.size % LIGHT_SLICE === 0) yield;
      }
    }
    const ordering = yield* reorder(applied, changed);
    if (version === this.version) this.stagedOrder = { version, ordering };
    return ordering;
  }

  private *appliedOrdering(): SlicedWork<Ordering> {
    while (this.order?.revision !== this.revision) {
      const { revision } = this;
      // Without an order so far all entries are new to it: what changes among them meanwhile makes another revision.
      const ordering = this.order
        ? yield* reorder(this.order.ordering, yield* this.touchedValues())
        : yield* reorder(NOTHING, this.entries);
      if (revision !== this.revision) continue;
      this.order = { revision, ordering };
      this.touched = new Set();
    }
    return this.order.ordering;
  }

  private *touchedValues(): SlicedWork<Map<CanonicalPrefix, number | undefined>> {
    const values = new Map<CanonicalPrefix, number | undefined>();
    for (const prefix of this.touched) {
      values.set(prefix, this.entries.get(prefix));
      if (values.size % LIGHT_SLICE === 0) yield;
    }
    return values;
  }

  /** Applies a batch: a short one where it stands, a long one to a copy that then takes its place. */
  private *write(batch: Batch): SlicedWork<CommitRecord> {
    if (batch.size <= LIGHT_SLICE) {
      const delta = new Delta();
      for (const [prefix, value] of batch) delta.note(prefix, this.entries.get(prefix), value);
      merge(this.entries, batch);
      if (this.table) updateTable(this.table, batch);
      return this.written(batch, delta, atOnce(delta.record(this.entries.size)));
    }
    this.applying = batch;
    for (;;) {
      const { revision } = this;
      const delta = new Delta();
      const entries = yield* copyOf(this.entries);
      let steps = 0;
      for (const [prefix, value] of batch) {
        delta.note(prefix, entries.get(prefix), value);
        if (value === null) entries.delete(prefix);
        else entries.set(prefix, value);
        steps += 1;
        if (steps % SLICE === 0) yield;
      }
      const table = this.table && (yield* tableOf(entries));
      const record = yield* delta.record(entries.size);
      if (revision !== this.revision) continue; // changed meanwhile past the line
      this.entries = entries;
      this.applying = undefined;
      if (table) this.table?.adopt(table);
      return this.written(batch, delta, record);
    }
  }

  private written(batch: Batch, delta: Delta, record: CommitRecord): CommitRecord {
    this.committing = this.committing.filter((other) => other !== batch);
    this.count = undefined;
    this.revision += 1;
    this.version += 1;
    this.last = delta;
    this.touch(delta);
    return record;
  }

  /** Remembers what the next ordering must look at, or, where that is most of the set, that it begins from nothing. */
  private touch(delta: Delta): void {
    if (!this.order || this.touched.size + delta.size > this.entries.size / 2) {
      this.order = undefined;
      this.touched = new Set();
      return;
    }
    for (const prefix of delta.prefixes()) this.touched.add(prefix);
  }
}

function* copyOf(entries: PrefixMap): SlicedWork<Map<CanonicalPrefix, number>> {
  const copy = new Map<CanonicalPrefix, number>();
  for (const [prefix, value] of entries) {
    copy.set(prefix, value);
    if (copy.size % LIGHT_SLICE === 0) yield;
  }
  return copy;
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

function* tableOf(entries: PrefixMap): SlicedWork<PacketPrefixTable> {
  const table = new PacketPrefixTable();
  let steps = 0;
  for (const [text, value] of entries) {
    table.set(Prefix.fromCanonical(text), value);
    steps += 1;
    if (steps % SLICE === 0) yield;
  }
  return table;
}
