import ipaddr from "ipaddr.js";
import { PacketFilterError } from "./errors";

/** The canonical text of a prefix, as `toString` makes it: `192.0.2.0/24`, `2001:db8::/32`, `192.0.2.1/32`. */
export type CanonicalPrefix = string & { readonly __canonical: "prefix" };

/** What to do with bits that are set to the right of the prefix length. */
export type HostBits = "reject" | "mask";

/** Why a text is not a prefix. `host-bits` and `mapped` come with a correction. */
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
 * Thrown by {@link Prefix.parse} when a text is not a prefix in the sense of this package.
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

const BITS = { 4: 32, 6: 128 } as const;
const MAX_SPELLING = 64;
/** The 96 bits that IPv4-mapped addresses begin with: `::ffff:0:0/96` (RFC 4291 section 2.5.5.2). */
const MAPPED = 0xffffn;
/** Nothing but addresses, lengths, and what stands between the two of a range or the members of a list. */
const RANGE = { letters: /^[0-9a-f.:/,;-]+$/i, address: /[.:]/, between: /[-,;]/ };
const SIGNED_LENGTH = /^[^-,;]*\/-\d*$/;

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
    /** The first address as a number, in network byte order. */
    readonly bits: bigint,
    /** Prefix length in bits: 0 to 32, or 0 to 128. */
    readonly length: number,
    private readonly text: CanonicalPrefix,
  ) {}

  /**
   * Reads a prefix or a bare address (then `/32` or `/128`).
   *
   * @param spelling The text. IPv4 in four decimal parts, IPv6 as in RFC 4291 section 2.2.
   * @param options `hostBits`: `"reject"` (default) or `"mask"`.
   * @throws {PrefixError} on anything else: blanks, ranges, zone ids, IPv4-mapped IPv6, leading zeros, host bits.
   */
  static parse(spelling: string, options: { hostBits?: HostBits } = {}): Prefix {
    const canonical = canonicalV4(spelling);
    if (canonical >= 0) return Prefix.ofV4(canonical, spelling as CanonicalPrefix);
    const [addressText, lengthText] = split(spelling);
    const family = addressText.includes(":") ? 6 : 4;
    const bits = family === 4 ? parseV4(addressText, spelling) : parseV6(addressText, spelling);
    const length = lengthText === undefined ? BITS[family] : parseLength(lengthText, family, spelling);
    const network = mask(bits, family, length);
    if (family === 6 && network >> 32n === MAPPED) {
      const corrected = format(4, BigInt.asUintN(32, network), length - 96);
      throw new PrefixError(
        "mapped",
        spelling,
        `${quote(spelling)} is an IPv4-mapped IPv6 prefix, which no packet carries: write "${corrected}".`,
        corrected,
      );
    }
    if (network !== bits && options.hostBits !== "mask") {
      const corrected = format(family, network, length);
      throw new PrefixError(
        "host-bits",
        spelling,
        `${quote(spelling)} has host bits set: write "${corrected}" for the whole prefix, or "${addressText}/${BITS[family]}" for the one address.`,
        corrected,
      );
    }
    return new Prefix(family, network, length, format(family, network, length));
  }

  /** The inverse of {@link toString}, for text that {@link parse} made earlier (state, map keys). */
  static fromCanonical(this: void, text: CanonicalPrefix): Prefix {
    return Prefix.parse(text);
  }

  private static ofV4(bits: number, text: CanonicalPrefix): Prefix {
    return new Prefix(4, BigInt(bits), Number(text.slice(text.indexOf("/") + 1)), text);
  }

  /**
   * The canonical text of a prefix, for who needs no more of it: quick for text that is in canonical form already, as
   * in states; other spellings are understood, too.
   *
   * @throws {PrefixError} as {@link parse}.
   */
  static canonical(text: string, options: { hostBits?: HostBits } = {}): CanonicalPrefix {
    return canonicalV4(text) < 0 ? Prefix.parse(text, options).toString() : (text as CanonicalPrefix);
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

  /** How many addresses the prefix covers. */
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
      mask(other.bits, this.family, this.length) === this.bits
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
    return new Prefix(this.family, bits, length, format(this.family, bits, length));
  }

  /** Order for display and sorting: IPv4 before IPv6, then by first address, then shorter before longer. */
  static compare(this: void, a: Prefix, b: Prefix): number {
    if (a.family !== b.family) return a.family - b.family;
    if (a.bits !== b.bits) return a.bits < b.bits ? -1 : 1;
    return a.length - b.length;
  }

  /** The text of an address that is given as a number (IPv6: RFC 5952). */
  static formatAddress(family: 4 | 6, bits: bigint): string {
    return family === 4 ? formatV4(bits) : formatV6(bits);
  }

  /** What canonical texts sort by in the order of {@link compare}, with no prefix made for IPv4: numbers come before texts (IPv6). */
  static sortKey(text: CanonicalPrefix): number | string {
    const address = canonicalV4(text);
    if (address >= 0) return address * 64 + Number(text.slice(text.indexOf("/") + 1));
    const { bits, length } = Prefix.parse(text);
    return bits.toString(16).padStart(32, "0") + length.toString(16).padStart(2, "0");
  }
}

