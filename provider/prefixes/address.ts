import { canonicalV4, canonicalV6, groups } from "../model/prefix";
import { formatWords } from "../model/prefix-text";

/**
 * Canonical prefixes as 32-bit words and back: one word for IPv4, four for IPv6. For millions of them the model's `Prefix`
 * takes seconds; it still reads every text that is not in canonical form.
 */

/**
 * Writes the address of a prefix in canonical form into `into`, and returns the prefix length; -1 for any other text, and for
 * rare forms, as {@link canonicalV6}. `into` has four words; IPv4 uses the first.
 */
export function readCanonical(text: string, into: Uint32Array): number {
  const address = canonicalV4(text);
  if (address >= 0) {
    into[0] = address;
    return Number(text.slice(text.indexOf("/") + 1));
  }
  const length = canonicalV6(text);
  for (let word = 0; length >= 0 && word < 4; word++) {
    into[word] = (groups[word * 2] as number) * 0x10000 + (groups[word * 2 + 1] as number);
  }
  return length;
}

/** The canonical text of a prefix from the words of its address; host bits must not be set. */
export function formatPrefix(words: ArrayLike<number>, length: number): string {
  return `${formatWords(words)}/${length}`;
}
