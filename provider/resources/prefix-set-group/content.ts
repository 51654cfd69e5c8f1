import { z } from "zod";
import type { ListedValue } from "../../model/entry";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { type ListedMap, madeOnce } from "../../model/prefix-map";
import { listedValue } from "../../reconcile/arguments";

export { differing, overridden } from "../../model/group-content";

/** Differences of a node from its declared entries: the value that it holds, or `null` for a missing entry. */
export type Differences = ReadonlyMap<CanonicalPrefix, ListedValue | null>;

export const differencesOf = madeOnce((entries: ListedMap, held: ListedMap): Differences => {
  const differences = new Map<CanonicalPrefix, ListedValue | null>();
  if (entries === held) return differences;
  for (const [prefix, value] of entries) {
    const found = held.get(prefix);
    if (found !== value) differences.set(prefix, found ?? null);
  }
  if (held.size + differences.size === entries.size) return differences;
  for (const [prefix, value] of held) if (!entries.has(prefix)) differences.set(prefix, value);
  return differences;
});

const differsSchema = z.record(z.string(), z.record(z.string(), listedValue.nullable()));

/** Differences by node. @throws {z.ZodError} */
export function readDiffers(differs: unknown): Map<string, Differences> {
  const found = differsSchema.parse(differs ?? {});
  const mapOf = (one: Readonly<Record<string, ListedValue | null>>) =>
    new Map(Object.entries(one).map(([prefix, value]) => [Prefix.canonical(prefix), value]));
  return new Map(Object.entries(found).map(([node, differences]) => [node, mapOf(differences)]));
}
