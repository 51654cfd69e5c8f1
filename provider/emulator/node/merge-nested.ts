import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { PrefixIndex } from "../../model/prefix-index";
import { type OrderedPrefixes, sorted } from "../../model/prefix-map";

/**
 * A set as a node lists it that keeps no nested prefixes: what a longer match of equal value covers is left out, and two
 * halves of equal value are one prefix. Look-ups give the same result in both.
 */
export function mergeNested(entries: OrderedPrefixes): OrderedPrefixes {
  const result = withoutCovered(entries);
  for (let length = 128; length > 0; length -= 1) {
    const children = [...result.keys()].map((text) => Prefix.fromCanonical(text)).filter((it) => it.length === length);
    for (const [parent, pair] of groupByParent(children)) {
      const [first, second] = pair.map((prefix) => prefix.toString());
      const value = first && result.get(first);
      if (!first || !second || value === undefined || result.has(parent) || result.get(second) !== value) continue;
      result.delete(first);
      result.delete(second);
      result.set(parent, value);
    }
  }
  return sorted(withoutCovered(result));
}

function groupByParent(children: readonly Prefix[]): Map<CanonicalPrefix, Prefix[]> {
  const groups = new Map<CanonicalPrefix, Prefix[]>();
  for (const child of children) {
    const parent = child.truncate(child.length - 1).toString();
    groups.set(parent, [...(groups.get(parent) ?? []), child]);
  }
  return groups;
}

function withoutCovered(entries: Iterable<OrderedPrefixes[number]>): Map<CanonicalPrefix, number> {
  const index = new PrefixIndex<{ prefix: Prefix; value: number }>();
  const parsed = [...entries].map(([text, value]) => ({ prefix: Prefix.fromCanonical(text), value }));
  for (const entry of parsed) index.set(entry.prefix, entry);
  const kept = parsed.filter(({ prefix, value }) => {
    const [, cover] = [...index.covering(prefix)];
    return cover?.value !== value;
  });
  return new Map(kept.map(({ prefix, value }) => [prefix.toString(), value]));
}
