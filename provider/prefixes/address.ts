/**
 * Canonical prefixes as 32-bit words and back: one word for IPv4, four for IPv6. For millions of them the bigints, objects
 * and patterns of the model's `Prefix` take seconds; it stays the judge of every text that is not in canonical form.
 */

const groups = new Uint16Array(8);

/**
 * Writes the address of a prefix in canonical form into `into`, and returns the prefix length; -1 for any other text.
 * `into` has four words; IPv4 uses the first.
 */
export function readCanonical(text: string, into: Uint32Array): number {
  const slash =
    text.length - (text.charCodeAt(text.length - 2) === 47 ? 2 : text.charCodeAt(text.length - 3) === 47 ? 3 : 4);
  const length = text.charCodeAt(slash) === 47 ? Number(text.slice(slash + 1)) : -1;
  const isV6 = text.includes(":");
  if (!(length >= 0 && length <= (isV6 ? 128 : 32))) return -1;
  if (!(isV6 ? readV6(text, slash, into) : readV4(text, slash, into))) return -1;
  // The parts were read leniently: what is written back is canonical, or the text was not.
  if (format(into, isV6 ? 4 : 1, length) !== text || hasHostBits(into, isV6 ? 4 : 1, length)) return -1;
  const isMapped = isV6 && into[0] === 0 && into[1] === 0 && into[2] === 0xffff;
  return isMapped ? -1 : length;
}

/** The canonical text of the prefix whose address these words are; host bits must not be set. */
export function formatPrefix(words: ArrayLike<number>, length: number): string {
  return format(words, words.length as 1 | 4, length);
}

/** The words of the address of a prefix of the model. */
export function wordsOf(family: 4 | 6, bits: bigint): number[] {
  if (family === 4) return [Number(bits)];
  return [96n, 64n, 32n, 0n].map((shift) => Number(BigInt.asUintN(32, bits >> shift)));
}

export function formatV4(address: number): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

function format(words: ArrayLike<number>, count: 1 | 4, length: number): string {
  return `${count === 1 ? formatV4(words[0] as number) : formatV6(words)}/${length}`;
}

/** RFC 5952: the longest run of two or more zero groups, the first of equals, is `::`. */
function formatV6(words: ArrayLike<number>): string {
  let [run, runStart, best, bestStart] = [0, 0, 1, -1];
  for (let index = 0; index < 8; index++) {
    if (group(words, index) !== 0) run = 0;
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
    } else text += (text === "" || text.endsWith(":") ? "" : ":") + group(words, index).toString(16);
  }
  return text;
}

function group(words: ArrayLike<number>, index: number): number {
  const word = words[index >> 1] as number;
  return index & 1 ? word & 0xffff : word >>> 16;
}

function readV4(text: string, end: number, into: Uint32Array): boolean {
  let [address, part, parts] = [0, 0, 1];
  for (let index = 0; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) part = part * 10 + code - 48;
    else if (code === 46 && part < 256) {
      address = address * 256 + part;
      part = 0;
      parts++;
    } else return false;
  }
  into[0] = address * 256 + part;
  return parts === 4 && part < 256;
}

function readV6(text: string, end: number, into: Uint32Array): boolean {
  let [count, gap, value, digits] = [0, -1, 0, 0];
  for (let index = 0; index <= end; index++) {
    const code = index === end ? 58 : text.charCodeAt(index);
    const digit = code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : -1;
    if (digit >= 0) {
      value = value * 16 + digit;
      if (++digits > 4) return false;
    } else if (code !== 58) return false;
    else if (digits > 0) {
      if (count === 8) return false;
      groups[count++] = value;
      value = digits = 0;
    } else if (index < end || gap < 0) gap = count;
  }
  if (gap < 0 ? count !== 8 : count > 7) return false;
  if (gap >= 0) {
    groups.copyWithin(8 - (count - gap), gap, count);
    groups.fill(0, gap, 8 - (count - gap));
  }
  for (let word = 0; word < 4; word++) {
    into[word] = (groups[word * 2] as number) * 0x10000 + (groups[word * 2 + 1] as number);
  }
  return true;
}

function hasHostBits(words: Uint32Array, count: number, length: number): boolean {
  for (let word = length >>> 5; word < count; word++) {
    const left = Math.max(0, length - word * 32);
    if (left === 0 ? words[word] !== 0 : ((words[word] as number) << left) >>> 0 !== 0) return true;
  }
  return false;
}
