import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  aggregatePrefixes,
  countAddresses,
  excludePrefixes,
  intersectPrefixes,
  mergeEntries,
  type PrefixEntries,
  type PrefixEntry,
  parsePrefixes,
} from "../../provider/prefixes";
import { mergeAt } from "../../provider/prefixes/algebra/merge";

/** A universe that is small enough to look at every address: the last bits of both families. */
const UNIVERSES = {
  ipv4: { address: (host: number) => `192.0.2.${host}`, bits: 32 },
  ipv6: { address: (host: number) => (host === 0 ? "2001:db8::" : `2001:db8::${host.toString(16)}`), bits: 128 },
};
const HOST_BITS = 8;
const HOSTS = 2 ** HOST_BITS;

interface Block {
  readonly family: keyof typeof UNIVERSES;
  readonly first: number;
  /** Number of free bits. */
  readonly free: number;
}

const block = fc
  .record({
    family: fc.constantFrom("ipv4" as const, "ipv6" as const),
    host: fc.nat(HOSTS - 1),
    // Mostly short ones, which touch and nest.
    free: fc.oneof(fc.nat(3), fc.nat(HOST_BITS)),
  })
  .map(({ family, host, free }): Block => ({ family, first: host - (host % 2 ** free), free }));

const textOf = ({ family, first, free }: Block) => {
  const { address, bits } = UNIVERSES[family];
  return `${address(first)}/${bits - free}`;
};

const EXPIRIES = ["2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z", "2032-01-01T00:00:00+01:00"];
const content: fc.Arbitrary<PrefixEntry> = fc
  .record({
    value: fc.nat(1),
    reason: fc.option(fc.constant("SYN flood"), { nil: undefined }),
    expires: fc.option(fc.constantFrom(...EXPIRIES), { nil: undefined, freq: 1 }),
  })
  .map(({ value, reason, expires }) => ({ value, ...(reason && { reason }), ...(expires && { expires }) }));

/** Eight addresses and a few contents: prefixes, their halves and what is around them all come, and often say the same. */
const crowded = fc
  .array(
    fc.record({
      host: fc.nat(7),
      free: fc.nat(3),
      value: fc.oneof(fc.constant(1), fc.nat(2)),
      expires: fc.oneof(fc.constant(undefined), fc.constantFrom(...EXPIRIES)),
    }),
    { minLength: 4, maxLength: 20 },
  )
  .map((all) =>
    all.map(({ host, free, value, expires }): [Block, PrefixEntry] => [
      { family: "ipv4", first: host - (host % 2 ** free), free },
      { value, ...(expires && { expires }) },
    ]),
  );

const blocks = fc.array(block, { maxLength: 20 });
const named = (pairs: [Block, PrefixEntry][]) => new Map(pairs.map(([one, what]) => [textOf(one), { one, what }]));
const set = fc.oneof(fc.array(fc.tuple(block, content), { maxLength: 24 }), crowded).map(named);
const crowdedSet = crowded.map(named);
type Naive = ReadonlyMap<string, { one: Block; what: PrefixEntry }>;

const entriesOf = (naive: Naive): PrefixEntries =>
  Object.fromEntries([...naive].map(([prefix, { what }]) => [prefix, what]));

const covers = ({ family, first, free }: Block, host: number, of: string) =>
  family === of && host >= first && host < first + 2 ** free;

/** Content of the longest match of every address, looked up one by one. */
function meaning(naive: Naive, hosts = HOSTS): (PrefixEntry | undefined)[] {
  return Object.keys(UNIVERSES).flatMap((family) =>
    Array.from({ length: hosts }, (_, host) => {
      const all = [...naive.values()].filter(({ one }) => covers(one, host, family));
      return all.sort((a, b) => a.one.free - b.one.free)[0]?.what;
    }),
  );
}

/** Reads a result back without any code of the package. */
function naiveOf(entries: PrefixEntries): Naive {
  return new Map(
    Object.entries(entries).map(([prefix, what]) => {
      const [address = "", length] = prefix.split("/");
      const family = address.includes(":") ? "ipv6" : "ipv4";
      const last = address.split(family === "ipv6" ? ":" : ".").at(-1) ?? "";
      const first = Number.parseInt(last || "0", family === "ipv6" ? 16 : 10);
      return [prefix, { one: { family, first, free: UNIVERSES[family].bits - Number(length) }, what }];
    }),
  );
}

const inside = (regions: readonly Block[]) =>
  Object.keys(UNIVERSES).flatMap((family) =>
    Array.from({ length: HOSTS }, (_, host) => regions.some((region) => covers(region, host, family))),
  );

const runs = { numRuns: 200 };

/** The entries that are left at a time. */
const at = (naive: Naive, time: string): Naive =>
  new Map([...naive].filter(([, { what }]) => !what.expires || Date.parse(what.expires) > Date.parse(time)));
const times = ["2029-01-01T00:00:00Z", ...EXPIRIES, "2040-01-01T00:00:00Z"];
const endOf = ({ expires }: PrefixEntry) => (expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires));

