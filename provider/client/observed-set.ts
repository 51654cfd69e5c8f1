import type { ListedValue } from "../model/entry-value";
import type { CanonicalPrefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import type { ListedEntry } from "../wire/prefix-set-list";

/** The content of a set as a node lists it, with the node's own spellings, which are needed to delete. */
export class ObservedSet {
  private constructor(
    /** Canonical prefix to value. */
    readonly values: ListedMap,
    private readonly spelled: ReadonlyMap<CanonicalPrefix, readonly string[]>,
  ) {}

  static of(list: Iterable<ListedEntry>): ObservedSet {
    const values = new Map<CanonicalPrefix, ListedValue>();
    const spelled = new Map<CanonicalPrefix, string[]>();
    for (const { prefix, value, spelling } of list) {
      const key = prefix.toString();
      const earlier = spelled.get(key) ?? (values.has(key) ? [key] : []);
      if (spelling !== key || earlier.length > 0) spelled.set(key, [...new Set([...earlier, spelling])]);
      values.set(key, value);
    }
    return new ObservedSet(values, spelled);
  }

  has(prefix: CanonicalPrefix): boolean {
    return this.values.has(prefix);
  }

  /** How the node wrote the prefix; the canonical text where it did not list it. */
  spellings(prefix: CanonicalPrefix): readonly string[] {
    return this.spelled.get(prefix) ?? [prefix];
  }
}
