import { isRefusal } from "../client/errors";
import type { NodeSet, ObservedSet, SetEntry } from "../client/node-set";
import { familyOf, lengthOf } from "../model/coverage";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { PrefixIndex } from "../model/prefix-index";
import { type ListedMap, madeOnce } from "../model/prefix-map";

/**
 * Brings changes of a set into the node's staging area, and finds out which single entries the node refuses.
 * Nothing here commits. Errors other than refusals (lost connections, time-outs) are passed on at once.
 */
export class Staging {
  /** Prefixes that the node refused, each with the node's reason. */
  readonly refused = new Map<CanonicalPrefix, Error>();
  /** Prefixes whose staged state may differ from the applied one. */
  readonly maybeStaged = new Set<CanonicalPrefix>();
  /** Prefixes whose removal was sent; it may be staged or late. */
  readonly deleted = new Set<CanonicalPrefix>();

  constructor(
    private readonly set: NodeSet,
    private readonly before: ObservedSet,
    /** Called with applied prefixes before a request that may stage their removal or another value. */
    private readonly changing: (prefixes: readonly CanonicalPrefix[]) => void = () => {},
  ) {}

  /**
   * Stages everything: new prefixes, new values, removals, and last the value changes that the node only takes as a
   * delete followed by an insert, so that as little time as possible lies between those and the commit.
   *
   * A node may delete a prefix with everything that it covers. So covered entries are sent after the removal, also unchanged ones.
   */
  async stage(put: ListedMap, remove: ReadonlySet<CanonicalPrefix>): Promise<void> {
    const isCovered = coverage(remove, [put, this.before.values]);
    const covered = isCovered ? [...put].filter(([prefix]) => isCovered(prefix)) : [];
    const free = covered.length === 0 ? put : new Map([...put].filter(([prefix]) => !isCovered?.(prefix)));
    const { entries, added, changed } = parted(free, this.before.values);
    let needsReplace: readonly SetEntry[] = [];
    const isMixed = added.length > 0 && changed.length > 0;
    if (!isMixed || (await this.overwrite(entries)).length > 0) {
      await this.insertNew(added);
      needsReplace = await this.overwrite(changed);
    }
    const held = isCovered ? [...this.before.values.keys()].filter(isCovered) : [];
    this.changing(held);
    // A late delete would take what is inserted after it.
    await this.removeAll([...remove], { once: held.length + covered.length > 0 });
    await this.insertNew(covered.filter(([prefix]) => !this.before.has(prefix)));
    await this.replace(await this.overwrite(covered.filter(([prefix]) => this.before.has(prefix))));
    await this.restage(held.filter((prefix) => !remove.has(prefix) && !put.has(prefix)));
    await this.replace(needsReplace);
  }

  /**
   * Takes staged changes back: applied entries get their value again, others are deleted.
   * Throws when that fails. Then no commit may follow, since a staged delete of a wanted prefix may be left.
   */
  async restore(prefixes: readonly CanonicalPrefix[]): Promise<void> {
    const values = prefixes.flatMap((prefix): SetEntry[] => {
      const applied = this.before.values.get(prefix);
      return applied === undefined ? [] : [[prefix, applied]];
    });
    if ((await this.overwrite(values)).length > 0) {
      const failure = await this.deleteThenInsert(values);
      if (failure) throw failure;
    }
    await this.remove(prefixes.filter((prefix) => !this.before.has(prefix)));
    for (const prefix of prefixes) this.maybeStaged.delete(prefix);
  }

  /** Inserts applied prefixes once more, which takes a staged removal or value back. A refusal mostly means that there was none. */
  async restage(prefixes: readonly CanonicalPrefix[]): Promise<void> {
    const values = prefixes.map((prefix): SetEntry => [prefix, this.before.values.get(prefix) ?? 1]);
    await bisect(values, (part) => this.insert(part));
  }

  /**
   * Deletes what the list shows, and then what it does not show: a list may be old. Those are sent together, and a refusal of
   * them is not narrowed down: an entry that is there all the same shows in the list after the commit, and is sent again.
   */
  private async removeAll(prefixes: readonly CanonicalPrefix[], options: { readonly once: boolean }): Promise<void> {
    await this.remove(
      prefixes.filter((prefix) => this.before.has(prefix)),
      options,
    );
    const absent = prefixes.filter((prefix) => !this.before.has(prefix));
    if (absent.length > 0) await this.delete(absent, options);
  }

  /** Deletes in the node's own spelling. "Not there" is not an error: the list after the commit decides. */
  private remove(prefixes: readonly CanonicalPrefix[], options?: { readonly once: boolean }): Promise<void> {
    return bisect(prefixes, (part) => this.delete(part, options));
  }

