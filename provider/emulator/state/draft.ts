import type { CanonicalPrefix } from "../../model/prefix";

/** A staged change of one prefix: its new value, or `null` for its removal. */
export type StagedValue = number | null;

/** A set of changes on its way from staged to applied. */
export type Batch = Map<CanonicalPrefix, StagedValue>;

/** What a draft is written upon. */
export interface DraftBase {
  stagedValue(prefix: CanonicalPrefix): number | undefined;
  readonly stagedSize: number;
  readonly spellings: ReadonlyMap<CanonicalPrefix, string>;
}

/**
 * What one request wants to stage, while it is being read: a refused one is thrown away. Sees what is staged already, and
 * its own changes above that.
 */
export class Draft {
  readonly changes: Batch = new Map();
  /** How entries are listed that are spelled in their own way, or were; `undefined` for the canonical form. */
  readonly spellings = new Map<CanonicalPrefix, string | undefined>();
  /** Entries that the set gains by it. */
  private growth = 0;
  private sizeBefore: number | undefined;

  constructor(private readonly base: DraftBase) {}

  /** The value that a prefix has once this and all that is staged is applied; `undefined` when it is not there then. */
  value(prefix: CanonicalPrefix): number | undefined {
    const own = this.changes.get(prefix);
    return own === undefined ? this.base.stagedValue(prefix) : (own ?? undefined);
  }

  /** Entries of the set once this and all that is staged is applied. */
  get size(): number {
    this.sizeBefore ??= this.base.stagedSize;
    return this.sizeBefore + this.growth;
  }

  /** How the entry is listed. */
  spelling(prefix: CanonicalPrefix): string {
    const spellings = this.spellings.has(prefix) ? this.spellings : this.base.spellings;
    return spellings.get(prefix) ?? prefix;
  }

  /** Adds a change. `spelling` is how a node that keeps host bits lists the entry. */
  stage(prefix: CanonicalPrefix, value: StagedValue, spelling: string = prefix): void {
    const before = this.value(prefix);
    this.growth += Number(value !== null) - Number(before !== undefined);
    this.changes.set(prefix, value);
    if (value !== null && spelling !== this.spelling(prefix)) {
      this.spellings.set(prefix, spelling === prefix ? undefined : spelling);
    }
  }
}
