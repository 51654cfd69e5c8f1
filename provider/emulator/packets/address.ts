import { Prefix } from "../../model/prefix";

/**
 * An IP address as numbers: what the packet path works with instead of text.
 * Words are signed 32-bit integers, because those stay unboxed in V8; IPv4 uses `w0` only. Functions that run for every
 * packet or record take the words one by one: a packet's are members of its view, and an object for each look-up would cost
 * more than the look-up.
 */
export interface Words {
  readonly family: 4 | 6;
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
}

/**
 * Reads one address.
 *
 * @throws {PrefixError} when the text is not an address; a prefix shorter than the whole address is not one.
 * @example
 * ```ts
 * parseAddress("192.0.2.1").w0 >>> 0;     // 3221225985
 * ```
 */
export function parseAddress(text: string): Words {
  const bits = parseDecimal(text);
  if (bits !== undefined) return { family: 4, w0: bits, w1: 0, w2: 0, w3: 0 };
  const prefix = Prefix.parse(text);
  const { family, w0, w1, w2, w3, length } = prefixWords(prefix);
  if (length !== (family === 4 ? 32 : 128)) {
    throw new TypeError(`"${text}" is a prefix of many addresses: write one address, as in "${prefix.address}".`);
  }
  return { family, w0, w1, w2, w3 };
}

/** The first address of a prefix as words, and the prefix length. */
export function prefixWords(prefix: Prefix): Words & { readonly length: number } {
  const { family, bits, length } = prefix;
  if (family === 4) return { family, w0: Number(bits) | 0, w1: 0, w2: 0, w3: 0, length };
  const word = (shift: bigint) => Number((bits >> shift) & 0xffffffffn) | 0;
  return { family, w0: word(96n), w1: word(64n), w2: word(32n), w3: word(0n), length };
}

/** `word` with all bits cleared that lie to the right of a prefix of `length` bits; `first` is the word's first bit. */
export function maskWord(word: number, first: number, length: number): number {
  const kept = length - first;
  if (kept >= 32) return word;
  return kept <= 0 ? 0 : word & (-1 << (32 - kept));
}

const scratch = Buffer.alloc(40);

/** The text of an address (RFC 5952), without a prefix length. */
export function formatAddress(family: 4 | 6, w0: number, w1 = 0, w2 = 0, w3 = 0): string {
  const end = family === 4 ? writeAddress4(scratch, 0, w0) : writeAddress6(scratch, 0, w0, w1, w2, w3);
  return scratch.toString("latin1", 0, end);
}

/** Each octet as text: four bytes a row, the number of digits and then the digits. */
const OCTETS = new Uint8Array(256 * 4);
for (let octet = 0; octet < 256; octet++) {
  const digits = Buffer.from(String(octet), "latin1");
  OCTETS[octet * 4] = digits.length;
  OCTETS.set(digits, octet * 4 + 1);
}

function writeOctet(out: Uint8Array, at: number, octet: number): number {
  const row = octet << 2;
  const digits = OCTETS[row] as number;
  out[at] = OCTETS[row + 1] as number;
  if (digits > 1) out[at + 1] = OCTETS[row + 2] as number;
  if (digits > 2) out[at + 2] = OCTETS[row + 3] as number;
  return at + digits;
}

/** Writes an IPv4 address in dotted decimal at `at` and returns the position after it (15 bytes at most). */
export function writeAddress4(out: Uint8Array, at: number, word: number): number {
  let end = writeOctet(out, at, word >>> 24);
  out[end++] = 0x2e;
  end = writeOctet(out, end, (word >>> 16) & 255);
  out[end++] = 0x2e;
  end = writeOctet(out, end, (word >>> 8) & 255);
  out[end++] = 0x2e;
  return writeOctet(out, end, word & 255);
}

const groups = new Int32Array(8);

/** Writes an IPv6 address as RFC 5952 wants it at `at` and returns the position after it (39 bytes at most). */
export function writeAddress6(out: Uint8Array, at: number, w0: number, w1: number, w2: number, w3: number): number {
  splitGroups(0, w0);
  splitGroups(2, w1);
  splitGroups(4, w2);
  splitGroups(6, w3);
  let runStart = -1;
  let runLength = 1; // RFC 5952, 4.2.2: a single group of zeros is not shortened
  for (let group = 0; group < 8; group++) {
    let end = group;
    while (end < 8 && groups[end] === 0) end++;
    if (end - group > runLength) {
      runStart = group;
      runLength = end - group;
    }
    if (end > group) group = end;
  }
  let end = at;
  for (let group = 0; group < 8; group++) {
    if (group === runStart) {
      out[end++] = 0x3a;
      if (group === 0) out[end++] = 0x3a;
      group += runLength - 1;
      continue;
    }
    end = writeHex(out, end, groups[group] as number);
    if (group < 7) out[end++] = 0x3a;
  }
  return end;
}

function splitGroups(first: number, word: number): void {
  groups[first] = word >>> 16;
  groups[first + 1] = word & 0xffff;
}

function writeHex(out: Uint8Array, at: number, group: number): number {
  let end = at;
  for (let shift = group > 0xfff ? 12 : group > 0xff ? 8 : group > 0xf ? 4 : 0; shift >= 0; shift -= 4) {
    const digit = (group >>> shift) & 15;
    out[end++] = digit < 10 ? 0x30 + digit : 0x57 + digit;
  }
  return end;
}

/** The fast path for the usual spellings; all others are left to {@link Prefix.parse} and its messages. */
function parseDecimal(text: string): number | undefined {
  let word = 0;
  let octet = -1;
  let dots = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x2e && octet >= 0) {
      word = (word << 8) | octet;
      octet = -1;
      dots++;
    } else if (code >= 0x30 && code <= 0x39 && octet !== 0) {
      octet = (octet < 0 ? 0 : octet * 10) + code - 0x30;
      if (octet > 255) return undefined;
    } else return undefined;
  }
  return dots === 3 && octet >= 0 ? (word << 8) | octet : undefined;
}
