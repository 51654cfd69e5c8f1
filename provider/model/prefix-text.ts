import ipaddr from "ipaddr.js";
import { PacketFilterError } from "./errors";

/** The canonical text of a prefix, as `Prefix.toString` makes it: `192.0.2.0/24`, `2001:db8::/32`, `192.0.2.1/32`. */
export type CanonicalPrefix = string & { readonly __canonical: "prefix" };

/** Treatment of bits that are set behind the prefix length. */
export type HostBits = "reject" | "mask";

/** Reason why a text is not a prefix. `host-bits` comes with a correction, and so does `mapped`, except with a length of neither family. */
export type PrefixProblem =
  | "blank"
  | "range"
  | "zone"
  | "mapped"
  | "leading-zero"
  | "ipv4-parts"
  | "address"
  | "length"
  | "host-bits";

/**
 * Thrown by `Prefix.parse` when a text is not a prefix in the sense of this package.
 * `message` is a sentence that quotes the text and says how to write it.
 *
 * @example
 * ```ts
 * try {
 *   Prefix.parse("192.0.2.1/24");
 * } catch (error) {
 *   if (error instanceof PrefixError) console.log(error.problem);   // "host-bits"
 * }
 * ```
 */
export class PrefixError extends PacketFilterError {
  override readonly name = "PrefixError";

  constructor(
    /** The reason as a word that programs can switch on. */
    readonly problem: PrefixProblem,
    /** The text as it was given. */
    readonly spelling: string,
    message: string,
    /** The prefix that was probably meant; only with `host-bits` and `mapped`. */
    readonly corrected?: string,
  ) {
    super(message, "invalid-prefix");
  }
}

/** The length of an address. */
export const BITS = { 4: 32, 6: 128 } as const;
const MAX_SPELLING = 64;
/** The 96 bits that IPv4-mapped addresses begin with: `::ffff:0:0/96` (RFC 4291 section 2.5.5.2). */
const MAPPED = 0xffffn;
/** Characters of addresses and lengths, and the separators of ranges and lists. */
const RANGE = { letters: /^[0-9a-f.:/,;-]+$/i, address: /[.:]/, between: /[-,;]/ };
const SIGNED_LENGTH = /^[^-,;]*\/-\d*$/;

/** Network of a text, without host bits. */
interface Network {
  readonly family: 4 | 6;
  readonly bits: bigint;
  readonly length: number;
}

/** Reads any spelling of a prefix or a bare address. @throws {PrefixError} on anything else */
export function readPrefixText(spelling: string, hostBits: HostBits = "reject"): Network {
  const [addressText, lengthText] = split(spelling);
  const family = addressText.includes(":") ? 6 : 4;
  const bits = family === 4 ? parseV4(addressText, spelling) : parseV6(addressText, spelling);
  const length = lengthText === undefined ? BITS[family] : parseLength(lengthText, family, spelling);
  if (family === 6 && bits >> 32n === MAPPED) throw mapped(spelling, bits, length);
  const network = mask(bits, family, length);
  if (network !== bits && hostBits !== "mask") {
    const corrected = format(family, network, length);
    const address = `"${addressText}/${BITS[family]}" for the one address`;
    const sentence = `has host bits set: write "${corrected}" for the whole prefix, or ${address}`;
    throw refusal("host-bits", spelling, sentence, corrected);
  }
  return { family, bits: network, length };
}

/** @param length Counted with the 96 bits that are not IPv4's, or mistaken for that of the IPv4 prefix. */
function mapped(spelling: string, bits: bigint, length: number): PrefixError {
  const own = length >= 96 ? length - 96 : length;
  const corrected = own > 32 ? undefined : format(4, mask(BigInt.asUintN(32, bits), 4, own), own);
  const remedy = corrected === undefined ? "the IPv4 prefix" : `"${corrected}"`;
  const sentence = `is an IPv4-mapped IPv6 prefix, which no packet has: write ${remedy}`;
  return refusal("mapped", spelling, sentence, corrected);
}

function split(spelling: string): [address: string, length: string | undefined] {
  if (/\s/.test(spelling) || spelling === "") {
    const remedy = spelling.trim() === "" ? "give an address or a prefix" : "remove the blanks";
    throw refusal("blank", spelling, `is not a prefix: ${remedy}`);
  }
  if (spelling.includes("%")) {
    throw refusal("zone", spelling, 'has a zone id, which means nothing on another machine: write it without "%…"');
  }
  if (Object.values(RANGE).every((part) => part.test(spelling)) && !SIGNED_LENGTH.test(spelling)) {
    throw refusal("range", spelling, "looks like a range or a list: write each prefix in CIDR form");
  }
  if (spelling.length > MAX_SPELLING) {
    throw refusal("address", spelling, "is too long for an address or a prefix");
  }
  const slash = spelling.indexOf("/");
  return slash < 0 ? [spelling, undefined] : [spelling.slice(0, slash), spelling.slice(slash + 1)];
}

