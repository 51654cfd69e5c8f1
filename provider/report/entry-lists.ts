import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { PrefixIndex } from "../model/prefix-index";
import { countAddresses } from "../prefixes/algebra/count";
import type { Addresses, EntryChange, EntryList, SetReport } from "./model";

/** Changes as a list: counted, and in the order of people who look for what does most: IPv4 before IPv6, wide before narrow. */
export function entryList(changes: readonly EntryChange[]): EntryList {
  const entries = changes
    .map((entry) => ({ entry, length: lengthOf(entry.prefix), key: Prefix.sortKey(entry.prefix as CanonicalPrefix) }))
    .sort(wider)
    .map(({ entry }) => entry);
  return { count: entries.length, addresses: addressesOf(entries.map(({ prefix }) => prefix)), entries };
}

/** Number of addresses that prefixes cover, each counted once. */
export function addressesOf(prefixes: readonly string[]): Addresses {
  const { ipv4, ipv6 } = countAddresses([...prefixes]);
  return { ipv4: String(ipv4), ipv6: String(ipv6) };
}

interface Sortable {
  readonly length: number;
  /** As {@link Prefix.sortKey}: a number for IPv4, a text for IPv6. */
  readonly key: number | string;
}

function wider(a: Sortable, b: Sortable): number {
  if (typeof a.key !== typeof b.key) return typeof a.key === "number" ? -1 : 1;
  return a.length - b.length || (a.key < b.key ? -1 : Number(a.key > b.key));
}

function lengthOf(prefix: string): number {
  return Number(prefix.slice(prefix.lastIndexOf("/") + 1));
}

/**
 * The report of a set with how many sources each of its changes covers. A source counts once for a list, and for every
 * prefix of it that covers the source.
 *
 * @param sources Addresses, each once.
 */
export function withCoverage(set: SetReport, sources: readonly Prefix[]): SetReport {
  return {
    ...set,
    in: covering(set.in, sources),
    out: covering(set.out, sources),
    changed: covering(set.changed, sources),
    marks: { sources: sources.length },
  };
}

function covering(list: EntryList, sources: readonly Prefix[]): EntryList {
  const index = new PrefixIndex<{ sources: number }>();
  const counted = list.entries.map((entry) => {
    const counter = { sources: 0 };
    index.set(Prefix.fromCanonical(entry.prefix as CanonicalPrefix), counter);
    return { entry, counter };
  });
  let marked = 0;
  for (const source of sources) {
    const covered = [...index.covering(source)];
    for (const counter of covered) counter.sources += 1;
    if (covered.length > 0) marked += 1;
  }
  return { ...list, marked, entries: counted.map(({ entry, counter }) => ({ ...entry, marked: counter.sources })) };
}
