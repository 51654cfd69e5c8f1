import type { Prefix } from "../../model/prefix";
import { maskWord, prefixWords, type Words } from "../packet/address";

/**
 * Prefixes with values, for the longest-prefix match of packets. `PrefixIndex` of the model does this for a `Prefix`; this
 * table takes addresses as 32-bit words and can remove prefixes.
 *
 * @example
 * ```ts
 * const table = new PacketPrefixTable([[Prefix.parse("192.0.2.0/24"), 7]]);
 * table.find(4, parseAddress("192.0.2.9").words);     // 7
 * ```
 */
export class PacketPrefixTable<Value = number> {
  /** Values by prefix length, longest first, then by network. */
  private lengths: Record<4 | 6, Map<number, Map<number | string, Value>>> = { 4: new Map(), 6: new Map() };

  constructor(entries: Iterable<readonly [Prefix, Value]> = []) {
    for (const [prefix, value] of entries) this.set(prefix, value);
  }

  get size(): number {
    return [...this.lengths[4].values(), ...this.lengths[6].values()].reduce((sum, { size }) => sum + size, 0);
  }

  set(prefix: Prefix, value: Value): void {
    const { family, words, length } = prefixWords(prefix);
    let networks = this.lengths[family].get(length);
    if (!networks) {
      networks = new Map();
      this.lengths[family] = new Map([...this.lengths[family], [length, networks] as const].sort(([a], [b]) => b - a));
    }
    networks.set(networkOf(family, length, words), value);
  }

  /** Removes exactly this prefix; false if it is absent. */
  delete(prefix: Prefix): boolean {
    const { family, words, length } = prefixWords(prefix);
    const networks = this.lengths[family].get(length);
    const removed = networks?.delete(networkOf(family, length, words)) ?? false;
    if (networks?.size === 0) this.lengths[family].delete(length);
    return removed;
  }

  clear(): void {
    this.lengths = { 4: new Map(), 6: new Map() };
  }

  /** The value of the longest prefix that contains an address. */
  find(family: 4 | 6, words: Words): Value | undefined {
    for (const [length, networks] of this.lengths[family]) {
      const value = networks.get(networkOf(family, length, words));
      if (value !== undefined) return value;
    }
    return undefined;
  }
}

/** The first `length` bits of an address. */
function networkOf(family: 4 | 6, length: number, words: Words): number | string {
  if (family === 4) return maskWord(words[0], 0, length);
  return words.map((word, at) => maskWord(word, 32 * at, length)).join();
}
