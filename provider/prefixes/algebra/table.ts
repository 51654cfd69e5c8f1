import { sentIn } from "../../model/entry";
import { Prefix } from "../../model/prefix";
import { wordsOf } from "../../model/prefix-text";
import { formatPrefix, readCanonical } from "../address";
import { type EntriesLike, laterOf, type PrefixEntry, prefixAt, readEntries } from "../entries";

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
  readonly isSibling: boolean;
  readonly content: number;
}

/** Chooses one of two entries of a prefix, in the order in which they were given. */
type Choose = (earlier: PrefixEntry, later: PrefixEntry, prefix: () => string) => PrefixEntry;

const theLater: Choose = (_, later) => later;

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
    const read = readEntries(entries, argument);
    const { spellings } = read;
    const building = new TableBuilder(spellings.length);
    const { contents, columns, scratch } = building;
    for (let index = 0; index < spellings.length; index++) {
      const spelling = spellings[index];
      const content = contents.numberOf(read.content(index));
      const length = typeof spelling === "string" ? readCanonical(spelling, scratch) : -1;
      if (length >= 0) {
        columns[String(spelling).includes(":") ? 4 : 1].push(scratch, length, content, index + 1);
      } else {
        const prefix = prefixAt(read, index);
        const words = wordsOf(prefix.family, prefix.bits);
        columns[prefix.family === 4 ? 1 : 4].push(words, prefix.length, content);
      }
    }
    return PrefixTable.built(building, (earlier, later) => laterOf(earlier, later, now), spellings);
  }

  /** The tables of prefixes that were added to a builder. @param choose Chooses between entries of one prefix. */
  static built(
    { columns, contents }: TableBuilder,
    choose: Choose = theLater,
    texts: readonly unknown[] = [],
  ): readonly [PrefixTable, PrefixTable] {
    const table = (words: 1 | 4) => {
      const { address, length, content, origin } = columns[words].done();
      return new PrefixTable(words, address, length, content, contents.all, texts, origin).sorted(choose);
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
    const columns = new Columns(this.words, kept.length + added.length);
    for (let index = 0; index < kept.length; index++) {
      if (!kept[index]) continue;
      const [length, content] = [this.length[index] as number, this.content[index] as number];
      columns.push(this.addressOf(index), length, content, this.origin[index]);
    }
    for (const { from, length, isSibling, content } of added) {
      const address = this.addressOf(from).map((word, at) => {
        const bits = Math.min(32, Math.max(0, length - at * 32));
        return bits === 0 ? 0 : word & (-1 << (32 - bits));
      });
      const last = length - 1;
      if (isSibling) address[last >>> 5] = (address[last >>> 5] as number) ^ (0x80000000 >>> (last & 31));
      columns.push(address, length, content);
    }
    return this.with(columns).sorted(theLater);
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

  /**
   * Sorts the table, which has no other use, and drops all but one of equal prefixes, which keep their order.
   */
  private sorted(choose: Choose): PrefixTable {
    let ordered = true;
    for (let index = 1; ordered && index < this.size; index++) ordered = this.compare(index - 1, index) < 0;
    // Most lists are in order already.
    if (ordered) return this;
    if (this.words === 1 && this.size <= LARGEST_INDEX) this.sortNumbers();
    else this.sortByComparing();
    const kept = new Uint8Array(this.size);
    for (let index = 0, last = -1; index < this.size; index++) {
      if (last >= 0 && this.compare(last, index) === 0) {
        const later = this.entry(index);
        if (choose(this.entry(last), later, () => this.prefix(index)) !== later) continue;
        kept[last] = 0;
      }
      kept[index] = 1;
      last = index;
    }
    return this.compacted(kept);
  }

  /**
   * Sorts IPv4 as numbers of address, length and index: in a tenth of the time, and in the memory of two columns. Equal
   * prefixes keep the order in which they were given.
   */
  private sortNumbers(): void {
    const { size, address, length } = this;
    const halves = new Uint32Array(size * 2);
    for (let index = 0; index < size; index++) {
      halves[index * 2 + HIGH] = address[index] as number;
      halves[index * 2 + 1 - HIGH] = (length[index] as number) * 2 ** INDEX_BITS + index;
    }
    new BigUint64Array(halves.buffer).sort();
    for (let at = 0; at < size; at++) {
      const low = halves[at * 2 + 1 - HIGH] as number;
      address[at] = halves[at * 2 + HIGH] as number;
      length[at] = low >>> INDEX_BITS;
      halves[at] = low & LARGEST_INDEX;
    }
    const [order, before] = [halves.subarray(0, size), halves.subarray(size)];
    for (const column of [this.content, this.origin]) arrange(column, order, before);
  }

  private sortByComparing(): void {
    const { size, words } = this;
    const order = new Uint32Array(size);
    for (let index = 0; index < size; index++) order[index] = index;
    order.sort((a, b) => this.compare(a, b) || a - b);
    const before = new Uint32Array(size * words);
    arrange(this.address, order, before, words);
    arrange(this.length, order, before);
    for (const column of [this.content, this.origin]) arrange(column, order, before);
  }
}

/** Puts a column into an order. @param before Room for its values. @param words Values of each prefix. */
function arrange(column: Uint32Array | Uint8Array, order: Uint32Array, before: Uint32Array, words = 1): void {
  before.set(column);
  for (let at = 0; at < order.length; at++) {
    const from = (order[at] as number) * words;
    for (let word = 0; word < words; word++) column[at * words + word] = before[from + word] as number;
  }
}

/** Prefixes that become tables: a million of them need no object each. */
export class TableBuilder {
  readonly contents = new Contents();
  readonly columns: { readonly [W in 1 | 4]: Columns };
  readonly scratch = new Uint32Array(4);

  /** @param room Number of prefixes for which there is room at first. Memory is taken only where it is used. */
  constructor(room = 1024) {
    this.columns = { 1: new Columns(1, room), 4: new Columns(4, room) };
  }

  /** @param address As a number, without host bits. */
  addV4(address: number, length: number, content: PrefixEntry): void {
    this.scratch[0] = address;
    this.columns[1].push(this.scratch, length, this.contents.numberOf(content));
  }

  /** Adds a prefix of a table. */
  addFrom({ words, address, length, content, contents }: PrefixTable, index: number): void {
    const at = index * words;
    this.put(
      address.subarray(at, at + words),
      length[index] as number,
      contents[content[index] as number] as PrefixEntry,
    );
  }

  /** @param words The address, in words of 32 bits. */
  put(words: ArrayLike<number>, length: number, content: PrefixEntry): void {
    this.columns[words.length === 1 ? 1 : 4].push(words, length, this.contents.numberOf(content));
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
    this.put(wordsOf(family, bits), own, content);
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

  constructor(
    private readonly words: 1 | 4,
    room: number,
  ) {
    this.address = new Uint32Array(room * words);
    this.length = new Uint8Array(room);
    this.content = new Uint32Array(room);
    this.origin = new Uint32Array(room);
  }

  /** @param origin As in {@link PrefixTable}. */
  push(words: ArrayLike<number>, length: number, content: number, origin = 0): void {
    if ((this.size + 1) * this.words > this.address.length) {
      const room = (this.size + 1) * 2;
      this.address = copied(this.address, new Uint32Array(room * this.words));
      this.length = copied(this.length, new Uint8Array(room));
      this.content = copied(this.content, new Uint32Array(room));
      this.origin = copied(this.origin, new Uint32Array(room));
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

function copied<T extends Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
