import {
  BITS,
  type CanonicalPrefix,
  format,
  formatAddress,
  type HostBits,
  mask,
  readPrefixText,
  toNumber,
} from "./prefix-text";

export { type CanonicalPrefix, type HostBits, PrefixError, type PrefixProblem } from "./prefix-text";

interface ParseOptions {
  /** `"reject"` (default) or `"mask"`. */
  hostBits?: HostBits;
}

/**
 * An IPv4 or IPv6 prefix (CIDR block, RFC 4632 and RFC 4291 section 2.3), immutable and without host bits.
 *
 * @example
 * ```ts
 * Prefix.parse("2001:DB8:0::/32").toString();      // "2001:db8::/32" (RFC 5952)
 * Prefix.parse("192.0.2.1").toString();            // "192.0.2.1/32"
 * Prefix.parse("192.0.2.1/24");                    // PrefixError: … write "192.0.2.0/24"
 * ```
 */
export class Prefix {
  private constructor(
    /** Address family: 4 or 6. */
    readonly family: 4 | 6,
    /** Prefix length in bits: 0 to 32, or 0 to 128. */
    readonly length: number,
    private readonly text: CanonicalPrefix,
    bits?: bigint,
  ) {
    this.#bits = bits;
  }

  /** Computed on demand: of most prefixes of a long list only the text is used. */
  #bits: bigint | undefined;

  /** The first address as a number, in network byte order. */
  get bits(): bigint {
    if (this.#bits === undefined) {
      // Only IPv6 in canonical form is constructed without it.
      canonicalV6(this.text);
      this.#bits = toNumber(groups);
    }
    return this.#bits;
  }

  /**
   * Reads a prefix or a bare address (then `/32` or `/128`).
   *
   * @param spelling The text. IPv4 in four decimal parts, IPv6 as in RFC 4291 section 2.2.
   * @param options `hostBits`: `"reject"` (default) or `"mask"`.
   * @throws {PrefixError} on anything else: blanks, ranges, zone ids, IPv4-mapped IPv6, leading zeros, host bits.
   */
  static parse(spelling: string, options: ParseOptions = {}): Prefix {
    const address = canonicalV4(spelling);
    if (address >= 0) {
      const length = Number(spelling.slice(spelling.indexOf("/") + 1));
      return new Prefix(4, length, spelling as CanonicalPrefix, BigInt(address));
    }
    const canonicalLength = canonicalV6(spelling);
    if (canonicalLength >= 0) return new Prefix(6, canonicalLength, spelling as CanonicalPrefix);
    const { family, bits, length } = readPrefixText(spelling, options.hostBits);
    return new Prefix(family, length, format(family, bits, length), bits);
  }

  /** The inverse of {@link toString}, for text that {@link parse} made earlier (state, map keys). */
  static fromCanonical(this: void, text: CanonicalPrefix): Prefix {
    return Prefix.parse(text);
  }

  /**
   * The canonical text of a prefix, without a `Prefix`. Fast for text in canonical form, as in states; other spellings are
   * read too.
   *
   * @throws {PrefixError} as {@link parse}.
   */
  static canonical(text: string, options: ParseOptions = {}): CanonicalPrefix {
    return isCanonical(text) ? text : Prefix.parse(text, options).toString();
  }

  /** RFC 5952 address and length, always with the length written out. */
  toString(): CanonicalPrefix {
    return this.text;
  }

  /** The canonical text, so that JSON of a prefix is a string. */
  toJSON(): string {
    return this.text;
  }

  /** The first address without a length, for single-address prefixes and messages. */
  get address(): string {
    return this.text.slice(0, this.text.lastIndexOf("/"));
  }

  /** Number of addresses that the prefix covers. */
  get size(): bigint {
    return 1n << BigInt(BITS[this.family] - this.length);
  }

  /** True for the same prefix. */
  equals(other: Prefix): boolean {
    return this.text === other.text;
  }

  /** True when every address of `other` lies in this prefix; a prefix contains itself. */
  contains(other: Prefix): boolean {
    return (
      this.family === other.family &&
      this.length <= other.length &&
      (this.bits ^ other.bits) >> BigInt(BITS[this.family] - this.length) === 0n
    );
  }

  /** True when the two share an address: one contains the other. */
  overlaps(other: Prefix): boolean {
    return this.contains(other) || other.contains(this);
  }

  /**
   * The covering prefix of `length` bits.
   *
   * @throws {RangeError} when `length` is longer than this one.
   */
  truncate(length: number): Prefix {
    if (length > this.length) throw new RangeError(`${this.text} has no covering prefix of length ${length}`);
    const bits = mask(this.bits, this.family, length);
    return new Prefix(this.family, length, format(this.family, bits, length), bits);
  }

  /** Order for display and sorting: IPv4 before IPv6, then by first address, then shorter before longer. */
  static compare(this: void, a: Prefix, b: Prefix): number {
    if (a.family !== b.family) return a.family - b.family;
    if (a.bits !== b.bits) return a.bits < b.bits ? -1 : 1;
    return a.length - b.length;
  }

