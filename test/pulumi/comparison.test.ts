import { expect, it } from "vitest";
import type { CanonicalPrefix } from "../../provider/model/prefix";
import { comparison, type Declared } from "../../provider/pulumi/preview/comparison";

const map = <V>(entries: Record<string, V>) => new Map(Object.entries(entries) as [CanonicalPrefix, V][]);
const declared = (entries: Record<string, number | undefined>, more: Partial<Declared> = {}): Declared => ({
  entries: map(entries),
  exclusive: true,
  incomplete: false,
  secret: new Set(),
  ignored: new Set(),
  isIgnored: false,
  isSecret: false,
  ...more,
});
const held = map({ "192.0.2.0/24": 1, "192.0.2.1/32": 5, "203.0.113.0/24": 2 });

it("says nothing where a set holds what is declared, and where a value is not known yet", () => {
  expect(comparison(held, declared({ "192.0.2.0/24": 1, "192.0.2.1/32": 5, "203.0.113.0/24": undefined }))).toBe(
    undefined,
  );
  expect(comparison(held, declared({ "192.0.2.0/24": 1 }, { exclusive: false }))).toBe(undefined);
});

it("names missing and changed entries and, in a set of one owner, undeclared ones", () => {
  expect(comparison(held, declared({ "192.0.2.0/24": 1, "192.0.2.1/32": 7, "198.51.100.0/24": 1 }))).toBe(
    "holds 3 entries; lacks 1 (198.51.100.0/24); has other values for 1 (192.0.2.1/32 has 5, not 7); has undeclared 1 (203.0.113.0/24)",
  );
  expect(comparison(held, declared({ "198.51.100.0/24": 1 }, { exclusive: false }))).toBe(
    "holds 3 entries; lacks 1 (198.51.100.0/24); 3 entries are of others",
  );
});

it("names five and counts all, and counts what is secret without a name", () => {
  const many = Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`10.0.${i >> 8}.${i & 255}/32`, 1]));
  expect(comparison(map({}), declared(many))).toBe(
    "holds 0 entries; lacks 1 200 (10.0.0.0/32, 10.0.0.1/32, 10.0.0.2/32, 10.0.0.3/32, 10.0.0.4/32 and 1195 more)",
  );
  const secret = new Set(map({ "192.0.2.0/24": 1, "198.51.100.0/24": 1 }).keys());
  expect(comparison(held, declared({ "192.0.2.0/24": 4, "198.51.100.0/24": 1 }, { secret, exclusive: false }))).toBe(
    "holds 3 entries; lacks 1 ([secret]); has other values for 1 ([secret]); 2 entries are of others",
  );
});

it("of a set whose prefixes are secret names nothing, not even what others put there", () => {
  expect(comparison(held, declared({ "192.0.2.0/24": 4, "198.51.100.0/24": 1 }, { isSecret: true }))).toBe(
    "holds 3 entries; lacks 1 ([secret]); has other values for 1 ([secret]); has undeclared 2 ([secret])",
  );
});

it("takes nothing for undeclared while a part of the program is unknown", () => {
  expect(comparison(held, declared({ "192.0.2.0/24": 1 }, { incomplete: true }))).toBe(
    "holds 3 entries; not all that the program declares is known yet",
  );
});

it("says nothing of what ignoreChanges leaves as it is", () => {
  const ignored = new Set(map({ "192.0.2.1/32": 1, "198.51.100.0/24": 1 }).keys());
  const other = declared(
    { "192.0.2.0/24": 1, "192.0.2.1/32": 7, "198.51.100.0/24": 1, "203.0.113.0/24": 2 },
    { ignored },
  );
  expect(comparison(held, other)).toBe(undefined);
  expect(comparison(held, declared({ "192.0.2.0/24": 9 }, { isIgnored: true }))).toBe(
    "holds 3 entries; what differs from the program is left as it is (ignoreChanges)",
  );
});
