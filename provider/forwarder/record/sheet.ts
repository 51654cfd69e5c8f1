/** From so many bytes on, a call that copies costs less than a loop. */
const LONG = 32;
const LONG_TEXT = 64;
const LAST_ASCII = 0x7f;
/** UTF-8 of one UTF-16 unit. */
const LONGEST_UNIT = 3;
/** Of a number that is no larger than 2⁵³. */
const MOST_DIGITS = 16;
/** Of 31 bits. */
const LARGEST_INTEGER = 0x7fff_ffff;
const NOTHING = Buffer.alloc(0);
const DIGITS = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyz");

/**
 * Bytes that are written one piece behind the other, so that several pieces are one stretch without a copy. Where an
 * expectation was too low, the next stretch begins elsewhere.
 */
export class Sheet {
  /** Start of the piece that is being written. */
  private start = 0;
  private end = 0;
  private bytes: Buffer = NOTHING;

  /** @param expected Bytes of all pieces, roughly: nothing is allocated until one begins. */
  constructor(private readonly expected: number) {}

  /** The bytes of the piece so far. */
  get length(): number {
    return this.end - this.start;
  }

  /** Constant bytes. */
  put(piece: Buffer): void {
    const { length } = piece;
    if (this.bytes.length - this.end < length) this.grow(length);
    if (length >= LONG) this.bytes.set(piece, this.end);
    else {
      const { bytes, end } = this;
      for (let at = 0; at < length; at++) bytes[end + at] = piece[at] as number;
    }
    this.end += length;
  }

  /** Some bytes of another place; few, as a rule. */
  copy(from: Buffer, start: number, end: number): void {
    if (this.bytes.length - this.end < end - start) this.grow(end - start);
    const { bytes } = this;
    let to = this.end;
    for (let at = start; at < end; at++) bytes[to++] = from[at] as number;
    this.end = to;
  }

  text(text: string): void {
    const { length } = text;
    if (this.bytes.length - this.end < length * LONGEST_UNIT) this.grow(length * LONGEST_UNIT);
    const { bytes, end } = this;
    if (length < LONG_TEXT) {
      let at = 0;
      for (; at < length; at++) {
        const code = text.charCodeAt(at);
        if (code > LAST_ASCII) break;
        bytes[end + at] = code;
      }
      if (at === length) {
        this.end += length;
        return;
      }
    }
    this.end += bytes.write(text, end);
  }

  /** A natural number. */
  natural(number: number, radix: 10 | 36): void {
    if (this.bytes.length - this.end < MOST_DIGITS) this.grow(MOST_DIGITS);
    const { bytes, end } = this;
    this.end += radix === 10 ? writeNatural(bytes, end, number, 10) : writeNatural(bytes, end, number, 36);
  }

  /** Ends the piece. */
  cut(): Buffer {
    const piece = this.bytes.subarray(this.start, this.end);
    this.start = this.end;
    return piece;
  }

  private grow(more: number): void {
    const { bytes, start, end } = this;
    const length = end - start;
    this.bytes = Buffer.allocUnsafeSlow(Math.max(bytes.length === 0 ? this.expected : 0, (length + more) * 2));
    bytes.copy(this.bytes, 0, start, end);
    this.start = 0;
    this.end = length;
  }
}

/** Writes digits, and answers how many. Machine integers are divided many times faster than others, constants faster still. */
function writeNatural(bytes: Buffer, start: number, number: number, radix: number): number {
  let count = 1;
  for (let limit = radix; limit <= number; limit *= radix) count++;
  let at = start + count - 1;
  let rest = number;
  for (; rest > LARGEST_INTEGER; at--) {
    const next = Math.floor(rest / radix);
    bytes[at] = DIGITS[rest - next * radix] as number;
    rest = next;
  }
  for (let small = rest | 0; at >= start; at--) {
    const next = (small / radix) | 0;
    bytes[at] = DIGITS[small - next * radix] as number;
    small = next;
  }
  return count;
}

/** Pieces as one; without a copy if they already follow each other in memory. */
export function joined(pieces: readonly Uint8Array[]): Buffer {
  const [first, ...others] = pieces;
  if (first === undefined) return Buffer.alloc(0);
  let end = first.byteOffset + first.length;
  const isOne = others.every((piece) => {
    const follows = piece.buffer === first.buffer && piece.byteOffset === end;
    end += piece.length;
    return follows;
  });
  return isOne ? Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset) : Buffer.concat(pieces);
}
