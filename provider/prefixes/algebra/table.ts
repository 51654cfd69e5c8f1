import { sentIn } from "../../model/entry";
import { Prefix } from "../../model/prefix";
import { wordsOf } from "../../model/prefix-text";
import { formatPrefix, readCanonical } from "../address";
import { type EntriesLike, eachEntry, laterOf, type PrefixEntry, parsePrefixAt } from "../entries";

/** Bits that are left in a number of 64 bits beside an address of 32 and a length. */
const INDEX_BITS = 26;
const LARGEST_INDEX = 2 ** INDEX_BITS - 1;
/** Which half of a number of 64 bits is the high one, on this machine. */
const HIGH = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;

/** A new entry for a table. */
export interface Addition {
  /** Index of a prefix of the table with its address. */
  readonly from: number;
  readonly length: number;
  /** True if the last bit of its length is inverted. */
  readonly isBeside: boolean;
  readonly content: number;
}

/**
 * Prefixes of one family in the order of a binary trie: by first address, then shorter before longer, so that a prefix is
 * directly before all that it contains. Each occurs once. Addresses are 32-bit words in one array, one for IPv4 and four for
 * IPv6, since bigints and objects cost too much for a million prefixes.
 */
export class PrefixTable {
  /** Bits of an address. */
  readonly bits: 32 | 128;

  private constructor(
    /** Words of an address. */
    readonly words: 1 | 4,
    readonly address: Uint32Array,
    /** Prefix lengths; as many as there are prefixes. */
    readonly length: Uint8Array,
    /** Index into {@link contents}: equal numbers mean equal value, reason, ticket and expiry. */
    readonly content: Uint32Array,
    readonly contents: readonly PrefixEntry[],
    /** Texts that were given. Those in canonical form are written again: as keys of an object, new ones cost three times as much. */
    private readonly texts: readonly unknown[],
    /** Number of each prefix's text, from 1; 0 if its canonical text was not given. */
    private readonly origin: Uint32Array,
  ) {
    this.bits = words === 1 ? 32 : 128;
  }

  /**
   * The tables of both families, IPv4 first. Of two spellings of one prefix, the later one counts, unless it has expired.
   * @param now Milliseconds since 1970.
   * @throws {TypeError} naming the entry.
   */
  static of(entries: EntriesLike, argument?: string, now = Date.now()): readonly [PrefixTable, PrefixTable] {
    const building = new TableBuilder();
    const { contents, columns, scratch } = building;
    const texts = eachEntry(entries, argument, (spelling, content, path, index) => {
      const length = typeof spelling === "string" ? readCanonical(spelling, scratch) : -1;
      if (length >= 0) {
        const words = String(spelling).includes(":") ? 4 : 1;
        columns[words].push(scratch, length, contents.numberOf(content), index + 1);
      } else {
        const prefix = parsePrefixAt(path, spelling);
        const words = wordsOf(prefix.family, prefix.bits);
        columns[prefix.family === 4 ? 1 : 4].push(words, prefix.length, contents.numberOf(content));
      }
    });
    return PrefixTable.built(building, now, texts);
  }

  /** The tables of prefixes that were added to a builder. @param now As for {@link of}. */
  static built(
    { columns, contents }: TableBuilder,
    now: number,
    texts: readonly unknown[] = [],
  ): readonly [PrefixTable, PrefixTable] {
    const table = (words: 1 | 4) => {
      const { address, length, content, origin } = columns[words].done();
      return new PrefixTable(words, address, length, content, contents.all, texts, origin).sorted(now);
    };
    return [table(1), table(4)];
  }

  get size(): number {
    return this.length.length;
  }

  /** Bit `position` of an address, from 0 at the left. */
  bit(index: number, position: number): number {
    return ((this.address[index * this.words + (position >>> 5)] as number) >>> (31 - (position & 31))) & 1;
  }

  /** True if the first `length` bits of two addresses are equal. */
  agree(a: number, b: number, length: number): boolean {
    for (let word = 0, left = length; left > 0; word++, left -= 32) {
      const different =
        (this.address[a * this.words + word] as number) ^ (this.address[b * this.words + word] as number);
      if (left >= 32 ? different !== 0 : different >>> (32 - left) !== 0) return false;
    }
    return true;
  }

  /** True if `outer`, which is before `inner`, contains it. */
  contains(outer: number, inner: number): boolean {
    const length = this.length[outer] as number;
    return length <= (this.length[inner] as number) && this.agree(outer, inner, length);
  }

