/** Usual names of members in records of prefixes, in lower case. */

const joined = (names: string) => names.split(" ").flatMap((name) => [...new Set([name, name.replaceAll("_", "")])]);

/** Names of a prefix length or a netmask beside an address. */
export const LENGTH_NAMES: readonly string[] = joined(
  "mask net_mask subnet_mask len plen prefix_len prefix_length mask_len mask_length cidr_len net_len network_prefix_length length bits prefix_bits",
);

/** Names of the first address of a range. */
export const START_NAMES: readonly string[] = joined(
  "start from first begin range_start start_ip ip_start start_address first_ip first_address from_ip ip_from begin_ip network_start_ip",
);

/** Names of the last address of a range. */
export const END_NAMES: readonly string[] = joined(
  "end to last range_end end_ip ip_end end_address last_ip last_address to_ip ip_to network_last_ip network_end_ip",
);

/** Names of numbers that count, order or date, and are neither lengths nor values of entries. */
export const COUNTS =
  /^(n|no|nr|num|number|index|idx|pos|position|line|row|seq|hits?|count|counter|packets?|pkts|bytes|ports?|dport|sport|proto|timeout|expires|created|updated|modified|time|timestamp|ts|since|until|family|version)$|_(at|time|on|count|id)$/i;
