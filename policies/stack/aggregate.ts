import { Prefix } from "../../provider/model/prefix";
import type { Entry } from "../resources";

/** An entry that adds nothing to one that covers it. */
export interface Redundant {
  readonly prefix: Prefix;
  readonly coveredBy: Prefix;
}

/** A prefix that could stand for several entries. */
export interface Aggregate {
  readonly aggregate: Prefix;
  readonly parts: readonly Prefix[];
}

/** Entries that may stand for one another: equal value, reason, ticket and expiry. `undefined`: not known yet. */
function likeness({ value, notes }: Entry): string | undefined {
  if (value === undefined || notes === undefined) return undefined;
  return JSON.stringify([value, notes.reason, notes.ticket, notes.expires]);
}

/** What of a set could be left out or written shorter without changing any look-up. */
export function reducible(entries: readonly Entry[]): { redundant: Redundant[]; aggregates: Aggregate[] } {
  const sorted = entries.map((entry) => ({ prefix: entry.prefix, like: likeness(entry) }));
  sorted.sort((a, b) => Prefix.compare(a.prefix, b.prefix));

  const redundant: Redundant[] = [];
  const groups = new Map<string, Prefix[]>();
  const taken = new Set<string>();
  // Sorted entries come after those that cover them: the stack holds the chain that covers the current one.
  const chain: typeof sorted = [];
  for (const entry of sorted) {
    while (chain.length > 0 && !(chain.at(-1) as (typeof sorted)[number]).prefix.contains(entry.prefix)) chain.pop();
    const cover = chain.at(-1);
    chain.push(entry);
    taken.add(entry.prefix.toString());
    if (entry.like === undefined) continue;
    // Only the nearest cover matters: a longest-prefix match beyond it would give another value.
    if (cover && cover.like === entry.like) {
      if (!cover.prefix.equals(entry.prefix)) redundant.push({ prefix: entry.prefix, coveredBy: cover.prefix });
      continue;
    }
    const group = groups.get(entry.like);
    if (group) group.push(entry.prefix);
    else groups.set(entry.like, [entry.prefix]);
  }
  return { redundant, aggregates: [...groups.values()].flatMap((group) => merge(group, taken)) };
}

/** Joins the two halves of a prefix, the longest prefixes first, until nothing can be joined. */
function merge(group: readonly Prefix[], taken: ReadonlySet<string>): Aggregate[] {
  const joined: Aggregate[] = [];
  for (const [family, total] of [
    [4, 32],
    [6, 128],
  ] as const) {
    let level = new Map<bigint, Aggregate>();
    const given = byLength(group, family);
    for (let length = total; length > 0; length--) {
      for (const prefix of given.get(length) ?? []) level.set(prefix.bits, { aggregate: prefix, parts: [prefix] });
      const next = new Map<bigint, Aggregate>();
      const half = 1n << BigInt(total - length);
      for (const [bits, lower] of level) {
        const upper = (bits & half) === 0n ? level.get(bits | half) : undefined;
        if (!upper) continue;
        const aggregate = lower.aggregate.truncate(length - 1);
        // A parent that is an entry itself has another value, which the halves hide: it cannot stand for them as well.
        if (taken.has(aggregate.toString())) continue;
        level.delete(bits);
        level.delete(bits | half);
        next.set(bits, { aggregate, parts: [...lower.parts, ...upper.parts] });
      }
      for (const rest of level.values()) if (rest.parts.length > 1) joined.push(rest);
      level = next;
    }
    joined.push(...level.values());
  }
  return joined;
}

function byLength(prefixes: readonly Prefix[], family: 4 | 6): Map<number, Prefix[]> {
  const lengths = new Map<number, Prefix[]>();
  for (const prefix of prefixes) {
    if (prefix.family !== family) continue;
    const same = lengths.get(prefix.length);
    if (same) same.push(prefix);
    else lengths.set(prefix.length, [prefix]);
  }
  return lengths;
}
