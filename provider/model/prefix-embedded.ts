import { Prefix } from "./prefix";
import { overlaps } from "./prefix-index";

/** Positions of the 32 bits of an IPv4 address in an IPv6 address: first bit and number of bits of each part. */
type Places = readonly (readonly [first: number, count: number])[];

const LAST: Places = [[96, 32]];

/** Ranges in which an IPv6 address stands for an IPv4 address that traffic of it reaches. */
const RANGES: readonly { readonly range: Prefix; readonly readings: readonly Places[] }[] = [
  // IPv4-compatible addresses (RFC 4291 section 2.5.5.1).
  { range: Prefix.parse("::/96"), readings: [LAST] },
  // The shortest that holds all IPv4-mapped addresses (RFC 4291 section 2.5.5.2), which are no prefix here by themselves.
  { range: Prefix.parse("::fffe:0:0/95"), readings: [] },
  // The well-known prefix of translators (RFC 6052 section 2.1).
  { range: Prefix.parse("64:ff9b::/96"), readings: [LAST] },
  // Local translators (RFC 8215): an operator takes any length of RFC 6052 section 2.2 that fits, so each reading counts.
  // Bits 64 to 71 are zero in these forms. They are not checked: an extra reading is the safe side.
  {
    range: Prefix.parse("64:ff9b:1::/48"),
    readings: [
      [
        [48, 16],
        [72, 16],
      ],
      [
        [56, 8],
        [72, 24],
      ],
      [[72, 32]],
      LAST,
    ],
  },
  // 6to4 (RFC 3056 section 2).
  { range: Prefix.parse("2002::/16"), readings: [[[16, 32]]] },
];
const ALL_IPV4 = Prefix.parse("0.0.0.0/0");
/** First 16 bits of the ranges: they rule out almost every prefix. */
const HEADS = new Set(RANGES.map(({ range }) => head(range)));

/**
 * IPv4 prefixes to which translators or tunnels carry the traffic of an IPv6 prefix: usually none. A prefix that contains a
 * whole range of them stands for all of IPv4.
 *
 * @example
 * ```ts
 * embeddedIpv4(Prefix.parse("64:ff9b::c000:200/120")).map(String);    // ["192.0.2.0/24"]
 * ```
 */
export function embeddedIpv4(prefix: Prefix): readonly Prefix[] {
  if (prefix.family === 4 || (prefix.length >= 16 && !HEADS.has(head(prefix)))) return NONE;
  const found = new Map<string, Prefix>();
  for (const { range, readings } of RANGES) {
    if (prefix.contains(range)) return [ALL_IPV4];
    if (!range.contains(prefix)) continue;
    for (const places of readings) {
      const ipv4 = read(prefix, places);
      found.set(ipv4.toString(), ipv4);
    }
  }
  return [...found.values()];
}

/**
 * Pairs of an entry and a protected prefix of which one contains the other. An IPv6 entry that stands for IPv4 prefixes
 * overlaps whatever these overlap.
 */
export function protectedOverlaps(
  entries: readonly Prefix[],
  kept: readonly Prefix[],
): [entry: Prefix, kept: Prefix][] {
  const pairs = overlaps(entries, kept);
  for (const entry of entries) {
    const embedded = embeddedIpv4(entry);
    if (embedded.length === 0) continue;
    for (const other of kept) if (embedded.some((ipv4) => ipv4.overlaps(other))) pairs.push([entry, other]);
  }
  return pairs;
}

const NONE: readonly Prefix[] = [];

function head({ bits }: Prefix): number {
  return Number(bits >> 112n);
}

function read({ bits, length }: Prefix, places: Places): Prefix {
  let [address, known] = [0n, 0];
  for (const [first, count] of places) {
    address = (address << BigInt(count)) | BigInt.asUintN(count, bits >> BigInt(128 - first - count));
    known += Math.min(count, Math.max(0, length - first));
  }
  const parts = [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n);
  return Prefix.parse(`${parts.join(".")}/${known}`);
}
