/**
 * Address blocks with a special purpose (RFC 6890, updated by RFC 8190), as IANA registers them, and the two
 * multicast blocks, which bogon lists hold as well but which have registries of their own.
 *
 * To update: compare with the two registries at iana.org, change the rows, and set {@link REGISTRY_DATE}.
 */

/** "Last Updated" of the two special-purpose registries whose rows these are. */
export const REGISTRY_DATE = "2025-10-09";

/** One row of a registry. */
export interface SpecialPurposeBlock {
  /** The block, in canonical form. */
  readonly block: string;
  /** The name in the registry, unchanged. */
  readonly name: string;
  /** Document that defines the block, as the registry cites it. */
  readonly reference: string;
  /** The column "Globally Reachable"; `false` also where the registry says "N/A" or the row is terminated. */
  readonly global: boolean;
  /** The registry that lists it. */
  readonly registry: string;
}

const IPV4 = "IANA IPv4 Special-Purpose Address Registry";
const IPV6 = "IANA IPv6 Special-Purpose Address Registry";
const IPV4_MULTICAST = "IANA IPv4 Multicast Address Space Registry";
const IPV6_MULTICAST = "IANA IPv6 Multicast Address Space Registry";

type Row = readonly [block: string, name: string, reference: string, reach: "local" | "global"];

const IPV4_ROWS: readonly Row[] = [
  ["0.0.0.0/8", '"This network"', "RFC 791", "local"],
  ["0.0.0.0/32", '"This host on this network"', "RFC 1122", "local"],
  ["10.0.0.0/8", "Private-Use", "RFC 1918", "local"],
  ["100.64.0.0/10", "Shared Address Space", "RFC 6598", "local"],
  ["127.0.0.0/8", "Loopback", "RFC 1122", "local"],
  ["169.254.0.0/16", "Link Local", "RFC 3927", "local"],
  ["172.16.0.0/12", "Private-Use", "RFC 1918", "local"],
  ["192.0.0.0/24", "IETF Protocol Assignments", "RFC 6890", "local"],
  ["192.0.0.0/29", "IPv4 Service Continuity Prefix", "RFC 7335", "local"],
  ["192.0.0.8/32", "IPv4 dummy address", "RFC 7600", "local"],
  ["192.0.0.9/32", "Port Control Protocol Anycast", "RFC 7723", "global"],
  ["192.0.0.10/32", "Traversal Using Relays around NAT Anycast", "RFC 8155", "global"],
  ["192.0.0.170/32", "NAT64/DNS64 Discovery", "RFC 8880", "local"],
  ["192.0.0.171/32", "NAT64/DNS64 Discovery", "RFC 8880", "local"],
  ["192.0.2.0/24", "Documentation (TEST-NET-1)", "RFC 5737", "local"],
  ["192.31.196.0/24", "AS112-v4", "RFC 7535", "global"],
  ["192.52.193.0/24", "AMT", "RFC 7450", "global"],
  ["192.88.99.0/24", "Deprecated (6to4 Relay Anycast)", "RFC 7526", "local"],
  ["192.88.99.2/32", "6a44-relay anycast address", "RFC 6751", "local"],
  ["192.168.0.0/16", "Private-Use", "RFC 1918", "local"],
  ["192.175.48.0/24", "Direct Delegation AS112 Service", "RFC 7534", "global"],
  ["198.18.0.0/15", "Benchmarking", "RFC 2544", "local"],
  ["198.51.100.0/24", "Documentation (TEST-NET-2)", "RFC 5737", "local"],
  ["203.0.113.0/24", "Documentation (TEST-NET-3)", "RFC 5737", "local"],
  ["240.0.0.0/4", "Reserved", "RFC 1112", "local"],
  ["255.255.255.255/32", "Limited Broadcast", "RFC 8190", "local"],
];

// ::ffff:0:0/96 (IPv4-mapped Address, RFC 4291) is a row of the registry too; it is not listed because the resources
// refuse such a prefix before a policy sees it.
const IPV6_ROWS: readonly Row[] = [
  ["::1/128", "Loopback Address", "RFC 4291", "local"],
  ["::/128", "Unspecified Address", "RFC 4291", "local"],
  ["64:ff9b::/96", "IPv4-IPv6 Translat.", "RFC 6052", "global"],
  ["64:ff9b:1::/48", "IPv4-IPv6 Translat.", "RFC 8215", "local"],
  ["100::/64", "Discard-Only Address Block", "RFC 6666", "local"],
  ["100:0:0:1::/64", "Dummy IPv6 Prefix", "RFC 9780", "local"],
  ["2001::/23", "IETF Protocol Assignments", "RFC 2928", "local"],
  ["2001::/32", "TEREDO", "RFC 4380", "local"],
  ["2001:1::1/128", "Port Control Protocol Anycast", "RFC 7723", "global"],
  ["2001:1::2/128", "Traversal Using Relays around NAT Anycast", "RFC 8155", "global"],
  ["2001:1::3/128", "DNS-SD Service Registration Protocol Anycast", "RFC 9665", "global"],
  ["2001:2::/48", "Benchmarking", "RFC 5180", "local"],
  ["2001:3::/32", "AMT", "RFC 7450", "global"],
  ["2001:4:112::/48", "AS112-v6", "RFC 7535", "global"],
  ["2001:10::/28", "Deprecated (previously ORCHID)", "RFC 4843", "local"],
  ["2001:20::/28", "ORCHIDv2", "RFC 7343", "global"],
  ["2001:30::/28", "Drone Remote ID Protocol Entity Tags (DETs) Prefix", "RFC 9374", "global"],
  ["2001:db8::/32", "Documentation", "RFC 3849", "local"],
  ["2002::/16", "6to4", "RFC 3056", "local"],
  ["2620:4f:8000::/48", "Direct Delegation AS112 Service", "RFC 7534", "global"],
  ["3fff::/20", "Documentation", "RFC 9637", "local"],
  ["5f00::/16", "Segment Routing (SRv6) SIDs", "RFC 9602", "local"],
  ["fc00::/7", "Unique-Local", "RFC 4193", "local"],
  ["fe80::/10", "Link-Local Unicast", "RFC 4291", "local"],
];

/** All rows, IPv4 before IPv6. */
export const SPECIAL_PURPOSE_BLOCKS: readonly SpecialPurposeBlock[] = [
  ...IPV4_ROWS.map((row) => toBlock(row, IPV4)),
  toBlock(["224.0.0.0/4", "Multicast", "RFC 5771", "local"], IPV4_MULTICAST),
  ...IPV6_ROWS.map((row) => toBlock(row, IPV6)),
  toBlock(["ff00::/8", "Multicast", "RFC 4291", "local"], IPV6_MULTICAST),
];

function toBlock([block, name, reference, reach]: Row, registry: string): SpecialPurposeBlock {
  return { block, name, reference, global: reach === "global", registry };
}
