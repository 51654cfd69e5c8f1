import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { PrefixIndex } from "../model/prefix-index";
import type { PrefixMap } from "../model/prefix-map";
import type { ObservedSet } from "./observed-set";

type Entry = readonly [prefix: CanonicalPrefix, value: number];

/** The requests that staging needs; `NodeClient` bound to one set. */
export interface SetRequests {
  list(): Promise<ObservedSet>;
  insert(entries: readonly Entry[]): Promise<void>;
  /** `once`: a try that was given up on is not repeated, since it may still take effect later. */
  delete(spellings: readonly string[], options?: { once: boolean }): Promise<void>;
  commit(): Promise<void>;
}

/** True for an error by which the node said no: it can be narrowed down to single entries. */
export type IsRefusal = (error: unknown) => error is Error;

/**
 * Brings changes of a set into the node's staging area, and finds out which single entries the node refuses.
 * Nothing here commits. Errors that are no refusal (lost connections, time-outs) are passed on at once.
 */
export class Staging {
  /** Prefixes that the node would not take, each with the node's reason. */
  readonly refused = new Map<CanonicalPrefix, Error>();
  /** Prefixes whose staged state may differ from the applied one. */
  readonly touched = new Set<CanonicalPrefix>();

  constructor(
    private readonly requests: SetRequests,
    private readonly before: ObservedSet,
    private readonly isRefusal: IsRefusal,
  ) {}

  /**
   * Stages everything: new prefixes, new values, removals, and last the value changes that the node only takes as a
   * delete followed by an insert, so that as little time as possible lies between those and the commit.
   *
   * A node may delete with a prefix all that it covers. So what a removed prefix covers is sent after the removal, entries
   * that stay as they are included.
   */
  async stage(put: PrefixMap, remove: ReadonlySet<CanonicalPrefix>): Promise<void> {
    const isCovered = coverage(remove);
    const entries = [...put].filter(([prefix]) => !isCovered(prefix));
    const covered = [...put].filter(([prefix]) => isCovered(prefix));
    const added = entries.filter(([prefix]) => !this.before.has(prefix));
    const changed = entries.filter(([prefix]) => this.before.has(prefix));
    let stubborn: readonly Entry[] = [];
    const isMixed = added.length > 0 && changed.length > 0;
    if (!isMixed || (await this.overwrite(entries)).length > 0) {
      await this.insertNew(added);
      stubborn = await this.overwrite(changed);
    }
    await this.remove([...remove]);
    await this.insertNew(covered.filter(([prefix]) => !this.before.has(prefix)));
    await this.replace(await this.overwrite(covered.filter(([prefix]) => this.before.has(prefix))));
    await this.putBack([...this.before.values.keys()].filter((it) => isCovered(it) && !remove.has(it) && !put.has(it)));
    await this.replace(stubborn);
  }

  /**
   * Takes staged changes back: what was applied gets its value again, what was not is deleted.
   * Throws when that fails. Then nobody may commit, since a staged delete of a wanted prefix may be left.
   */
  async restore(prefixes: readonly CanonicalPrefix[]): Promise<void> {
    const values = prefixes.flatMap((prefix): Entry[] => {
      const applied = this.before.values.get(prefix);
      return applied === undefined ? [] : [[prefix, applied]];
    });
    if ((await this.overwrite(values)).length > 0) {
      const failure = await this.deleteThenInsert(values);
      if (failure) throw failure;
    }
    await this.remove(prefixes.filter((prefix) => !this.before.has(prefix)));
    for (const prefix of prefixes) this.touched.delete(prefix);
  }

  /** Inserts applied prefixes once more, which takes a staged removal back. Refusals mean that there was none. */
  async putBack(prefixes: readonly CanonicalPrefix[]): Promise<void> {
    if (prefixes.length === 0) return;
    for (const prefix of prefixes) this.touched.add(prefix);
    try {
      await this.requests.insert(prefixes.map((prefix) => [prefix, this.before.values.get(prefix) ?? 1] as const));
    } catch (error) {
      if (!this.isRefusal(error)) throw error;
      if (prefixes.length === 1) return;
      const middle = prefixes.length >> 1;
      await this.putBack(prefixes.slice(0, middle));
      await this.putBack(prefixes.slice(middle));
    }
  }

  /** Deletes in the node's own spelling. "Not there" is no error: the list after the commit decides. */
  private async remove(prefixes: readonly CanonicalPrefix[]): Promise<void> {
    if (prefixes.length === 0) return;
    for (const prefix of prefixes) this.touched.add(prefix);
    try {
      await this.requests.delete(prefixes.flatMap((prefix) => this.before.spellings(prefix)));
    } catch (error) {
      if (!this.isRefusal(error)) throw error;
      if (prefixes.length === 1) return;
      const middle = prefixes.length >> 1;
      await this.remove(prefixes.slice(0, middle));
      await this.remove(prefixes.slice(middle));
    }
  }

  /** A refused group may also hold prefixes that an earlier, interrupted run staged: those go in after a delete. */
  private async insertNew(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    for (const [prefix] of entries) this.touched.add(prefix);
    try {
      await this.requests.insert(entries);
    } catch (error) {
      if (!this.isRefusal(error)) throw error;
      if ((await this.deleteThenInsert(entries)) === undefined) return;
      if (entries.length === 1) {
        this.refuse(entries, error);
        return;
      }
      const middle = entries.length >> 1;
      await this.insertNew(entries.slice(0, middle));
      await this.insertNew(entries.slice(middle));
    }
  }

  /** Returns the entries that the node does not overwrite. */
  private async overwrite(entries: readonly Entry[]): Promise<readonly Entry[]> {
    if (entries.length === 0) return [];
    for (const [prefix] of entries) this.touched.add(prefix);
    try {
      await this.requests.insert(entries);
      return [];
    } catch (error) {
      if (!this.isRefusal(error)) throw error;
      return entries;
    }
  }

  /** Delete and insert of applied prefixes; a single one that fails gets its old value back. */
  private async replace(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    const failure = await this.deleteThenInsert(entries);
    if (failure === undefined) return;
    if (entries.length > 1) {
      const middle = entries.length >> 1;
      await this.replace(entries.slice(0, middle));
      await this.replace(entries.slice(middle));
    } else {
      this.refuse(entries, failure);
      await this.restore(entries.map(([prefix]) => prefix));
    }
  }

  /** Returns the refusal, if there was one. */
  private async deleteThenInsert(entries: readonly Entry[]): Promise<Error | undefined> {
    try {
      for (const [prefix] of entries) this.touched.add(prefix);
      await this.requests
        .delete(
          entries.flatMap(([prefix]) => this.before.spellings(prefix)),
          { once: true },
        )
        .catch((error: unknown) => {
          if (!this.isRefusal(error)) throw error;
        });
      await this.requests.insert(entries);
      return undefined;
    } catch (error) {
      if (!this.isRefusal(error)) throw error;
      return error;
    }
  }

  private refuse(entries: readonly Entry[], error: Error): void {
    for (const [prefix] of entries) this.refused.set(prefix, error);
  }
}

/** Tells whether one of these prefixes contains a given other one. */
function coverage(prefixes: ReadonlySet<CanonicalPrefix>): (prefix: CanonicalPrefix) => boolean {
  const wide = [...prefixes].map((prefix) => Prefix.fromCanonical(prefix)).filter((prefix) => prefix.size > 1n);
  if (wide.length === 0) return () => false;
  const index = PrefixIndex.of(wide);
  return (prefix) => !prefixes.has(prefix) && index.longestMatch(Prefix.fromCanonical(prefix)) !== undefined;
}
