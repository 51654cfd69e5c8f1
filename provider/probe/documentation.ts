import { Prefix } from "../model/prefix";
import { prefixIn } from "../model/readable";
import { addressText } from "../wire/places";

/** Prefixes reserved for documentation by RFC 5737 and RFC 3849: a probe writes no others. */
const DOCUMENTATION: readonly Prefix[] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"].map(
  (text) => Prefix.parse(text),
);

/** True for a prefix that a probe may have written, also masked or merged by the node. */
export function isDocumentation(prefix: Prefix): boolean {
  return DOCUMENTATION.some((block) => block.contains(prefix));
}

/** The documentation prefix that a word of a list spells, also with padded octets. */
export function documentationIn(word: string): Prefix | undefined {
  const parts = word.split(/([./])/).map((part) => (/^0\d{1,2}$/.test(part) ? String(Number(part)) : part));
  const prefix = prefixIn(parts.join(""), { hostBits: "mask" });
  return prefix && isDocumentation(prefix) ? prefix : undefined;
}

/** Spellings that a probe writes, with host bits and wrong lengths among them. */
const SPELLED =
  /^(?:(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}(?:\/(?:2[4-9]|3\d))?|2001:db8:[\da-f:]*(?:\/(?:3[2-9]|[4-9]\d|1[0-2]\d))?)$/i;

/** True for a text that a probe may have inserted. */
export function isSpelledDocumentation(text: string): boolean {
  return SPELLED.test(text);
}

/** Documentation prefixes in any text: padded or separate octets, hexadecimal digits, and IPv6 with or without zeros. */
const TRACES = [
  /(?<!\d)(?:192\D{1,3}0{1,3}\D{1,3}0{0,2}2|198\D{1,3}0?51\D{1,3}100|203\D{1,3}0{1,3}\D{1,3}113)(?!\d)/,
  /c00002|c63364|cb0071/i,
  /2001:?0?db8/i,
];

/** True for a text that contains a documentation prefix, also in a spelling that no reader knows. */
export function tracesDocumentation(text: string): boolean {
  if (TRACES.some((trace) => trace.test(text))) return true;
  return (text.match(/\d{10}/g) ?? []).some((digits) => {
    const address = addressText(Number(digits));
    return address !== undefined && isDocumentation(Prefix.parse(address));
  });
}

/** Documentation prefixes with their neighbours, with which a node may merge them. */
const NEARBY = DOCUMENTATION.map((block) => block.truncate(block.length - 1));

/** True for a prefix that a write of documentation prefixes might remove or merge. */
export function isNearDocumentation(prefix: Prefix): boolean {
  return NEARBY.some((block) => block.overlaps(prefix));
}

/** Most of {@link singles}. */
const SINGLES = 384;

/** Single addresses, at most 384, and then IPv6 networks if the node takes such; without neighbours, which a node might merge. */
export function separate(number: number, hasIpv6: boolean): string[] {
  const length = hasIpv6 ? Math.max(0, number - SINGLES) : 0;
  const networks = Array.from({ length }, (_, at) => `2001:db8:${(2 * at + 2).toString(16)}::/48`);
  return [...singles(Math.min(number, SINGLES)), ...networks];
}

/**
 * Single addresses without neighbours among them, which no node can merge.
 *
 * @param number At most 384.
 */
export function singles(number: number): string[] {
  const blocks = ["203.0.113", "198.51.100", "192.0.2"];
  return Array.from({ length: number }, (_, at) => `${blocks[Math.floor(at / 128)]}.${(at % 128) * 2}/32`);
}