  /** Number of leading bits that two prefixes share. */
  common(a: number, b: number): number {
    const most = Math.min(this.length[a] as number, this.length[b] as number);
    for (let word = 0; word * 32 < most; word++) {
      const different =
        (this.address[a * this.words + word] as number) ^ (this.address[b * this.words + word] as number);
      if (different !== 0) return Math.min(most, word * 32 + Math.clz32(different));
    }
    return most;
  }

  /** The first index after a prefix, in a range, that it does not contain. */
  endOf(index: number, end: number): number {
    let next = index + 1;
    while (next < end && this.contains(index, next)) next++;
    return next;
  }

  /** The first index of a range that lies in the right half of the prefix of `depth` bits that holds the range. */
  middle(from: number, to: number, depth: number): number {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.bit(middle, depth) === 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Makes a prefix one bit shorter, if that bit is 0. */
  widen(index: number): void {
    this.length[index] = (this.length[index] as number) - 1;
    this.origin[index] = 0;
  }

  prefix(index: number): string {
    const text = this.texts[(this.origin[index] as number) - 1];
    if (typeof text === "string") return text;
    const at = index * this.words;
    return formatPrefix(this.address.subarray(at, at + this.words), this.length[index] as number);
  }

  entry(index: number): PrefixEntry {
    return this.contents[this.content[index] as number] as PrefixEntry;
  }

  /** The table with some of its prefixes, in the order of their indexes. */
  private pick(indexes: Uint32Array): PrefixTable {
    const { words } = this;
    const columns = new Columns(words, indexes.length);
    for (const index of indexes) {
      const at = index * words;
      const [length, content] = [this.length[index] as number, this.content[index] as number];
      columns.push(this.address.subarray(at, at + words), length, content, this.origin[index]);
    }
    return this.with(columns);
  }

  /** The table with the kept prefixes alone. It takes the place of this one, which has no use afterwards. */
  compacted(kept: Uint8Array): PrefixTable {
    const { words, address, length, content, origin } = this;
    let size = 0;
    for (let index = 0; index < kept.length; index++) {
      if (!kept[index]) continue;
      for (let word = 0; word < words; word++) address[size * words + word] = address[index * words + word] as number;
      length[size] = length[index] as number;
      content[size] = content[index] as number;
      origin[size++] = origin[index] as number;
    }
    const part = [address.subarray(0, size * words), length.subarray(0, size), content.subarray(0, size)] as const;
    return new PrefixTable(words, ...part, this.contents, this.texts, origin.subarray(0, size));
  }

  private with(columns: Columns): PrefixTable {
    const { address, length, content, origin } = columns.done();
    return new PrefixTable(this.words, address, length, content, this.contents, this.texts, origin);
  }

  /** The table with the kept prefixes and with new ones. */
  changed(kept: Uint8Array, added: readonly Addition[]): PrefixTable {
    const columns = new Columns(this.words);
    for (let index = 0; index < kept.length; index++) {
      if (!kept[index]) continue;
      const [length, content] = [this.length[index] as number, this.content[index] as number];
      columns.push(this.addressOf(index), length, content, this.origin[index]);
    }
    for (const { from, length, isBeside, content } of added) {
      const address = this.addressOf(from).map((word, at) => {
        const bits = Math.min(32, Math.max(0, length - at * 32));
        return bits === 0 ? 0 : word & (-1 << (32 - bits));
      });
      const last = length - 1;
      if (isBeside) address[last >>> 5] = (address[last >>> 5] as number) ^ (0x80000000 >>> (last & 31));
      columns.push(address, length, content);
    }
    return this.with(columns).sorted(0);
  }

  private addressOf(index: number): Uint32Array {
    return this.address.slice(index * this.words, (index + 1) * this.words);
  }

  private compare(a: number, b: number): number {
    for (let word = 0; word < this.words; word++) {
      const difference =
        (this.address[a * this.words + word] as number) - (this.address[b * this.words + word] as number);
      if (difference !== 0) return difference;
    }
    return (this.length[a] as number) - (this.length[b] as number);
  }

  /** The indexes in order; of one prefix, in the order in which they were given. */
  private order(): Uint32Array {
    if (this.words === 1 && this.size <= LARGEST_INDEX) {
      // As numbers of address, length and index, which sort in a tenth of the time.
      const halves = new Uint32Array(this.size * 2);
      for (let index = 0; index < this.size; index++) {
        halves[index * 2 + HIGH] = this.address[index] as number;
        halves[index * 2 + 1 - HIGH] = (this.length[index] as number) * 2 ** INDEX_BITS + index;
      }
      new BigUint64Array(halves.buffer).sort();
      for (let at = 0; at < this.size; at++) halves[at] = (halves[at * 2 + 1 - HIGH] as number) & LARGEST_INDEX;
      return halves.subarray(0, this.size);
    }
    const order = new Uint32Array(this.size);
    for (let index = 0; index < order.length; index++) order[index] = index;
    return order.sort((a, b) => this.compare(a, b) || a - b);
  }

  /** @param now Time at which expired entries give way to others of their prefix. */
  private sorted(now: number): PrefixTable {
    let ordered = true;
    for (let index = 1; ordered && index < this.size; index++) ordered = this.compare(index - 1, index) < 0;
    // Most lists are in order already.
    if (ordered) return this;
    const order = this.order();
    let size = 0;
    for (const index of order) {
      const last = order[size - 1];
      if (last === undefined || size === 0 || this.compare(last, index) !== 0) order[size++] = index;
      else if (laterOf(this.entry(last), this.entry(index), now) === this.entry(index)) order[size - 1] = index;
    }
    return this.pick(order.subarray(0, size));
  }
}

/** Prefixes that become tables: a million of them need no object each. */
export class TableBuilder {
  readonly contents = new Contents();
  readonly columns = { 1: new Columns(1), 4: new Columns(4) };
  readonly scratch = new Uint32Array(4);