  /** The text of an address that is given as a number (IPv6: RFC 5952). */
  static formatAddress(family: 4 | 6, bits: bigint): string {
    return formatAddress(family, bits);
  }

  /** Sort key of a canonical text in the order of {@link compare}, without a prefix object for IPv4: numbers come before texts (IPv6). */
  static sortKey(text: CanonicalPrefix): number | string {
    const address = canonicalV4(text);
    if (address >= 0) return address * 64 + Number(text.slice(text.indexOf("/") + 1));
    const quick = canonicalV6(text);
    if (quick >= 0) return String.fromCharCode(...groups, quick);
    const { bits, length } = Prefix.parse(text);
    const parts = Array.from({ length: 8 }, (_, at) => Number((bits >> BigInt(112 - 16 * at)) & 0xffffn));
    return String.fromCharCode(...parts, length);
  }
}

/*
 * Fast checks for text in canonical form, as most of it is in states, lists and requests. Any other text is left to
 * `readPrefixText`.
 */

const [COLON, DOT, SLASH, ZERO, NINE, A, F] = [58, 46, 47, 48, 57, 97, 102] as const;

/** True for nearly all prefixes in canonical form; false may still be one. */
export function isCanonical(text: string): text is CanonicalPrefix {
  return canonicalV4(text) >= 0 || canonicalV6(text) >= 0;
}

/** The address of an IPv4 prefix in canonical form, -1 for any other text: a tenth of the time of {@link readPrefixText}. */
export function canonicalV4(text: string): number {
  let [address, part, digits, parts] = [0, 0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= ZERO && code <= NINE) {
      if (digits > 0 && part === 0) return -1;
      part = part * 10 + code - ZERO;
      if (++digits > 3) return -1;
    } else if (code === (parts === 3 ? SLASH : DOT)) {
      if (digits === 0 || part > 255 || ++parts > 4) return -1;
      address = address * 256 + part;
      part = 0;
      digits = 0;
    } else {
      return -1;
    }
  }
  const isWhole = parts === 4 && digits > 0 && part <= 32;
  return isWhole && address % 2 ** (32 - part) === 0 ? address : -1;
}

/** The address that {@link canonicalV6} read last. Shared, since an array for each text costs as much as reading it. */
export const groups = new Uint16Array(8);

/**
 * The length of an IPv6 prefix in canonical form; -1 for any other text and for rare forms: text that begins with `::`, as
 * all IPv4-mapped prefixes do, and text with a second run of zeros.
 */
export function canonicalV6(text: string): number {
  let [at, group, digits, count, gap] = [0, 0, 0, 0, -1];
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const digit = code >= ZERO && code <= NINE ? code - ZERO : code >= A && code <= F ? code - A + 10 : -1;
    if (digit >= 0) {
      if (digits === 4 || (digits > 0 && group === 0)) return -1;
      group = group * 16 + digit;
      digits += 1;
    } else if (code === COLON || code === SLASH) {
      if (digits > 0) {
        if (count === 8) return -1;
        groups[count++] = group;
      } else if (code === SLASH ? gap !== count : gap >= 0 || count === 0) return -1;
      else if (code === COLON) gap = count;
      if (code === SLASH) break;
      group = 0;
      digits = 0;
    } else {
      return -1;
    }
  }
  const length = isShortest(count, gap) ? lengthAfter(text, at) : -1;
  if (length < 0) return -1;
  if (gap >= 0) spread(count, gap);
  return hasHostBits(length) ? -1 : length;
}

/** True if the only run of zeros is the one that the gap replaces, and a single zero is written out. */
function isShortest(count: number, gap: number): boolean {
  if (gap < 0 ? count !== 8 : count > 6) return false;
  for (let i = 0; i < count; i++) {
    if (groups[i] === 0 && (i + 1 === gap || i === gap || (i + 1 < count && groups[i + 1] === 0))) return false;
  }
  return true;
}

function lengthAfter(text: string, slash: number): number {
  const digits = text.length - slash - 1;
  if (digits < 1 || digits > 3) return -1;
  let length = 0;
  for (let i = slash + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < ZERO || code > NINE || (i > slash + 1 && length === 0)) return -1;
    length = length * 10 + code - ZERO;
  }
  return length <= 128 ? length : -1;
}

/** Moves the groups behind the gap to the end, and fills it with zeros. */
function spread(count: number, gap: number): void {
  // Not with `copyWithin` and `fill`, whose calls cost more than reading the text.
  for (let i = 7; i >= gap; i--) {
    const from = i - 8 + count;
    groups[i] = from >= gap ? (groups[from] as number) : 0;
  }
}

function hasHostBits(length: number): boolean {
  const first = length >> 4;
  if (first < 8 && ((groups[first] as number) & (0xffff >> (length & 15))) !== 0) return true;
  for (let i = first + 1; i < 8; i++) if (groups[i] !== 0) return true;
  return false;
}
