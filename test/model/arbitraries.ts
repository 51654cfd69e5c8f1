import fc from "fast-check";
import { type CanonicalPrefix, Prefix } from "../../provider/model/prefix";

const BITS = { 4: 32, 6: 128 } as const;

/** Bits as text, `"110000…"`: the naive model of a prefix that the properties compare with. */
export interface NaivePrefix {
  readonly family: 4 | 6;
  readonly bits: string;
}

/**
 * Prefixes of both families and every length. Half of them share a few leading bits with others,
 * since independent ones would hardly ever contain each other.
 */
export const naivePrefix: fc.Arbitrary<NaivePrefix> = fc.constantFrom(4 as const, 6 as const).chain((family) => {
  const bits = (max: number) => fc.string({ unit: fc.constantFrom("0", "1"), maxLength: max });
  const crowded = fc
    .tuple(fc.constantFrom("11000000", "110000000000", "00100000000000010000110110111000", ""), bits(4))
    .map(([start, end]) => (start + end).slice(0, BITS[family]));
  return fc.oneof(bits(BITS[family]), crowded).map((text) => ({ family, bits: text }));
});

/** The text of a naive prefix, written group by group without any shortening. */
export function spell({ family, bits }: NaivePrefix): string {
  const all = bits.padEnd(BITS[family], "0");
  const size = family === 4 ? 8 : 16;
  const groups = (all.match(new RegExp(`.{${size}}`, "g")) ?? []).map((group) => Number.parseInt(group, 2));
  const address = family === 4 ? groups.join(".") : groups.map((group) => group.toString(16)).join(":");
  return `${address}/${bits.length}`;
}

/** True when the text of the one begins with that of the other: containment, by definition. */
export function naiveContains(a: NaivePrefix, b: NaivePrefix): boolean {
  return a.family === b.family && b.bits.startsWith(a.bits);
}

/** Inside of `::ffff:0:0/96` a prefix is refused: it is the mapped form of an IPv4 one. */
export function isMapped({ family, bits }: NaivePrefix): boolean {
  return family === 6 && bits.startsWith("0".repeat(80) + "1".repeat(16));
}

export const prefix: fc.Arbitrary<Prefix> = naivePrefix
  .filter((naive) => !isMapped(naive))
  .map((naive) => Prefix.parse(spell(naive)));

/** Content of a set; small values and crowded prefixes, so that two of them share many keys. */
export const prefixMap: fc.Arbitrary<Map<CanonicalPrefix, number>> = fc
  .array(fc.tuple(prefix, fc.nat({ max: 3 })), { maxLength: 40 })
  .map((entries) => new Map(entries.map(([key, value]) => [key.toString(), value])));

/** True for canonical IPv6 that is not known at a glance: with two colons at its beginning, or with two runs of zeros. */
export function isRare(text: string): boolean {
  return text.startsWith("::") || /::.*(^|:)0:0(:|\/)|(^|:)0:0:.*::/.test(text);
}
