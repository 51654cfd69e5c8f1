import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CanonicalPrefix, Prefix } from "../../provider/model/prefix";
import {
  type Difference,
  difference,
  equal,
  isEmpty,
  type PrefixMap,
  sorted,
  summary,
} from "../../provider/model/prefix-map";
import { prefixMap } from "./arbitraries";

const map = (entries: Record<string, number>) => new Map(Object.entries(entries)) as Map<CanonicalPrefix, number>;

/** The map that results when a difference is carried out. */
function apply(observed: PrefixMap, { insert, change, remove }: Difference): PrefixMap {
  const result = new Map(observed);
  for (const prefix of remove.keys()) result.delete(prefix);
  for (const [prefix, value] of insert) result.set(prefix, value);
  for (const [prefix, { to }] of change) result.set(prefix, to);
  return result;
}

describe("the difference of two sets", () => {
  const observed = map({ "192.0.2.0/24": 1, "198.51.100.0/24": 1, "203.0.113.0/24": 1 });
  const wanted = map({ "192.0.2.0/24": 1, "198.51.100.0/24": 2, "2001:db8::/32": 1 });

  test("names what to insert, change and remove, with the values", () => {
    expect(difference(observed, wanted)).toEqual({
      insert: map({ "2001:db8::/32": 1 }),
      change: new Map([["198.51.100.0/24", { from: 1, to: 2 }]]),
      remove: map({ "203.0.113.0/24": 1 }),
    });
  });

  test("is shown in three numbers", () => {
    expect(summary(difference(observed, wanted))).toBe("+1 -1 ~1");
  });

  test("carried out on the old set gives the new one", () => {
    fc.assert(
      fc.property(prefixMap, prefixMap, (from, to) => {
        const delta = difference(from, to);
        expect(apply(from, delta)).toEqual(to);
        expect(equal(apply(from, delta), to)).toBe(true);
        expect(isEmpty(delta)).toBe(equal(from, to));
      }),
    );
  });

  test("is the smallest one: it touches no prefix twice, and none that stays as it is", () => {
    fc.assert(
      fc.property(prefixMap, prefixMap, (from, to) => {
        const { insert, change, remove } = difference(from, to);
        const touched = [...insert.keys(), ...change.keys(), ...remove.keys()];
        expect(new Set(touched).size).toBe(touched.length);
        for (const prefix of touched) expect(from.get(prefix)).not.toBe(to.get(prefix));
      }),
    );
  });
});

test("equal sets are equal in whatever order", () => {
  fc.assert(
    fc.property(prefixMap, (one) => {
      expect(equal(one, new Map([...one].reverse()))).toBe(true);
    }),
  );
});

test("sets that differ in one value are not equal", () => {
  expect(equal(map({ "192.0.2.0/24": 0 }), map({ "192.0.2.0/24": 1 }))).toBe(false);
  expect(equal(map({ "192.0.2.0/24": 1 }), map({ "192.0.2.0/25": 1 }))).toBe(false);
  expect(equal(map({}), map({ "192.0.2.0/25": 0 }))).toBe(false);
});

test("sorted entries are the same entries, in the order of prefixes", () => {
  fc.assert(
    fc.property(prefixMap, (one) => {
      expect(new Map(sorted(one))).toEqual(one);
      const prefixes = sorted(one).map(([key]) => Prefix.fromCanonical(key));
      expect(prefixes).toHaveLength(one.size);
      for (const [index, prefix] of prefixes.entries()) {
        const next = prefixes[index + 1];
        if (next) expect(Prefix.compare(prefix, next)).toBeLessThan(0);
      }
    }),
  );
});