/**
 * Judges the entries that are left of others, at each address and time. The longest match is that of before, but for one case:
 * an entry that lives longer, and was cut, may stand for one that lies in it and was not, or was cut to single addresses.
 */
function judgeCut(naive: Naive, result: PrefixEntries & { readonly kept: number }, isLeft: readonly boolean[]): void {
  const [written, all] = [naiveOf(result), [...naive.values()]];
  const left = ({ family, first, free }: Block) =>
    isLeft.slice((family === "ipv6" ? HOSTS : 0) + first, (family === "ipv6" ? HOSTS : 0) + first + 2 ** free);
  const isWhole = (one: Block) => left(one).every(Boolean);
  let replaced = 0;
  for (const time of times) {
    const [before, after] = [meaning(at(naive, time)), meaning(at(written, time))];
    for (const [index, what] of before.entries()) {
      const found = after[index];
      const expected = isLeft[index] ? what : undefined;
      if (JSON.stringify(found) === JSON.stringify(expected)) continue;
      const [family, host] = index < HOSTS ? ["ipv4", index] : ["ipv6", index - HOSTS];
      const around = all.filter(({ one }) => covers(one, host, family)).sort((a, b) => a.one.free - b.one.free);
      const narrow = around.find((each) => each.what === what);
      const wide = around.filter((each) => JSON.stringify(each.what) === JSON.stringify(found));
      const isAlone = isLeft[index ^ 1] === false;
      const stands = wide.some(
        (each) =>
          narrow !== undefined &&
          each.one.free > narrow.one.free &&
          endOf(each.what) > endOf(narrow.what) &&
          !isWhole(each.one) &&
          (isWhole(narrow.one) || isAlone),
      );
      if (!stands) expect({ time, host, family, found }).toEqual({ time, host, family, found: expected });
      replaced++;
    }
  }
  expect(replaced === 0 || result.kept > 0).toBe(true);
}

/** Sets whose entries and regions touch: most of the work is where a rest falls on another entry. */
const cutSets = fc.oneof(
  fc.tuple(set, blocks),
  fc
    .tuple(crowdedSet, fc.array(fc.record({ host: fc.nat(7), free: fc.nat(2) }), { minLength: 1, maxLength: 4 }))
    .map(([naive, all]): [Naive, Block[]] => [
      naive,
      all.map(({ host, free }) => ({ family: "ipv4", first: host - (host % 2 ** free), free })),
    ]),
);

test("exclude: nothing of the regions is covered, every other address means what it meant, now and after each expiry", () => {
  fc.assert(
    fc.property(cutSets, ([naive, regions]) => {
      const isOut = inside(regions);
      judgeCut(
        naive,
        excludePrefixes(entriesOf(naive), regions.map(textOf)),
        isOut.map((one) => !one),
      );
    }),
    runs,
  );
});

test("the rest of a wider entry is kept where one that expires sooner has its prefix", () => {
  const [soon, late] = ["2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"];
  const entries = {
    "192.0.2.0/24": { value: 1, reason: "for ever" },
    "192.0.2.0/25": { value: 2, expires: soon },
    "192.0.2.0/26": { value: 3, expires: late },
  };
  const excluded = excludePrefixes(entries, ["192.0.2.128/25"]);
  expect([excluded, excluded.kept]).toEqual([
    { "192.0.2.0/25": { value: 1, reason: "for ever" }, "192.0.2.0/26": { value: 3, expires: late } },
    1,
  ]);
  expect(intersectPrefixes(entries, ["192.0.2.0/25"])).toEqual(excluded);
  // Both were cut: each is the longest match in its time.
  expect(excludePrefixes(entries, ["192.0.2.0/25", "192.0.2.192/26"])).toEqual({
    "192.0.2.128/26": { value: 1, reason: "for ever" },
  });
  const both = { "192.0.2.0/24": 1, "192.0.2.0/25": { value: 2, expires: soon } };
  expect(excludePrefixes(both, ["192.0.2.64/26", "192.0.2.128/25"])).toEqual({
    "192.0.2.0/26": { value: 1 },
    "192.0.2.0/27": { value: 2, expires: soon },
    "192.0.2.32/27": { value: 2, expires: soon },
  });
});

test("exclude: an entry that is split becomes as few as can be", () => {
  fc.assert(
    fc.property(block, blocks, (one, regions) => {
      const result = excludePrefixes([textOf(one)], regions.map(textOf));
      const left = Array.from({ length: HOSTS }, (_, host) => host).filter(
        (host) => covers(one, host, one.family) && !regions.some((region) => covers(region, host, one.family)),
      );
      expect(Object.keys(result)).toHaveLength(fewest(left));
    }),
    runs,
  );
});

/** Number of prefixes that cover exactly these hosts: halves that are both full are one. */
function fewest(hosts: readonly number[], first = 0, size = HOSTS): number {
  const within = hosts.filter((host) => host >= first && host < first + size);
  if (within.length === 0) return 0;
  if (within.length === size) return 1;
  return fewest(within, first, size / 2) + fewest(within, first + size / 2, size / 2);
}

