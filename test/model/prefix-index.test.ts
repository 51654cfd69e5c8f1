import fc from "fast-check";
import { expect, test } from "vitest";
import { Prefix } from "../../provider/model/prefix";
import { overlaps, PrefixIndex } from "../../provider/model/prefix-index";
import { prefix } from "./arbitraries";

const prefixes = fc.array(prefix, { maxLength: 40 });
const texts = (some: Iterable<Prefix>) => [...some].map(String);
const unique = (some: readonly Prefix[]) => [...new Map(some.map((one) => [one.toString(), one])).values()];

test("a prefix that is set again has the later value", () => {
  const index = new PrefixIndex<number>().set(Prefix.parse("192.0.2.0/24"), 1).set(Prefix.parse("192.0.2.0/24"), 2);
  expect([...index.covering(Prefix.parse("192.0.2.1"))]).toEqual([2]);
});

test("covering prefixes are all that contain the one asked for, the longest first", () => {
  fc.assert(
    fc.property(prefixes, prefix, (all, asked) => {
      const naive = unique(all)
        .filter((one) => one.contains(asked))
        .sort((a, b) => b.length - a.length);
      expect(texts(PrefixIndex.of(all).covering(asked))).toEqual(texts(naive));
      expect(PrefixIndex.of(all).longestMatch(asked)?.toString()).toBe(naive[0]?.toString());
    }),
    { numRuns: 500 },
  );
});

test("overlaps are the pairs that comparing all with all finds, each once", () => {
  const text = (pairs: [Prefix, Prefix][]) => pairs.map(([a, b]) => `${a} ${b}`).sort();
  fc.assert(
    fc.property(prefixes.map(unique), prefixes.map(unique), (entries, others) => {
      const naive = entries.flatMap((a) => others.filter((b) => a.overlaps(b)).map((b): [Prefix, Prefix] => [a, b]));
      expect(text(overlaps(entries, others))).toEqual(text(naive));
    }),
    { numRuns: 500 },
  );
});

test("ten thousand entries against a thousand others take no ten million comparisons", () => {
  const entries = Array.from({ length: 10_000 }, (_, index) =>
    Prefix.parse(`2001:db8:${(index >> 8).toString(16)}:${(index & 255).toString(16)}::/64`),
  );
  const others = Array.from({ length: 1_000 }, (_, index) => Prefix.parse(`2001:db8:${index.toString(16)}::/48`));
  let contained = 0;
  const { contains } = Prefix.prototype;
  Prefix.prototype.contains = function (other) {
    contained += 1;
    return contains.call(this, other);
  };
  try {
    expect(overlaps(entries, others)).toHaveLength(10_000);
  } finally {
    Prefix.prototype.contains = contains;
  }
  expect(contained).toBe(0);
});