  /** @param address As a number, without host bits. */
  addV4(address: number, length: number, content: PrefixEntry): void {
    this.scratch[0] = address;
    this.columns[1].push(this.scratch, length, this.contents.numberOf(content));
  }

  /** @param prefix In canonical form. */
  add(prefix: string, content: PrefixEntry): void {
    const { scratch } = this;
    const length = readCanonical(prefix, scratch);
    if (length >= 0) {
      this.columns[prefix.includes(":") ? 4 : 1].push(scratch, length, this.contents.numberOf(content));
      return;
    }
    // Rare forms.
    const { family, bits, length: own } = Prefix.parse(prefix);
    this.columns[family === 4 ? 1 : 4].push(wordsOf(family, bits), own, this.contents.numberOf(content));
  }
}

/** Numbers contents, so that two of them are compared as numbers. */
class Contents {
  readonly all: PrefixEntry[] = [];
  private readonly numbers = new Map<string, number>();
  private last: { readonly content: PrefixEntry; readonly number: number } | undefined;

  numberOf(content: PrefixEntry): number {
    // Most entries of a list share one content object.
    if (this.last?.content === content) return this.last.number;
    const key = JSON.stringify([content.value, content.reason, content.ticket, content.expires, sentIn(content)]);
    const number = this.numbers.get(key) ?? this.all.push(content) - 1;
    this.numbers.set(key, number);
    this.last = { content, number };
    return number;
  }
}

/** Arrays that grow. */
class Columns {
  private size = 0;
  private address: Uint32Array<ArrayBuffer>;
  private length: Uint8Array<ArrayBuffer>;
  private content: Uint32Array<ArrayBuffer>;
  private origin: Uint32Array<ArrayBuffer>;

  /** @param room Number of prefixes for which there is room at first. */
  constructor(
    private readonly words: 1 | 4,
    room = 1024,
  ) {
    this.address = new Uint32Array(room * words);
    this.length = new Uint8Array(room);
    this.content = new Uint32Array(room);
    this.origin = new Uint32Array(room);
  }

  /** @param origin As in {@link PrefixTable}. */
  push(words: ArrayLike<number>, length: number, content: number, origin = 0): void {
    if ((this.size + 1) * this.words > this.address.length) {
      this.address = doubled(this.address, new Uint32Array(this.address.length * 2));
      this.length = doubled(this.length, new Uint8Array(this.length.length * 2));
      this.content = doubled(this.content, new Uint32Array(this.content.length * 2));
      this.origin = doubled(this.origin, new Uint32Array(this.origin.length * 2));
    }
    for (let word = 0; word < this.words; word++) this.address[this.size * this.words + word] = words[word] as number;
    this.length[this.size] = length;
    this.content[this.size] = content;
    this.origin[this.size] = origin;
    this.size++;
  }

  done() {
    return {
      address: this.address.subarray(0, this.size * this.words),
      length: this.length.subarray(0, this.size),
      content: this.content.subarray(0, this.size),
      origin: this.origin.subarray(0, this.size),
    };
  }
}

function doubled<T extends Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