test("exclude without splitting: what overlaps a region goes, all else stays", () => {
  fc.assert(
    fc.property(set, blocks, (naive, regions) => {
      const overlap = (a: Block, b: Block) =>
        a.family === b.family && a.first < b.first + 2 ** b.free && b.first < a.first + 2 ** a.free;
      const expected = [...naive].filter(([, { one }]) => !regions.some((region) => overlap(one, region)));
      const result = excludePrefixes(entriesOf(naive), regions.map(textOf), { split: false });
      expect(result).toEqual(entriesOf(new Map(expected)));
    }),
    runs,
  );
});

test("intersect: every address of the regions means what it meant, now and after each expiry, no other is covered", () => {
  fc.assert(
    fc.property(cutSets, ([naive, regions]) => {
      judgeCut(naive, intersectPrefixes(entriesOf(naive), regions.map(textOf)), inside(regions));
    }),
    runs,
  );
});

test("exclude and intersect touch no entry that they need not", () => {
  fc.assert(
    fc.property(set, blocks, (naive, regions) => {
      const [isIn, entries] = [inside(regions), entriesOf(naive)];
      const hosts = ({ family, first, free }: Block) =>
        Array.from({ length: 2 ** free }, (_, n) => isIn[(family === "ipv6" ? HOSTS : 0) + first + n]);
      const outer = [...naive].filter(([, { one }]) => hosts(one).every((isOne) => !isOne)).map(([prefix]) => prefix);
      const inner = [...naive].filter(([, { one }]) => hosts(one).every((isOne) => isOne)).map(([prefix]) => prefix);
      expect(Object.keys(excludePrefixes(entries, regions.map(textOf)))).toEqual(expect.arrayContaining(outer));
      expect(Object.keys(intersectPrefixes(entries, regions.map(textOf)))).toEqual(expect.arrayContaining(inner));
    }),
    runs,
  );
});

describe("aggregate", () => {
  test("every address means what it meant, whatever has expired", () => {
    fc.assert(
      fc.property(crowdedSet, (naive) => {
        const result = naiveOf(aggregatePrefixes(entriesOf(naive)));
        for (const time of times) expect(meaning(at(result, time), 8)).toEqual(meaning(at(naive, time), 8));
      }),
      { numRuns: 1_000 },
    );
  });

  test("reading and aggregating in one step gives what both give", () => {
    fc.assert(
      fc.property(set, (naive) => {
        const entries = entriesOf(naive);
        const text = Object.entries(entries).map(([prefix, entry]) => JSON.stringify({ prefix, ...entry }));
        const options = { format: "ndjson", allowEmpty: true } as const;
        expect(Object.entries(parsePrefixes(text.join("\n"), { ...options, aggregate: true }))).toEqual(
          Object.entries(aggregatePrefixes(entries)),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

test("count: each address once", () => {
  fc.assert(
    fc.property(set, (naive) => {
      const isCovered = inside([...naive.values()].map(({ one }) => one));
      const number = (from: number) => BigInt(isCovered.slice(from, from + HOSTS).filter(Boolean).length);
      expect(countAddresses(entriesOf(naive))).toEqual({ ipv4: number(0), ipv6: number(HOSTS) });
    }),
    runs,
  );
});

test("merge: of live entries the last one counts, and an expired one hides none", () => {
  const over = (what: PrefixEntry | undefined, time: string) => what !== undefined && endOf(what) <= Date.parse(time);
  fc.assert(
    fc.property(set, set, fc.constantFrom(...times), (a, b, time) => {
      const [first, second] = [entriesOf(a), entriesOf(b)];
      const expected = Object.entries(second).map(([prefix, what]): [string, PrefixEntry] => {
        const earlier = first[prefix];
        return [prefix, earlier !== undefined && over(what, time) && !over(earlier, time) ? earlier : what];
      });
      expect(mergeAt(Date.parse(time), [first, second])).toEqual({ ...first, ...Object.fromEntries(expected) });
    }),
    runs,
  );
  const [published, ours] = [{ "192.0.2.0/24": 1 }, { "192.0.2.0/24": { value: 2, expires: "2020-01-01T00:00:00Z" } }];
  expect(mergeEntries(published, ours)).toEqual({ "192.0.2.0/24": { value: 1 } });
  expect(mergeEntries(ours)).toEqual(ours);
});

test("results are in the order of addresses, wider before narrower", () => {
  fc.assert(
    fc.property(set, blocks, (naive, regions) => {
      for (const result of [
        aggregatePrefixes(entriesOf(naive)),
        excludePrefixes(entriesOf(naive), regions.map(textOf)),
        intersectPrefixes(entriesOf(naive), regions.map(textOf)),
      ]) {
        const order = [...naiveOf(result).values()].map(({ one }) => one);
        const sorted = order.toSorted(
          (a, b) => a.family.localeCompare(b.family) || a.first - b.first || b.free - a.free,
        );
        expect(order).toEqual(sorted);
      }
    }),
    runs,
  );
});
