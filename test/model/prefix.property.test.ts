import fc from "fast-check";
import { expect, test } from "vitest";
import { Prefix } from "../../provider/model/prefix";
import { isMapped, naiveContains, naivePrefix, prefix, spell } from "./arbitraries";

const RUNS = { numRuns: 1_000 };
const naive = naivePrefix.filter((one) => !isMapped(one));

test("two prefixes have one text exactly when they have the same bits", () => {
  fc.assert(
    fc.property(naive, naive, (a, b) => {
      const same = a.family === b.family && a.bits === b.bits;
      expect(Prefix.parse(spell(a)).equals(Prefix.parse(spell(b)))).toBe(same);
    }),
    RUNS,
  );
});

test("canonical IPv6 follows RFC 5952: lower case, no leading zero, first longest zero run shortened", () => {
  fc.assert(
    fc.property(
      naive.filter(({ family }) => family === 6),
      (one) => {
        const groups = spell(one).split("/")[0]?.split(":") ?? [];
        const runs = groups.map((_, from) => {
          const end = groups.findIndex((group, index) => index >= from && group !== "0");
          return (end < 0 ? groups.length : end) - from;
        });
        const longest = Math.max(...runs);
        const from = runs.indexOf(longest);
        const short =
          longest < 2
            ? groups.join(":")
            : `${groups.slice(0, from).join(":")}::${groups.slice(from + longest).join(":")}`;
        expect(Prefix.parse(spell(one)).address).toBe(short);
      },
    ),
    RUNS,
  );
});

test("contains and overlaps agree with the beginning of the bits", () => {
  fc.assert(
    fc.property(naive, naive, (a, b) => {
      const [left, right] = [Prefix.parse(spell(a)), Prefix.parse(spell(b))];
      expect(left.contains(right)).toBe(naiveContains(a, b));
      expect(left.overlaps(right)).toBe(naiveContains(a, b) || naiveContains(b, a));
    }),
    RUNS,
  );
});

test("a truncated prefix contains the one that it came from", () => {
  fc.assert(
    fc.property(
      naive.chain((one) => fc.tuple(fc.constant(one), fc.nat({ max: one.bits.length }))),
      ([one, length]) => {
        const cut = Prefix.parse(spell(one)).truncate(length);
        expect(cut.toString()).toBe(Prefix.parse(spell({ ...one, bits: one.bits.slice(0, length) })).toString());
        expect(cut.contains(Prefix.parse(spell(one)))).toBe(true);
      },
    ),
    RUNS,
  );
});

test("host bits are refused with exactly the prefix that masking gives", () => {
  const address = naive.filter(({ family, bits }) => bits.length === (family === 4 ? 32 : 128));
  fc.assert(
    fc.property(address, fc.nat({ max: 128 }), (one, any) => {
      const length = any % (one.bits.length + 1);
      const network = Prefix.parse(spell({ ...one, bits: one.bits.slice(0, length) })).toString();
      const spelling = spell(one).replace(/\/\d+$/, `/${length}`);
      expect(Prefix.parse(spelling, { hostBits: "mask" }).toString()).toBe(network);
      if (/1/.test(one.bits.slice(length))) {
        expect(() => Prefix.parse(spelling)).toThrow(
          expect.objectContaining({ problem: "host-bits", corrected: network }),
        );
      } else expect(Prefix.parse(spelling).toString()).toBe(network);
    }),
    RUNS,
  );
});

test("the order is total: antisymmetric, transitive, and zero only for equals", () => {
  fc.assert(
    fc.property(prefix, prefix, prefix, (a, b, c) => {
      const { compare } = Prefix;
      expect(Math.sign(compare(a, b))).toBe(0 - Math.sign(compare(b, a)));
      expect(compare(a, b) === 0).toBe(a.equals(b));
      if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0);
    }),
    RUNS,
  );
});

test("in order, a prefix stands before all that it contains, and IPv4 before IPv6", () => {
  fc.assert(
    fc.property(prefix, prefix, (a, b) => {
      if (a.family < b.family || (a.contains(b) && !a.equals(b))) expect(Prefix.compare(a, b)).toBeLessThan(0);
    }),
    RUNS,
  );
});

test("any text is either understood or refused with a PrefixError, and never hangs", () => {
  const alphabet = fc.constantFrom(..."0123456789abcdefABCDEF.:/%-, xg[]".split(""));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: alphabet, maxLength: 70 }), fc.string({ maxLength: 200 })), (text) => {
      try {
        const parsed = Prefix.parse(text).toString();
        expect(Prefix.parse(parsed).toString()).toBe(parsed);
      } catch (error) {
        expect(error).toMatchObject({ name: "PrefixError", code: "invalid-prefix", spelling: text });
      }
    }),
    { numRuns: 5_000 },
  );
});
