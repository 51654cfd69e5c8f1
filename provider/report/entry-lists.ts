import type { CanonicalPrefix } from "../model/prefix";
import { Prefix } from "../model/prefix";
import { countAddresses } from "../prefixes/algebra/count";
import type { Addresses, EntryChange, EntryList } from "./model";

/** Changes as a list: counted, and in the order of people who look for what does most: IPv4 before IPv6, wide before narrow. */
export function entryList(changes: readonly EntryChange[]): EntryList {
  const entries = changes
    .map((entry) => ({ entry, prefix: Prefix.fromCanonical(entry.prefix as CanonicalPrefix) }))
    .sort((a, b) => wider(a.prefix, b.prefix))
    .map(({ entry }) => entry);
  return { count: entries.length, addresses: addressesOf(entries.map(({ prefix }) => prefix)), entries };
}

/** How many addresses prefixes cover, each counted once. */
export function addressesOf(prefixes: readonly string[]): Addresses {
  const { ipv4, ipv6 } = countAddresses([...prefixes]);
  return { ipv4: String(ipv4), ipv6: String(ipv6) };
}

function wider(a: Prefix, b: Prefix): number {
  return a.family - b.family || a.length - b.length || Prefix.compare(a, b);
}
