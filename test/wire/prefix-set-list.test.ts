import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Prefix } from "../../provider/model/prefix";
import { parseJson } from "../../provider/wire/json";
import { readPrefixSetList } from "../../provider/wire/prefix-set-list";
import { ShapeError } from "../../provider/wire/shape";

const read = (json: unknown) =>
  readPrefixSetList(json).map(({ prefix, value, spelling }) => [prefix.toString(), value, spelling]);

const ENVELOPES = ["data", "result", "entries", "records", "items", "list"];
const PREFIX_KEYS = ["p", "a", "prefix", "addr", "address", "ip", "cidr"];
const VALUE_KEYS = ["v", "value", "val"];

describe("a list of a prefix-set", () => {
  it.each([
    { list: [{ p: "192.0.2.0/24", v: 7 }] },
    [{ p: "192.0.2.0/24", v: 7 }],
    { data: [{ cidr: "192.0.2.0/24", val: "7" }], status: "ok" },
    { result: "ok", entries: [{ address: "192.0.2.0/24", value: 7, hits: 12, created: "2026-01-01" }] },
    { records: [{ ip: "192.0.2.0/24", v: 7, value: 7 }], error: null, next: "", total: 1 },
    { "192.0.2.0/24": 7 },
    { "192.0.2.0/24": { v: 7, age: 3 } },
  ])("is read from %j", (json) => {
    expect(read(json)).toEqual([["192.0.2.0/24", 7, "192.0.2.0/24"]]);
  });

  it.each([[[]], [{ data: [] }], [{ items: null, status: "ok" }]])("is empty in %j", (json) => {
    expect(read(json)).toEqual([]);
  });

  it("has value 1 where the node lists none", () => {
    expect(read(["192.0.2.1", { p: "192.0.2.2" }])).toEqual([
      ["192.0.2.1/32", 1, "192.0.2.1"],
      ["192.0.2.2/32", 1, "192.0.2.2"],
    ]);
    expect(read({ "2001:db8::/32": {} })).toEqual([["2001:db8::/32", 1, "2001:db8::/32"]]);
  });

  it.each([
    [{}, "the answer is an empty object"],
    [null, "the answer is null"],
    [0, "the answer is the number 0"],
    ["", 'the answer is the text ""'],
    [{ data: {} }, 'the answer is an object with "data"'],
    [{ data: "192.0.2.0/24" }, 'the answer is an object with "data"'],
    [{ rows: [] }, 'the answer is an object with "rows"'],
    [{ data: null, list: null }, 'the answer is an object with "data", "list"'],
    [{ data: [], list: [] }, 'both "data" and "list" are arrays'],
    [{ data: [], total: 5 }, '"total" is 5 and 0 are listed'],
    [{ data: [], next: "/page/2" }, '"next" says that the list goes on'],
    [{ "192.0.2.0/24": 1, status: "ok" }, "the answer is an object with"],
    [{ constructor: 1 }, "the answer is an object with"],
    [[null], "element 0 is null"],
    [["192.0.2.0/24", 5], "element 1 is the number 5"],
    [[["192.0.2.0/24", 1]], "element 0 is an array"],
    [[{}], "element 0 has no prefix (an empty object)"],
    [[{ v: 1 }], 'element 0 has no prefix (an object with "v")'],
    [[{ p: null, v: 1 }], "element 0 has no prefix"],
    [[{ p: "192.0.2.0/24", a: "192.0.2.0/24" }], "element 0 has two addresses"],
    [[{ p: "192.0.2.0/24", v: 1, value: 2 }], "element 0 has two values"],
    [[{ p: "192.0.2.0/24", v: null }], "element 0 has the value null"],
    [[{ p: "192.0.2.0/24", v: -1 }], "element 0 has the value the number -1"],
    [[{ p: "192.0.2.0/24", v: 4294967296 }], "which is no integer from 0 to 4294967295"],
    [[{ p: "192.0.2.0/24", v: 0.5 }], "element 0 has the value the number 0.5"],
    [[{ p: "192.0.2.0/24", v: true }], "element 0 has the value the boolean true"],
    [["192.0.2.0/33"], "element 0:"],
    [["drop"], 'element 0: "drop" is not an IP address or prefix'],
  ])("is not %j", (json, message) => {
    expect(() => read(json)).toThrow(ShapeError);
    expect(() => read(json)).toThrow(message);
  });

  it("of a value beyond 2⁵³ is refused by its digits, not rounded into range", () => {
    expect(() => read(parseJson('[{"p":"192.0.2.0/24","v":18446744073709551617}]'))).toThrow('"18446744073709551617"');
  });
});

const v4 = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 32 }))
  .map(([n, length]) => `${[24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join(".")}/${length}`);
const v6 = fc
  .tuple(
    fc.array(fc.integer({ min: 1, max: 0xfffe }), { minLength: 8, maxLength: 8 }),
    fc.integer({ min: 0, max: 128 }),
  )
  .map(([groups, length]) => `${groups.map((group) => group.toString(16)).join(":")}/${length}`);
const entry = fc.record({ text: fc.oneof(v4, v6), value: fc.integer({ min: 0, max: 2 ** 32 - 1 }) });

describe("properties", () => {
  it("every element of every documented form is read, in order, with its spelling kept", () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 30 }),
        fc.constantFrom(undefined, ...ENVELOPES),
        fc.constantFrom(...PREFIX_KEYS),
        fc.constantFrom(...VALUE_KEYS),
        (entries, envelope, prefixKey, valueKey) => {
          const elements = entries.map(({ text, value }) => ({ [valueKey]: value, [prefixKey]: text }));
          const list = readPrefixSetList(parseJson(JSON.stringify(envelope ? { [envelope]: elements } : elements)));
          expect(list.map(({ spelling, value }) => ({ text: spelling, value }))).toEqual(entries);
          for (const { prefix, spelling } of list) {
            expect(prefix.toString()).toBe(Prefix.parse(spelling, { hostBits: "mask" }).toString());
          }
        },
      ),
    );
  });

  it("any other JSON is an error of one kind: it is never empty, and never breaks the reader", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        try {
          const list = readPrefixSetList(json);
          const members = typeof json === "object" && json !== null ? Object.keys(json) : [];
          const saysEmpty = Array.isArray(json) ? json.length === 0 : members.some((name) => ENVELOPES.includes(name));
          if (list.length === 0) expect(saysEmpty).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(ShapeError);
        }
      }),
    );
  });

  it("one damaged element spoils the list: nothing is left out silently", () => {
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 1, maxLength: 10 }),
        fc.nat(),
        fc.constantFrom(null, 1, {}, "x"),
        (entries, at, bad) => {
          const elements: unknown[] = entries.map(({ text, value }) => ({ p: text, v: value }));
          elements[at % elements.length] = bad;
          expect(() => readPrefixSetList({ data: elements })).toThrow(ShapeError);
        },
      ),
    );
  });
});
