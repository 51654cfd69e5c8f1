import type { EntriesLike } from "../entries";
import { PrefixTable } from "./table";

/** Number of addresses, by family. */
export interface AddressCount {
  /** IPv4 addresses, each counted once. */
  readonly ipv4: bigint;
  /** IPv6 addresses, each counted once. */
  readonly ipv6: bigint;
}

/**
 * Number of addresses that the entries cover; one that several entries cover counts once.
 *
 * @throws {TypeError} for an entry that is none.
 *
 * @example
 * ```ts
 * countAddresses(["192.0.2.0/24", "192.0.2.1", "2001:db8::/64"]);    // { ipv4: 256n, ipv6: 18446744073709551616n }
 * ```
 */
export function countAddresses(entries: EntriesLike): AddressCount {
  const [ipv4, ipv6] = PrefixTable.of(entries).map(covered);
  return { ipv4: ipv4 ?? 0n, ipv6: ipv6 ?? 0n };
}

function covered(table: PrefixTable): bigint {
  /** Number of outermost prefixes of each length. */
  const outermost = new Array<number>(table.bits + 1).fill(0);
  let outer = -1;
  for (let index = 0; index < table.size; index++) {
    if (outer >= 0 && table.contains(outer, index)) continue;
    outer = index;
    const length = table.length[index] as number;
    outermost[length] = (outermost[length] as number) + 1;
  }
  return outermost.reduce((sum, number, length) => sum + (BigInt(number) << BigInt(table.bits - length)), 0n);
}
