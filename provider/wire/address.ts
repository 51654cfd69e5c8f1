import { isIPv6 } from "node:net";
import { Prefix, PrefixError } from "../model/prefix";

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const PLAIN_IPV4 = new RegExp(`^${OCTET}\\.${OCTET}\\.${OCTET}\\.${OCTET}$`);

/** Lower-case groups without leading zeros; no dots, no zone. */
const LEAN_IPV6 = /^(?!.*(?:^|:)0[0-9a-f])[0-9a-f:]+$/;
/** Groups of zeros beside each other or beside "::" that are written out, and what may be an IPv4-mapped address. */
const LOOSE_IPV6 = /(?:^|:)0(?::0)+(?:$|:)|(?:^|:)0::|::0(?:$|:)|^::ffff:/;

/** True for most IPv6 texts that need no work (RFC 5952, section 4); false says nothing. */
function isPlainIpv6(text: string): boolean {
  if (!LEAN_IPV6.test(text) || LOOSE_IPV6.test(text) || !isIPv6(text)) return false;
  return !text.includes("::") || text.split(":").filter(Boolean).length <= 6;
}

/**
 * The canonical text of one address without a length: marks have no masks (docs/contract.md#terms), so `/32` and `/128` say
 * nothing. `undefined` for anything else. Most addresses are canonical as they come, which is seen without parsing.
 */
export function readAddress(text: string): string | undefined {
  if (PLAIN_IPV4.test(text) || isPlainIpv6(text)) return text;
  try {
    const prefix = Prefix.parse(text);
    return prefix.size === 1n ? prefix.address : undefined;
  } catch (error) {
    if (error instanceof PrefixError) return undefined;
    throw error;
  }
}