function parseV4(text: string, spelling: string): bigint {
  if (!/^[0-9.]+$/.test(text)) throw notAnAddress(spelling);
  const parts = text.split(".");
  if (parts.length !== 4) {
    const sentence = "is not four decimal numbers: write an IPv4 address in full, as in 192.0.2.0/24";
    throw refusal("ipv4-parts", spelling, sentence);
  }
  if (parts.some((part) => part.length > 1 && part.startsWith("0"))) {
    const sentence = "has a leading zero, which some systems read as octal: write the decimal number without it";
    throw refusal("leading-zero", spelling, sentence);
  }
  if (!ipaddr.IPv4.isValidFourPartDecimal(text)) throw notAnAddress(spelling);
  return BigInt(parts.reduce((number, part) => number * 256 + Number(part), 0));
}

function parseV6(text: string, spelling: string): bigint {
  if (text.includes(".") && !ipaddr.IPv6.isValid(text)) throw notAnAddress(spelling);
  const digits = withoutDots(text, spelling);
  try {
    return toNumber(ipaddr.IPv6.parse(digits).parts);
  } catch {
    throw notAnAddress(spelling);
  }
}

/** An IPv4 part in hexadecimal, by our own rules for IPv4: ipaddr.js reads `::192.0.2.1` as `::ffff:192.0.2.1`. */
function withoutDots(text: string, spelling: string): string {
  const end = text.lastIndexOf(":") + 1;
  const [start, dotted] = [text.slice(0, end), text.slice(end)];
  if (end === 0 || !dotted.includes(".")) return text;
  const bits = parseV4(dotted, spelling);
  return `${start}${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
}

function parseLength(text: string, family: 4 | 6, spelling: string): number {
  const length = /^(0|[1-9][0-9]{0,2})$/.test(text) ? Number(text) : Number.NaN;
  if (!(length <= BITS[family])) {
    const sentence = `has no valid prefix length: after "/" comes a decimal number from 0 to ${BITS[family]}`;
    throw refusal("length", spelling, sentence);
  }
  return length;
}

function notAnAddress(spelling: string): PrefixError {
  const sentence = "is not an IP address or prefix: write for example 192.0.2.0/24 or 2001:db8::/32";
  return refusal("address", spelling, sentence);
}

/** The number with all bits after a length set to 0. */
export function mask(bits: bigint, family: 4 | 6, length: number): bigint {
  const hostBits = BigInt(BITS[family] - length);
  return (bits >> hostBits) << hostBits;
}

/** The canonical text of a prefix. */
export function format(family: 4 | 6, bits: bigint, length: number): CanonicalPrefix {
  return `${formatAddress(family, bits)}/${length}` as CanonicalPrefix;
}

/** The text of an address. */
export function formatAddress(family: 4 | 6, bits: bigint): string {
  return formatWords(wordsOf(family, bits));
}

/** An address in words of 32 bits: one for IPv4, four for IPv6. */
export function wordsOf(family: 4 | 6, bits: bigint): number[] {
  if (family === 4) return [Number(bits)];
  return [96n, 64n, 32n, 0n].map((shift) => Number(BigInt.asUintN(32, bits >> shift)));
}

/** The text of an address in such words. IPv6 by RFC 5952: the longest run of zero groups, the first of equals, is `::`. */
export function formatWords(words: ArrayLike<number>): string {
  if (words.length === 1) {
    const number = words[0] as number;
    return `${number >>> 24}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;
  }
  let [run, runStart, best, bestStart] = [0, 0, 1, -1];
  for (let index = 0; index < 8; index++) {
    if (groupOf(words, index) !== 0) run = 0;
    else {
      if (run++ === 0) runStart = index;
      if (run > best) [best, bestStart] = [run, runStart];
    }
  }
  let text = "";
  for (let index = 0; index < 8; index++) {
    if (index === bestStart) {
      text += "::";
      index += best - 1;
    } else text += (text === "" || text.endsWith(":") ? "" : ":") + groupOf(words, index).toString(16);
  }
  return text;
}

function groupOf(words: ArrayLike<number>, index: number): number {
  const word = words[index >> 1] as number;
  return index & 1 ? word & 0xffff : word >>> 16;
}

/** The eight groups of an IPv6 address as one number. */
export function toNumber(groups: ArrayLike<number>): bigint {
  let bits = 0n;
  // Two groups at a time, since arithmetic on bigints is slow.
  for (let i = 0; i < 8; i += 2) {
    bits = (bits << 32n) | BigInt((groups[i] as number) * 0x10000 + (groups[i + 1] as number));
  }
  return bits;
}

/** @param sentence Rest of the sentence after the text, without the full stop. */
function refusal(problem: PrefixProblem, spelling: string, sentence: string, corrected?: string): PrefixError {
  const quoted = JSON.stringify(spelling.length > MAX_SPELLING ? `${spelling.slice(0, MAX_SPELLING)}…` : spelling);
  return new PrefixError(problem, spelling, `${quoted} ${sentence}.`, corrected);
}
