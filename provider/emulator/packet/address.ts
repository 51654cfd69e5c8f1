import { attempt } from "../../model/errors";
import { Prefix } from "../../model/prefix";

/** An IP address as numbers, for the packet path. */
export interface Address {
  readonly family: 4 | 6;
  readonly words: Words;
}

/** The 32 bits of each word as a signed integer. IPv4 uses the first only. */
export type Words = [number, number, number, number];

/**
 * Reads one address.
 *
 * @throws {PrefixError} if the text is not an address, for example a shorter prefix.
 * @example
 * ```ts
 * parseAddress("192.0.2.1").words[0] >>> 0;     // 3221225985
 * ```
 */
export function parseAddress(text: string): Address {
  const prefix = parse(text);
  const { family, words, length } = prefixWords(prefix);
  if (length !== (family === 4 ? 32 : 128)) {
    throw new TypeError(`"${text}" is a prefix of many addresses: write one address, as in "${prefix.address}".`);
  }
  return { family, words };
}

/** Appends a length to an IPv4 address: the canonical form is parsed much faster. Other texts are parsed for their errors. */
function parse(text: string): Prefix {
  return attempt(() => Prefix.parse(text.includes(":") ? text : `${text}/32`)) ?? Prefix.parse(text);
}

export function prefixWords(prefix: Prefix): Address & { readonly length: number } {
  const { family, bits, length } = prefix;
  if (family === 4) return { family, words: [Number(bits) | 0, 0, 0, 0], length };
  const word = (shift: bigint) => Number((bits >> shift) & 0xffffffffn) | 0;
  return { family, words: [word(96n), word(64n), word(32n), word(0n)], length };
}

export function wordsInUse(family: 4 | 6, words: Words): number[] {
  return words.slice(0, family === 4 ? 1 : 4);
}

/** `word` without the bits beyond a prefix of `length` bits; `first` is the word's first bit. */
export function maskWord(word: number, first: number, length: number): number {
  const kept = length - first;
  if (kept >= 32) return word;
  return kept <= 0 ? 0 : word & (-1 << (32 - kept));
}

/** The text of an address (RFC 5952), without a prefix length. */
export function formatAddress(family: 4 | 6, words: readonly number[]): string {
  const [w0 = 0] = words;
  // A list of marks has a million addresses: bigint arithmetic would take most of its time.
  if (family === 4) return `${w0 >>> 24}.${(w0 >>> 16) & 255}.${(w0 >>> 8) & 255}.${w0 & 255}`;
  return Prefix.formatAddress(
    family,
    words.reduce((bits, word) => (bits << 32n) | BigInt(word >>> 0), 0n),
  );
}

/** Forms of an address without its length. `hex` and `integer` are for IPv4; IPv6 stays a text. */
export type AddressForm = "text" | "integer" | "hex" | "octets";

/** Converts the text of an address into another form. */
export function addressIn(form: AddressForm, text: string): string | number | number[] {
  if (form === "text") return text;
  const { family, words } = parseAddress(text);
  const [w0] = words;
  if (form === "octets") {
    return wordsInUse(family, words).flatMap((word) => [24, 16, 8, 0].map((shift) => (word >>> shift) & 255));
  }
  if (family === 6) return text;
  return form === "integer" ? w0 >>> 0 : `0x${(w0 >>> 0).toString(16).padStart(8, "0")}`;
}