function split(spelling: string): [address: string, length: string | undefined] {
  if (/\s/.test(spelling) || spelling === "") {
    const trimmed = spelling.trim();
    const remedy = trimmed === "" ? "give an address or a prefix" : `remove the blanks`;
    throw new PrefixError("blank", spelling, `${quote(spelling)} is not a prefix: ${remedy}.`);
  }
  if (spelling.includes("%")) {
    throw new PrefixError(
      "zone",
      spelling,
      `${quote(spelling)} has a zone id, which means nothing on another machine: write it without "%…".`,
    );
  }
  if (Object.values(RANGE).every((part) => part.test(spelling)) && !SIGNED_LENGTH.test(spelling)) {
    throw new PrefixError(
      "range",
      spelling,
      `${quote(spelling)} looks like a range or a list: write each prefix in CIDR form.`,
    );
  }
  if (spelling.length > MAX_SPELLING) {
    throw new PrefixError("address", spelling, `${quote(spelling)} is too long for an address or a prefix.`);
  }
  const slash = spelling.indexOf("/");
  return slash < 0 ? [spelling, undefined] : [spelling.slice(0, slash), spelling.slice(slash + 1)];
}

function parseV4(text: string, spelling: string): bigint {
  if (!/^[0-9.]+$/.test(text)) throw notAnAddress(spelling);
  const parts = text.split(".");
  if (parts.length !== 4) {
    throw new PrefixError(
      "ipv4-parts",
      spelling,
      `${quote(spelling)} is not four decimal numbers: write an IPv4 address in full, as in 192.0.2.0/24.`,
    );
  }
  if (parts.some((part) => part.length > 1 && part.startsWith("0"))) {
    throw new PrefixError(
      "leading-zero",
      spelling,
      `${quote(spelling)} has a leading zero, which some systems read as octal: write the decimal number without it.`,
    );
  }
  if (!ipaddr.IPv4.isValidFourPartDecimal(text)) throw notAnAddress(spelling);
  return BigInt(parts.reduce((number, part) => number * 256 + Number(part), 0));
}

/**
 * The address of an IPv4 prefix in canonical form, -1 for any other text. States and requests hold many of them, which this
 * reads in a tenth of the time that it takes to find out what else a text could be.
 */
function canonicalV4(text: string): number {
  let [address, part, digits, parts] = [0, 0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) {
      if (digits > 0 && part === 0) return -1;
      part = part * 10 + code - 48;
      if (++digits > 3) return -1;
    } else if (code === (parts === 3 ? 47 : 46)) {
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
    throw new PrefixError(
      "length",
      spelling,
      `${quote(spelling)} has no valid prefix length: after "/" comes a decimal number from 0 to ${BITS[family]}.`,
    );
  }
  return length;
}

function notAnAddress(spelling: string): PrefixError {
  return new PrefixError(
    "address",
    spelling,
    `${quote(spelling)} is not an IP address or prefix: write for example 192.0.2.0/24 or 2001:db8::/32.`,
  );
}

function mask(bits: bigint, family: 4 | 6, length: number): bigint {
  const hostBits = BigInt(BITS[family] - length);
  return (bits >> hostBits) << hostBits;
}

function format(family: 4 | 6, bits: bigint, length: number): CanonicalPrefix {
  return `${Prefix.formatAddress(family, bits)}/${length}` as CanonicalPrefix;
}

function formatV4(bits: bigint): string {
  const number = Number(bits);
  return `${number >>> 24}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;
}

function formatV6(bits: bigint): string {
  const groups: number[] = [];
  for (let shift = 96n; shift >= 0n; shift -= 32n) {
    const pair = Number((bits >> shift) & 0xffffffffn);
    groups.push(pair >>> 16, pair & 0xffff);
  }
  return new ipaddr.IPv6(groups).toString();
}

/** The eight groups of an IPv6 address as one number. */
function toNumber(groups: readonly number[]): bigint {
  let bits = 0n;
  // Two groups at a time: arithmetic on bigints is what costs.
  for (let i = 0; i < 8; i += 2) {
    bits = (bits << 32n) | BigInt((groups[i] as number) * 0x10000 + (groups[i + 1] as number));
  }
  return bits;
}

function quote(spelling: string): string {
  return JSON.stringify(spelling.length > MAX_SPELLING ? `${spelling.slice(0, MAX_SPELLING)}…` : spelling);
}
