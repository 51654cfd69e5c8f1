import { Prefix } from "../../model/prefix";
import { KeyTable } from "../marks/key-table";
import { maskWord, prefixWords } from "../packets/address";

/**
 * What the rule engine asks of a prefix-set: the value of the longest prefix that holds an address.
 * Words are those of `Words`; for IPv4 only the first counts.
 */
export interface SetLookup {
  /** Rises with every change of content. */
  readonly version: number;
  find(family: 4 | 6, w0: number, w1: number, w2: number, w3: number): number | undefined;
}

/** Bits of an IPv4 address that choose a cell of the sieve. */
const SIEVE_BITS = 12;

/**
 * Prefixes with values for the longest-prefix match of every packet, a few million times a second. `PrefixIndex` of the
 * model answers the same question for callers that hold a `Prefix`; here a look-up must not make one, nor a bigint or any
 * other object, so addresses come as 32-bit words, and as positional arguments for the same reason.
 *
 * One hash table holds all lengths of a family. For IPv4 a sieve says beforehand which lengths occur around an address, so
 * that a look-up tries two or three of them and not all. A change costs the same whatever the number of prefixes.
 *
 * @example
 * ```ts
 * const table = new PacketPrefixTable([[Prefix.parse("192.0.2.0/24"), 7]]);
 * table.longestMatch("192.0.2.9");     // 7
 * ```
 */
export class PacketPrefixTable implements SetLookup {
  version = 0;
  private v4 = new FamilyTable(1);
  private v6 = new FamilyTable(4);
  /** A bit for each length (1 to 32) that occurs among prefixes that overlap the cell. Bits outlive their prefixes. */
  private sieve = new Int32Array(1 << SIEVE_BITS);

  constructor(entries: Iterable<readonly [Prefix, number]> = []) {
    for (const [prefix, value] of entries) this.set(prefix, value);
  }

  get size(): number {
    return this.v4.size + this.v6.size;
  }

  /** Adds a prefix, or gives it another value (an integer, 0 to 2³²−1). */
  set(prefix: Prefix, value: number): void {
    const { family, w0, w1, w2, w3, length } = prefixWords(prefix);
    if (family === 4) {
      this.v4.set(length, value, w0, 0, 0, 0);
      if (length > 0) this.mesh(w0, length);
    } else this.v6.set(length, value, w0, w1, w2, w3);
    this.version++;
  }

  /** Removes exactly this prefix; false when it is not there. */
  delete(prefix: Prefix): boolean {
    const { family, w0, w1, w2, w3, length } = prefixWords(prefix);
    const removed = (family === 4 ? this.v4 : this.v6).delete(length, w0, w1, w2, w3);
    if (removed) this.version++;
    return removed;
  }

  /** Makes this the whole content. */
  replace(entries: Iterable<readonly [Prefix, number]>): void {
    this.clear();
    for (const [prefix, value] of entries) this.set(prefix, value);
  }

  /** Removes all prefixes. */
  clear(): void {
    this.v4 = new FamilyTable(1);
    this.v6 = new FamilyTable(4);
    this.sieve.fill(0);
    this.version++;
  }

  find(family: 4 | 6, w0: number, w1: number, w2: number, w3: number): number | undefined {
    if (family === 6) return this.v6.longest(w0, w1, w2, w3);
    let lengths = this.sieve[w0 >>> (32 - SIEVE_BITS)] as number;
    while (lengths !== 0) {
      const top = 31 - Math.clz32(lengths);
      const value = this.v4.get(top + 1, w0, 0, 0, 0);
      if (value !== undefined) return value;
      lengths &= ~(1 << top);
    }
    return this.v4.get(0, 0, 0, 0, 0);
  }

  /** The same for an address as text. */
  longestMatch(address: string): number | undefined {
    const { family, w0, w1, w2, w3 } = prefixWords(Prefix.parse(address));
    return this.find(family, w0, w1, w2, w3);
  }

  private mesh(network: number, length: number): void {
    const first = network >>> (32 - SIEVE_BITS);
    const cells = length >= SIEVE_BITS ? 1 : 1 << (SIEVE_BITS - length);
    for (let cell = first; cell < first + cells; cell++) {
      this.sieve[cell] = (this.sieve[cell] as number) | (1 << (length - 1));
    }
  }
}

/** The prefixes of one family, keyed by network and length. */
class FamilyTable {
  private values: Uint32Array;
  private readonly table: KeyTable;
  private readonly counts = new Int32Array(129);
  /** Lengths that occur, the longest first. */
  private lengths: number[] = [];

  constructor(private readonly words: 1 | 4) {
    this.table = new KeyTable(words + 1, (capacity) => {
      const values = new Uint32Array(capacity);
      values.set(this.values);
      this.values = values;
    });
    this.values = new Uint32Array(this.table.capacity);
  }

  get size(): number {
    return this.table.size;
  }

  set(length: number, value: number, w0: number, w1: number, w2: number, w3: number): void {
    this.key(length, w0, w1, w2, w3);
    let slot = this.table.find();
    if (slot < 0) {
      slot = this.table.add();
      this.count(length, 1);
    }
    this.values[slot] = value;
  }

  delete(length: number, w0: number, w1: number, w2: number, w3: number): boolean {
    this.key(length, w0, w1, w2, w3);
    const slot = this.table.find();
    if (slot < 0) return false;
    this.table.remove(slot);
    this.count(length, -1);
    return true;
  }

  /** The value of the prefix of this length that holds the address. */
  get(length: number, w0: number, w1: number, w2: number, w3: number): number | undefined {
    if (this.counts[length] === 0) return undefined;
    this.key(length, w0, w1, w2, w3);
    const slot = this.table.find();
    return slot < 0 ? undefined : this.values[slot];
  }

  longest(w0: number, w1: number, w2: number, w3: number): number | undefined {
    for (const length of this.lengths) {
      const value = this.get(length, w0, w1, w2, w3);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  private key(length: number, w0: number, w1: number, w2: number, w3: number): void {
    const { key } = this.table;
    key[0] = maskWord(w0, 0, length);
    if (this.words === 4) {
      key[1] = maskWord(w1, 32, length);
      key[2] = maskWord(w2, 64, length);
      key[3] = maskWord(w3, 96, length);
    }
    key[this.words] = length;
  }

  private count(length: number, change: number): void {
    const before = this.counts[length] as number;
    this.counts[length] = before + change;
    if (before !== 0 && before + change !== 0) return;
    this.lengths = [...this.counts.keys()].filter((each) => this.counts[each] !== 0).reverse();
  }
}
