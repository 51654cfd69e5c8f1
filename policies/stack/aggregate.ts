import { addTo } from "../../provider/model/group";
import { Prefix } from "../../provider/model/prefix";
import type { Entry } from "../resources";
import { SHORTEST_BY_DEFAULT } from "../rules/prefix-length";

/** An entry that has no effect, since a wider one covers it. */
export interface Redundant {
  readonly prefix: Prefix;
  readonly coveredBy: Prefix;
}

/** A prefix that can replace several entries. */
export interface Aggregate {
  readonly aggregate: Prefix;
  readonly parts: readonly Prefix[];
}

/** Equal for entries with the same value, reason, ticket and expiry. `undefined`: not known yet. */
function likeness({ value, notes }: Entry): string | undefined {
  if (value === undefined || notes === undefined) return undefined;
  const { reason, ticket, expires } = notes;
  return (reason ?? ticket ?? expires) ? JSON.stringify([value, reason, ticket, expires]) : String(value);
}

/** Entries of a set that can be dropped or merged without changing the result of any look-up. */
export function reducible(entries: readonly Entry[]): { redundant: Redundant[]; aggregates: Aggregate[] } {
  const sorted = entries.map((entry) => ({ prefix: entry.prefix, like: likeness(entry) }));
  sorted.sort((a, b) => Prefix.compare(a.prefix, b.prefix));

  const redundant: Redundant[] = [];
  const groups = new Map<string, Prefix[]>();
  const taken = new Set<string>();
  // Sorted entries follow those that cover them: the stack holds the chain that covers the current one.
  const chain: typeof sorted = [];
  for (const entry of sorted) {
    while (chain.length > 0 && !(chain.at(-1) as (typeof sorted)[number]).prefix.contains(entry.prefix)) chain.pop();
    const cover = chain.at(-1);
    chain.push(entry);
    taken.add(entry.prefix.toString());
    if (entry.like === undefined) continue;
    // Only the nearest cover counts: a longest-prefix match finds its value.
    if (cover && cover.like === entry.like) {
      if (!cover.prefix.equals(entry.prefix)) redundant.push({ prefix: entry.prefix, coveredBy: cover.prefix });
      continue;
    }
    addTo(groups, entry.like, entry.prefix);
  }
  return { redundant, aggregates: [...groups.values()].flatMap((group) => merge(group, taken)) };
}

/**
 * Joins the two halves of a prefix repeatedly. The prefixes are sorted, so the upper half follows the lower one, or the
 * prefix into which the lower one was joined.
 */
function merge(sorted: readonly Prefix[], taken: ReadonlySet<string>): Aggregate[] {
  const done: Aggregate[] = [];
  for (const prefix of sorted) {
    // An entry of another value lies between them, so it must not be joined with what follows the shorter one.
    if (done.at(-1)?.aggregate.contains(prefix)) continue;
    done.push({ aggregate: prefix, parts: [prefix] });
    for (let joined = join(done.at(-2), done.at(-1), taken); joined; joined = join(done.at(-2), done.at(-1), taken)) {
      done.splice(-2, 2, joined);
    }
  }
  return done.filter(({ parts }) => parts.length > 1);
}

function join(
  lower: Aggregate | undefined,
  upper: Aggregate | undefined,
  taken: ReadonlySet<string>,
): Aggregate | undefined {
  if (!lower || !upper) return undefined;
  const [a, b] = [lower.aggregate, upper.aggregate];
  if (a.length !== b.length || a.family !== b.family || (a.bits ^ b.bits) !== b.size) return undefined;
  // The policy of lengths would refuse it.
  if (a.length <= SHORTEST_BY_DEFAULT[`ipv${a.family}`]) return undefined;
  const aggregate = a.truncate(a.length - 1);
  // A prefix that is itself an entry has another value, hidden by its two halves, and cannot replace them.
  if (!aggregate.contains(b) || taken.has(aggregate.toString())) return undefined;
  return { aggregate, parts: [...lower.parts, ...upper.parts] };
}
