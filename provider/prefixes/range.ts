import { Prefix, PrefixError } from "../model/prefix";
import { BITS, wordsOf } from "../model/prefix-text";
import { formatPrefix } from "./address";

const RANGE = /^([^\s-]+)\s*-\s*([^\s-]+)$/;

/**
 * The fewest prefixes that cover exactly the addresses from `first` to `last`, both included, in order.
 * @throws {PrefixError} if one is not an address.
 * @throws {RangeError} with the remedy if they are not a range.
 */
export function rangeToPrefixes(first: string, last: string): string[] {
  const [from, to] = [address(first), address(last)];
  if (from.family !== to.family) {
    throw new RangeError(`"${first}-${last}" goes from one address family to the other: write one range for each.`);
  }
  if (from.bits > to.bits) {
    throw new RangeError(`"${first}-${last}" ends before it begins: write "${last}-${first}" if that is intended.`);
  }
  return split(from.family, from.bits, to.bits);
}

/** The two ends of `192.0.2.1-192.0.2.9`; `undefined` for any other text. */
export function rangeEnds(text: string): readonly [first: string, last: string] | undefined {
  const [, first, last] = RANGE.exec(text) ?? [];
  return first !== undefined && last !== undefined && looksLikeAddress(first) ? [first, last] : undefined;
}

/** True for text that may be an address. */
export function looksLikeAddress(text: string): boolean {
  return /^[0-9a-f]*[.:][0-9a-f.:/]*$/i.test(text);
}

function address(text: string): Prefix {
  if (text.includes("/")) {
    throw new PrefixError("range", text, `"${text}" has a prefix length: a range goes from one address to another.`);
  }
  return Prefix.parse(text);
}

/** Each step takes the largest prefix that begins here and does not go beyond the end. */
function split(family: 4 | 6, first: bigint, last: bigint): string[] {
  const found: string[] = [];
  for (let start = first; start <= last; ) {
    let size = 1n;
    let length: number = BITS[family];
    while (length > 0 && (start & size) === 0n && start + size * 2n - 1n <= last) {
      size *= 2n;
      length--;
    }
    found.push(formatPrefix(wordsOf(family, start), length));
    start += size;
  }
  return found;
}
