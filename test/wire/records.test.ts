import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Prefix } from "../../provider/model/prefix";
import { parseJson, ShapeError } from "../../provider/wire/json";
import { readMarkList } from "../../provider/wire/mark-list";
import { readProfileList, readRuleList } from "../../provider/wire/record-lists";
import { describedBy } from "../../provider/wire/remedies";

function caught(work: () => unknown): ShapeError {
  try {
    work();
  } catch (error) {
    if (error instanceof ShapeError) return error;
  }
  throw new Error("no ShapeError was thrown");
}

describe("marks", () => {
  it.each([
    [
      "shost",
      { a: "203.0.113.45", id: 70001, v: 1234, t: 3600 },
      { address: "203.0.113.45", id: 70001, value: 1234, lifetime: 3600 },
    ],
    ["shost", { src: "203.0.113.45/32", value: "7", ttl: 1 }, { address: "203.0.113.45", value: 7, lifetime: 1 }],
    ["dhost", { daddr: "2001:DB8::1/128", life: 5 }, { address: "2001:db8::1", lifetime: 5 }],
    [
      "sdhost",
      { saddr: "192.0.2.1", daddr: "192.0.2.2", age: 9, status: "expired" },
      { source: "192.0.2.1", destination: "192.0.2.2", age: 9, status: "expired" },
    ],
    [
      "conn",
      { src: "192.0.2.1", dst: "192.0.2.2", sport: 1, dport: 2, proto: 6 },
      { source: "192.0.2.1", destination: "192.0.2.2", sourcePort: 1, destinationPort: 2, protocol: 6 },
    ],
    [
      "shost",
      { a: "192.0.2.1", rule: "r", why: { deep: [1] }, t: null },
      { address: "192.0.2.1", extra: { rule: "r", why: { deep: [1] } } },
    ],
    ["shost", { a: "192.0.2.1", v: 1, value: "1" }, { address: "192.0.2.1", value: 1, extra: { value: "1" } }],
    ["shost", { id: 1, constructor: 2, toString: 3 }, { id: 1, extra: { constructor: 2, toString: 3 } }],
    [
      "conn",
      { SRC: "192.0.2.1", Dst: "192.0.2.2", sPort: 1, Proto: "udp", ID: 3, Port: 2 },
      {
        source: "192.0.2.1",
        destination: "192.0.2.2",
        sourcePort: 1,
        protocol: "udp",
        id: 3,
        extra: { Port: 2 },
      },
    ],
    // A member whose name stands for something else at this node does not stop the list.
    ["conn", { src: "192.0.2.1", p: 17, t: "tcp" }, { source: "192.0.2.1", extra: { p: 17, t: "tcp" } }],
    ["shost", { a: "192.0.2.1", id: "rule-7", v: null }, { address: "192.0.2.1", extra: { id: "rule-7" } }],
  ] as const)("%s %j", (type, record, mark) => {
    expect(readMarkList([record], type)).toEqual([mark]);
    expect(readMarkList({ records: [record] }, type)).toEqual([mark]);
  });

  it("addresses are canonical, by the short way and by the long one", () => {
    const group = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 0xffff }));
    const write = fc.constantFrom(
      (n: number) => n.toString(16),
      (n: number) => n.toString(16).padStart(4, "0"),
      (n: number) => n.toString(16).toUpperCase(),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(group, write), { minLength: 8, maxLength: 8 }),
        fc.nat(7),
        fc.nat(8),
        (groups, at, run) => {
          const texts = groups.map(([n, spell]) => spell(n));
          let zeros = 0;
          while (zeros < run && groups[at + zeros]?.[0] === 0) zeros++;
          const address =
            zeros === 0 ? texts.join(":") : `${texts.slice(0, at).join(":")}::${texts.slice(at + zeros).join(":")}`;
          let canonical: string | undefined;
          try {
            canonical = Prefix.parse(address).address;
          } catch {
            expect(() => readMarkList([{ a: address }], "shost")).toThrow(ShapeError);
            return;
          }
          expect(readMarkList([{ a: address }], "shost")).toEqual([{ address: canonical }]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("keyed by address", () => {
    expect(readMarkList({ "192.0.2.1": { id: 5 } }, "shost")).toEqual([{ address: "192.0.2.1", id: 5 }]);
    expect(() => readMarkList({ "192.0.2.1": { ip: "192.0.2.2", id: 5 } }, "shost")).toThrow(
      'element 0 stands under "192.0.2.1" and names "192.0.2.2"',
    );
  });

  it("are read by the names of the settings, before the natural ones and in any case", () => {
    const names = { address: "host", value: "hits", id: "rule", lifetime: "left", status: "state" };
    const json = [
      { Host: "192.0.2.1", ip: "198.51.100.1", HITS: 5, v: 9, rule: 7, id: "x", left: 60, state: "expired", zone: 3 },
      { ip: "192.0.2.2", v: 1 },
    ];
    expect(readMarkList(json, "shost", { answers: { names } })).toEqual([
      {
        address: "192.0.2.1",
        value: 5,
        id: 7,
        lifetime: 60,
        status: "expired",
        extra: { ip: "198.51.100.1", v: 9, id: "x", zone: 3 },
      },
      { address: "192.0.2.2", value: 1 },
    ]);
  });

  it("that name their address otherwise are refused with the setting", () => {
    const problem = caught(() => readMarkList([{ host: "192.0.2.1", zone: 3 }], "dhost"));
    expect([problem.message, problem.remedy]).toEqual([
      'element 0 has no id, value or address (an object with "host", "zone")',
      describedBy("names"),
    ]);
  });

  it.each([
    [{ a: "192.0.2.1", v: 1, value: 2 }, "value"],
    [{ value: 2, v: 1, a: "192.0.2.1" }, "value"],
    [{ a: "192.0.2.1", ip: "192.0.2.2", v: 1 }, "address"],
  ])("%j is refused: which member counts is not known", (mark, field) => {
    const problem = caught(() => readMarkList([mark], "shost"));
    expect(problem.message).toContain(`element 0 has two of ${field}`);
    expect(problem.remedy).toContain(`Say which one counts: answers.names: { ${field}: `);
    const names = { value: "v", address: "a" };
    expect(readMarkList([mark], "shost", { answers: { names } })).toMatchObject([{ address: "192.0.2.1", value: 1 }]);
  });

  it("counters of 64 bits keep their digits", () => {
    const json = parseJson('[{"a":"192.0.2.1","id":18446744073709551615,"v":5,"seen":9007199254740993}]');
    expect(readMarkList(json, "shost")).toEqual([
      {
        address: "192.0.2.1",
        id: 2 ** 64,
        value: 5,
        exact: { id: "18446744073709551615" },
        extra: { seen: "9007199254740993" },
      },
    ]);
  });

  it.each([
    [[5], "element 0 is the number 5"],
    [[{ foo: 1 }], 'element 0 has no id, value or address (an object with "foo")'],
    [[{ a: "192.0.2.1" }, { a: "192.0.2.0/24" }], 'element 1: "192.0.2.0/24" is not the address of a mark'],
    [[{ a: "host" }], 'element 0: "host" is not the address of a mark'],
    [[{ a: 5 }], 'element 0: "a" is the number 5 instead of an address'],
    [[{ id: {} }], 'element 0: "id" is an empty object instead of a number'],
    [[{ id: "x" }], 'element 0: "id" is the text "x" instead of a number'],
  ])("not %j", (json, message) => {
    expect(() => readMarkList(json, "shost")).toThrow(ShapeError);
    expect(() => readMarkList(json, "shost")).toThrow(message);
  });
});

describe("profiles and rules", () => {
  it("profiles have a name; the rest is kept", () => {
    const json = {
      data: ["web", { name: "clean", prefixes: ["192.0.2.0/24"] }, { profile: "x", name: "" }, { name: 7 }],
    };
    expect(readProfileList(json)).toEqual([
      { name: "web" },
      { name: "clean", extra: { prefixes: ["192.0.2.0/24"] } },
      { name: "x", extra: { name: "" } },
      { name: "7" },
    ]);
  });

  it("rules have what they have; ids of 64 bits keep their digits", () => {
    const json = parseJson('[{"id":30,"name":"SYN","match":[]},{"id":"x"},"drop all",{"id":9007199254740993}]');
    expect(readRuleList(json)).toEqual([
      { id: 30, name: "SYN", extra: { match: [] } },
      { extra: { id: "x" } },
      { extra: { text: "drop all" } },
      { id: 9007199254740992, exact: { id: "9007199254740993" } },
    ]);
  });

  it("are read by the names of the settings", () => {
    const answers = { path: { profiles: "byName" }, names: { name: "title", id: "number" } };
    const profiles = { byName: { web: { title: "web", prefixes: [] }, clean: {} } };
    expect(readProfileList(profiles, { answers })).toEqual([
      { name: "web", extra: { prefixes: [] } },
      { name: "clean" },
    ]);
    expect(readProfileList([{ Title: "web", name: "other" }], { answers })).toEqual([
      { name: "web", extra: { name: "other" } },
    ]);
    expect(readRuleList([{ Number: 7, id: 1, TITLE: "SYN" }], { answers })).toEqual([
      { id: 7, name: "SYN", extra: { id: 1 } },
    ]);
  });

  it.each([
    [[{ kind: "x", title: "web" }], "names"],
    [{ web: { rules: 2 }, clean: { rules: 1 } }, "path"],
    [{ data: { web: { rules: 2 } } }, "path"],
  ] as const)("%j are no profiles, unless the setting %s says so", (json, setting) => {
    expect(caught(() => readProfileList(json)).remedy).toBe(describedBy(setting));
  });

  it("maps by name or id are read where the settings say that the whole answer is one", () => {
    const answers = { path: { profiles: ".", rules: "." } };
    expect(readProfileList({ web: { rules: 2 }, clean: {} }, { answers })).toEqual([
      { name: "web", extra: { rules: 2 } },
      { name: "clean" },
    ]);
    expect(readRuleList({ "31": { drop: true }, "30": { name: "SYN" } }, { answers })).toEqual([
      { id: 30, name: "SYN" },
      { id: 31, extra: { drop: true } },
    ]);
    const { remedy } = caught(() => readRuleList({ "30": { name: "SYN" } }));
    expect(remedy).toBe(describedBy("path"));
  });

  it.each([
    { status: "ok", took: 3 },
    { label: "SYN", number: 30 },
    { match: [], actions: ["drop"] },
  ])("%j has neither an id nor a name that is known, and is no rule", (record) => {
    const problem = caught(() => readRuleList([{ id: 1 }, record]));
    expect(problem.message).toContain("element 1 is no rule with an id or a name");
    expect(problem.remedy).toBe(describedBy("names"));
  });

  it("rows keyed by their numbers, at a place that the settings name, are rows, whose names and ids are their own", () => {
    const answers = { path: "data" };
    const keyed = { data: { 0: { name: "a" }, 1: { name: "b" } } };
    expect(readProfileList(keyed, { answers })).toEqual([{ name: "a" }, { name: "b" }]);
    expect(() => readRuleList({ data: { 0: { foo: "a" } } }, { answers })).toThrow("element 0");
  });
  it("rules that are keyed by anything but ids are refused: their order is not known", () => {
    expect(() => readRuleList({ "192.0.2.1": { id: 1 } })).toThrow("keyed by something else than their ids");
  });

  it.each([{}, { data: {} }, { table: [] }, null, "web", [null], [[]], [{}], [""]])("%j is neither", (json) => {
    expect(() => readProfileList(json)).toThrow(ShapeError);
    expect(() => readRuleList(json)).toThrow(ShapeError);
  });
});