  /** A refused group may also hold prefixes that an earlier, interrupted run staged: these are inserted after a delete. */
  private insertNew(entries: readonly SetEntry[]): Promise<void> {
    return bisect(
      entries,
      async (part) => {
        const refusal = await this.insert(part);
        return refusal && (await this.deleteThenInsert(part)) && refusal;
      },
      async ([prefix], refusal) => void this.refused.set(prefix, refusal),
    );
  }

  /** Returns the entries that the node does not overwrite: all, without a try, where that is known. */
  private async overwrite(entries: readonly SetEntry[]): Promise<readonly SetEntry[]> {
    const { insertExisting = "overwrite" } = this.set.options;
    if (insertExisting !== "overwrite") return entries;
    return entries.length > 0 && (await this.insert(entries)) ? entries : [];
  }

  /** Delete and insert of applied prefixes; a single one that fails gets its old value again. */
  private replace(entries: readonly SetEntry[]): Promise<void> {
    return bisect(
      entries,
      (part) => this.deleteThenInsert(part),
      async ([prefix], refusal) => {
        this.refused.set(prefix, refusal);
        await this.restore([prefix]);
      },
    );
  }

  private async deleteThenInsert(entries: readonly SetEntry[]): Promise<Error | undefined> {
    await this.delete(
      entries.map(([prefix]) => prefix),
      { once: true },
    );
    return this.insert(entries);
  }

  private insert(entries: readonly SetEntry[]): Promise<Error | undefined> {
    for (const [prefix] of entries) this.maybeStaged.add(prefix);
    const { values } = this.before;
    const isChanged = ([prefix, value]: SetEntry) => values.has(prefix) && values.get(prefix) !== value;
    this.changing(entries.filter(isChanged).map(([prefix]) => prefix));
    return refusalOf(this.set.insert(entries));
  }

  private delete(
    prefixes: readonly CanonicalPrefix[],
    options?: { readonly once: boolean },
  ): Promise<Error | undefined> {
    for (const prefix of prefixes) {
      this.maybeStaged.add(prefix);
      this.deleted.add(prefix);
    }
    this.changing(prefixes.filter((prefix) => this.before.has(prefix)));
    const spellings = prefixes.flatMap((prefix) => this.before.spellings(prefix));
    return refusalOf(this.set.delete(spellings, options));
  }
}

/** The node's refusal of a request, if it was one; any other error is thrown. */
async function refusalOf(request: Promise<void>): Promise<Error | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error;
  }
}

/**
 * Sends items together. A refused request is halved and sent again, until only single items are refused.
 *
 * @param send Returns the refusal, if there was one.
 * @param alone Called for each single item that is refused; by default it is ignored.
 */
async function bisect<T>(
  things: readonly T[],
  send: (part: readonly T[]) => Promise<Error | undefined>,
  alone: (thing: T, refusal: Error) => Promise<void> = async () => {},
): Promise<void> {
  const [first] = things;
  if (first === undefined) return;
  const refusal = await send(things);
  if (refusal === undefined) return;
  if (things.length === 1) return alone(first, refusal);
  const middle = things.length >> 1;
  await bisect(things.slice(0, middle), send, alone);
  await bisect(things.slice(middle), send, alone);
}

/** Entries to insert, in two parts: those that the set did not hold, and those that it held with another value. */
export const parted = madeOnce((put: ListedMap, before: ListedMap) => {
  const entries: readonly SetEntry[] = [...put];
  if (before.size === 0) return { entries, added: entries, changed: [] };
  return {
    entries,
    added: entries.filter(([prefix]) => !before.has(prefix)),
    changed: entries.filter(([prefix]) => before.has(prefix)),
  };
});

/** Tells whether one of these prefixes contains a given one of the others; `undefined` where none can contain any. */
function coverage(
  prefixes: ReadonlySet<CanonicalPrefix>,
  others: readonly ListedMap[],
): ((prefix: CanonicalPrefix) => boolean) | undefined {
  if (prefixes.size === 0) return undefined;
  // Only longer prefixes can be contained, so most sets, and all cleared ones, need no index.
  const longest = { 4: 0, 6: 0 };
  for (const map of others) {
    map.forEach((_, prefix) => {
      if (prefixes.has(prefix)) return;
      const family = familyOf(prefix);
      longest[family] = Math.max(longest[family], lengthOf(prefix));
    });
  }
  if (longest[4] + longest[6] === 0) return undefined;
  const wide = [...prefixes].filter((prefix) => lengthOf(prefix) < longest[familyOf(prefix)]);
  if (wide.length === 0) return undefined;
  const index = PrefixIndex.of(wide.map((prefix) => Prefix.fromCanonical(prefix)));
  return (prefix) => !prefixes.has(prefix) && index.longestMatch(Prefix.fromCanonical(prefix)) !== undefined;
}
