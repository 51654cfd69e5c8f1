import fc from "fast-check";
import { expect, test } from "vitest";
import { aggregatePrefixes, type PrefixEntries } from "../../provider/prefixes";

/** Content of the longest match of each address in a small universe; 0 where no entry covers it. */
type Meaning = readonly number[];

/** A prefix of such a universe: its first address, and how many bits are free. */
type Block = readonly [first: number, free: number];

const textOf = ([first, free]: Block) => `192.0.2.${first}/${32 - free}`;

const entriesOf = (blocks: readonly (readonly [Block, number])[]): PrefixEntries =>
  Object.fromEntries(blocks.map(([block, value]) => [textOf(block), { value }]));

function meaningOf(entries: PrefixEntries, addresses: number): Meaning {
  const blocks = Object.entries(entries).map(([prefix, { value }]) => {
    const [, first, length] = /^192\.0\.2\.(\d+)\/(\d+)$/.exec(prefix) ?? [];
    return { first: Number(first), size: 2 ** (32 - Number(length)), value };
  });
  const narrowFirst = blocks.toSorted((a, b) => a.size - b.size);
  return Array.from({ length: addresses }, (_, address) => {
    return narrowFirst.find(({ first, size }) => address >= first && address < first + size)?.value ?? 0;
  });
}

/** Each address as an entry of its own: the map that has most to save. */
const singles = (meaning: Meaning) =>
  entriesOf(meaning.flatMap((value, first) => (value === 0 ? [] : [[[first, 0], value] as const])));

/** Number of entries that a meaning needs: every prefix has no entry, or one of each content. */
function fewestOf(meaning: Meaning, values: readonly number[]): number {
  const known = new Map<string, number>();
  const visit = (first: number, size: number, inherited: number): number => {
    const key = `${first} ${size} ${inherited}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const below = (says: number) => {
      if (size === 1) return says === meaning[first] ? 0 : Number.POSITIVE_INFINITY;
      return visit(first, size / 2, says) + visit(first + size / 2, size / 2, says);
    };
    const least = Math.min(below(inherited), ...values.map((value) => 1 + below(value)));
    known.set(key, least);
    return least;
  };
  return visit(0, meaning.length, 0);
}

test("every map of eight addresses and two contents becomes as few entries as there can be", () => {
  const keys = Array.from({ length: 3 ** 8 }, (_, index) => index.toString(3).padStart(8, "0"));
  const wrong = keys.filter((key) => {
    const meaning = [...key].map(Number);
    const result = aggregatePrefixes(singles(meaning));
    return Object.keys(result).length !== fewestOf(meaning, [1, 2]) || meaningOf(result, 8).join("") !== key;
  });
  expect(wrong).toEqual([]);
});

const block = fc
  .tuple(fc.nat(31), fc.oneof(fc.nat(2), fc.nat(5)))
  .map(([address, free]): Block => [address - (address % 2 ** free), free]);
const map = fc.array(fc.tuple(block, fc.integer({ min: 1, max: 3 })), { maxLength: 31 });

test("a map of 32 addresses and three contents becomes as few entries as there can be", () => {
  fc.assert(
    fc.property(map, (blocks) => {
      const entries = entriesOf(blocks);
      const meaning = meaningOf(entries, 32);
      const result = aggregatePrefixes(entries);
      expect(meaningOf(result, 32)).toEqual(meaning);
      expect(Object.keys(result)).toHaveLength(fewestOf(meaning, [1, 2, 3]));
    }),
    { numRuns: 2_000 },
  );
});

test("a map that has as few entries as there can be stays as it is", () => {
  fc.assert(
    fc.property(map, (blocks) => {
      const entries = entriesOf(blocks);
      if (Object.keys(entries).length > fewestOf(meaningOf(entries, 32), [1, 2, 3])) return;
      expect(aggregatePrefixes(entries)).toEqual(entries);
    }),
    { numRuns: 1_000 },
  );
});

test("the order in which entries are given makes no difference", () => {
  fc.assert(
    fc.property(map, (blocks) => {
      const entries = entriesOf(blocks);
      const reversed = Object.fromEntries(Object.entries(entries).toReversed());
      expect(Object.entries(aggregatePrefixes(reversed))).toEqual(Object.entries(aggregatePrefixes(entries)));
    }),
    { numRuns: 500 },
  );
});

test("IPv6 prefixes that are far apart in length are as few as there can be", () => {
  const around = { "2001:db8::/32": 1, "2001:db8:8000::/33": 2, "2001:db8::/64": 2, "2001:db8:4000::/34": 2 };
  expect(aggregatePrefixes(around)).toEqual({
    "2001:db8::/32": { value: 2 },
    "2001:db8::/34": { value: 1 },
    "2001:db8::/64": { value: 2 },
  });
});
