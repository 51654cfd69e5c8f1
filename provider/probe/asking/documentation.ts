import { Prefix } from "../../model/prefix";

/** Prefixes that no network uses, by RFC 5737 and RFC 3849: nothing else is ever written. */
const DOCUMENTATION: readonly Prefix[] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"].map(
  (text) => Prefix.parse(text),
);

/** True for a prefix that a probe may have written, as a node may show it: masked, kept or merged. */
export function isDocumentation(prefix: Prefix): boolean {
  return DOCUMENTATION.some((block) => block.contains(prefix));
}

/** As a probe spells what it writes, with host bits or a length that is none. */
const SPELLED =
  /^(?:(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}(?:\/(?:2[4-9]|3\d))?|2001:db8:[\da-f:]*(?:\/(?:3[2-9]|[4-9]\d|1[0-2]\d))?)$/i;

/** True for a text that a probe may have inserted. */
export function isSpelledDocumentation(text: string): boolean {
  return SPELLED.test(text);
}

/** Documentation prefixes with what lies beside each: a node that merges neighbours makes one of both. */
const NEARBY = DOCUMENTATION.map((block) => block.truncate(block.length - 1));

/** True for a prefix that a write of documentation prefixes might remove or merge. */
export function isNearDocumentation(prefix: Prefix): boolean {
  return NEARBY.some((block) => block.contains(prefix));
}

/**
 * Single addresses, no two of which are halves of one prefix: a node that merges neighbours leaves them apart.
 *
 * @param number At most 384.
 */
export function singles(number: number): string[] {
  const blocks = ["203.0.113", "198.51.100", "192.0.2"];
  return Array.from({ length: number }, (_, at) => `${blocks[Math.floor(at / 128)]}.${(at % 128) * 2}/32`);
}
