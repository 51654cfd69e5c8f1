import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answers } from "../../provider/wire/answers";
import { parseJson, ShapeError } from "../../provider/wire/json";
import { type ListedEntry, readPrefixSetList } from "../../provider/wire/prefix-set-list";
import { describedBy } from "../../provider/wire/remedies";

const NAMES = describedBy("names");

const flat = ({ prefix, value, spelling }: ListedEntry) => [prefix.toString(), value, spelling];
const read = (json: unknown) => readPrefixSetList(json).map(flat);

function refusal(json: unknown): ShapeError {
  try {
    read(json);
  } catch (error) {
    if (error instanceof ShapeError) return error;
  }
  throw new Error(`${JSON.stringify(json)} was read`);
}

const ENVELOPES =
  "data result results response entries records items list rows profiles rules marks prefixes prefixset".split(" ");

describe("a list of a prefix-set", () => {
  it.each([
    { result: "ok", entries: [{ address: "192.0.2.0/24", value: 7, hits: 12, created: "2026-01-01" }] },
    { records: [{ ip: "192.0.2.0/24", v: 7, value: 7 }], error: null, next: "", total: 1 },
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
    [[null], "element 0 is null"],
    [["192.0.2.0/24", 5], "element 1 is the number 5"],
    [[["192.0.2.0/24", 1, 1]], "element 0 is an array"],
    [[{}], "element 0 has no prefix (an empty object)"],
    [[{ v: 1 }], 'element 0 has no prefix (an object with "v")'],
    [[{ p: null, v: 1 }], "element 0 has no prefix"],
    [[{ p: "192.0.2.0/24", a: "192.0.2.0/24" }], "element 0 has two addresses"],
    [[{ p: "192.0.2.0/24", v: 1, value: 2 }], "element 0 has two values"],
    [[{ p: "192.0.2.0/24", v: null }], "element 0 has the value null"],
    [[{ p: "192.0.2.0/24", v: true }], "element 0 has the value the boolean true"],
    [["192.0.2.0/33"], "element 0:"],
    [["drop"], 'element 0: "drop" is not an IP address or prefix'],
  ])("is not %j", (json, message) => {
    expect(() => read(json)).toThrow(ShapeError);
    expect(() => read(json)).toThrow(message);
  });

  it.each<[json: unknown, prefix: string, value: number, spelling: string]>([
    // One entry that holds a list of something else.
    [[{ p: "192.0.2.0/24", v: 7, rules: [{ id: 3 }] }], "192.0.2.0/24", 7, "192.0.2.0/24"],
    // A pair.
    [{ items: [["192.0.2.1", "7"]] }, "192.0.2.1/32", 7, "192.0.2.1"],
    // A length beside the address, as a number, its text or a netmask.
    [[{ a: "192.0.2.0", mask: "255.255.255.0", v: 7 }], "192.0.2.0/24", 7, "192.0.2.0/24"],
    [[{ net: "192.0.2.1", Len: "24", v: 7 }], "192.0.2.0/24", 7, "192.0.2.1/24"],
    [[{ network: "2001:DB8::", plen: "/32", v: 7 }], "2001:db8::/32", 7, "2001:DB8::/32"],
    [[{ ip: "2001:db8::", prefixlen: "ffff:ffff::", v: 7 }], "2001:db8::/32", 7, "2001:db8::/32"],
    [[{ ip: "0.0.0.0", bits: 0, v: 7 }], "0.0.0.0/0", 7, "0.0.0.0/0"],
    [[{ ip: "0.0.0.0", mask: "0.0.0.0", v: 7 }], "0.0.0.0/0", 7, "0.0.0.0/0"],
    // A length beside a prefix that has one.
    [[{ cidr: "192.0.2.0/24", m: 24, v: 7 }], "192.0.2.0/24", 7, "192.0.2.0/24"],
    [[{ cidr: "192.0.2.0/24", mask: 255, v: 7 }], "192.0.2.0/24", 7, "192.0.2.0/24"],
    [[{ ip: "192.0.2.1", m: null, v: 7 }], "192.0.2.1/32", 7, "192.0.2.1"],
    // An address as a number, in hexadecimal, as octets; a range that is one prefix.
    [[{ ip: "0xC0000200", m: 24, v: 7 }], "192.0.2.0/24", 7, "192.0.2.0/24"],
    [[{ ip: [192, 0, 2, 0], m: 24, v: 7 }], "192.0.2.0/24", 7, "192.0.2.0/24"],
    [
      [{ ip: [32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], v: 7 }],
      "2001:db8::1/128",
      7,
      "2001:0db8:0000:0000:0000:0000:0000:0001",
    ],
    [[[3_221_225_985, 7]], "192.0.2.1/32", 7, "192.0.2.1"],
    [[{ ip: "192.0.2.0", last: "192.0.2.127", v: 7 }], "192.0.2.0/25", 7, "192.0.2.0/25"],
    [[{ from: "2001:db8::", to: "2001:db8::ffff", v: 7 }], "2001:db8::/112", 7, "2001:db8::/112"],
    [[{ p: "192.0.2.0/24", from: "2026-01-01", to: "2026-02-01", v: 7 }], "192.0.2.0/24", 7, "192.0.2.0/24"],
    // A netmask behind the slash.
    [[{ p: "192.0.2.0/255.255.255.128", v: 7 }], "192.0.2.0/25", 7, "192.0.2.0/255.255.255.128"],
    // Keyed, with a length or the prefix inside.
    [{ "192.0.2.0": { m: 24, v: 7 } }, "192.0.2.0/24", 7, "192.0.2.0/24"],
    [{ result: { "192.0.2.0/24": { prefix: "192.0.2.0/24", v: 7 } } }, "192.0.2.0/24", 7, "192.0.2.0/24"],
    // Numbers that rows have are no lengths.
    [[{ id: 24, ip: "192.0.2.1", age: 7, v: 7 }], "192.0.2.1/32", 7, "192.0.2.1"],
    [[{ ip: "192.0.2.1", host: "192.0.2.1", v: 7 }], "192.0.2.1/32", 7, "192.0.2.1"],
    [[{ ip: "192.0.2.1", v: 7, hits: 129, note: "x", ok: true, tags: [24] }], "192.0.2.1/32", 7, "192.0.2.1"],
  ])("is read from %j as %s with value %s", (json, prefix, value, spelling) => {
    expect(read(json)).toEqual([[prefix, value, spelling]]);
  });

  it.each<[element: unknown, message: string, remedy?: string]>([
    [
      { ip: "192.0.2.0", size: 24 },
      'is a bare address beside "size", which could be its length',
      'If it is, set answers.names.prefixLength; if not, set answers.names.prefixLength: "/".',
    ],
    [{ ip: "192.0.2.1", hits: 128, v: 1 }, 'is a bare address beside "hits"', "prefixLength"],
    [{ ip: "192.0.2.0", x: 0, netBits: "24", v: 1 }, 'is a bare address beside "x"', "prefixLength"],
    [{ ip: "192.0.2.0", wildcard: "255.255.255.0" }, 'beside "wildcard"', "prefixLength"],
    [{ ip: "192.0.2.0", last: "192.0.2.254" }, "is the range 192.0.2.0 to 192.0.2.254, which is not a single prefix"],
    [{ from: "192.0.2.1", to: "192.0.2.2" }, "is the range 192.0.2.1 to 192.0.2.2, which is not a single prefix"],
    [{ from: "192.0.2.9", to: "192.0.2.8" }, "is the range 192.0.2.9 to 192.0.2.8, which is not a single prefix"],
    [{ from: "192.0.2.0", to: "2001:db8::" }, "is the range 192.0.2.0 to 2001:db8::, which is not a single prefix"],
    [{ from: "192.0.2.0", count: 256, v: 1 }, "has the first address of a range and no last one", NAMES],
    ["192.0.2.0-192.0.2.2", "is the range 192.0.2.0 to 192.0.2.2, which is not a single prefix"],
    [{ ip: 24, m: 24 }, "has no prefix", NAMES],
    [{ ip: [192, 0, 2, 256], m: 24 }, "has no prefix", NAMES],
    [{ ip: "128.0.0.0", netmask4: "128.0.0.0" }, 'is a bare address beside "netmask4"', "prefixLength"],
    [{ ip: "0.0.0.0", netmask4: "0.0.0.0" }, 'is a bare address beside "netmask4"', "prefixLength"],
    [{ subnet: "192.0.2.0", size: 24, weight: 700 }, "has no prefix", NAMES],
    [
      { ip: "192.0.2.0/24", weight: 7 },
      'has no value, and "weight" could be it',
      'If it is, set answers.names.value; if not, set answers.names.value: "value".',
    ],
    [{ p: "192.0.2.0/24", ip: "192.0.2.0/24" }, "has two addresses", NAMES],
    [{ net: "192.0.2.0", prefix: 24, v: 1 }, "has two addresses", NAMES],
    [{ p: "192.0.2.0/24", v: 7, val: 8 }, "has two values", NAMES],
    [{ p: "192.0.2.0", m: 24, len: 25 }, "has two lengths", NAMES],
    [{ p: "192.0.2.0/24", m: 25 }, "has two lengths, 24 and 25"],
    [{ p: "192.0.2.0", m: 33 }, "no valid prefix length"],
    [{ p: "192.0.2.0", m: 255 }, "has a member for the length that holds none"],
    [{ p: "192.0.2.0", mask: "0.0.0.255" }, "has a member for the length that holds none"],
    [{ p: "192.0.2.0", mask: "" }, "has a member for the length that holds none"],
    [{ p: "10.1.2.3", mask: "ff00::" }, "has a member for the length that holds none"],
    [{ p: "2001:db8::", mask: "255.255.0.0" }, "has a member for the length that holds none"],
    [{ p: "192.0.2.1", m: 0 }, "the length 0, which would be the default route"],
    [{ p: "192.0.2.1/0" }, "the length 0, which would be the default route"],
    ["192.0.2.1/0.0.0.0", "the length 0, which would be the default route"],
    ["2001:db8::/0", "the length 0, which would be the default route"],
    ["192.0.2.0/0.0.0.255", "no valid prefix length"],
    [["192.0.2.0", "192.0.2.255"], 'has the value the text "192.0.2.255"'],
    [["192.0.2.0/24", "198.51.100.0/24"], 'has the value the text "198.51.100.0/24"'],
    [["192.0.2.0/24", null], "has the value null"],
    [["192.0.2.0/24"], "is an array"],
    [[24, "192.0.2.0"], "is an array"],
  ])("with the element %j is refused, with the setting that reads it", (element, message, remedy) => {
    const problem = refusal([element]);
    expect(problem.message).toContain("element 0");
    expect(problem.message).toContain(message);
    if (remedy) expect(problem.remedy).toContain(remedy);
    else expect(problem.remedy).toBeUndefined();
  });

  it.each<[name: string, content: unknown]>([
    ["disabled", true],
    ["state", "pending"],
    ["status", "deleted"],
    ["op", "delete"],
    ["committed", false],
    ["is_active", "no"],
    ["Action", "permit"],
    ["exclude", true],
    ["not", "198.51.100.7"],
    ["deleted", 1],
    ["applied", 0],
    ["is_blocked", 0],
    ["state", "Pending commit"],
    ["state", "delete_pending"],
    ["status", "failed: no space"],
    ["status", "failed to install"],
  ])("with the member %j: %j is refused, unless the settings say that it does not matter", (name, content) => {
    const record = { p: "192.0.2.0/24", v: 7, [name]: content };
    for (const json of [[record], { "192.0.2.0/24": record }]) {
      const problem = refusal(json);
      expect(problem.message).toBe(
        `element 0 has ${JSON.stringify(name)}: ${JSON.stringify(content)}, and may not be applied`,
      );
      expect(problem.remedy).toBe(`If the entry counts whatever it says, set answers.ignore: ["${name}"].`);
      expect(readPrefixSetList(json, { answers: { ignore: [name.toUpperCase()] } })).toHaveLength(1);
    }
    expect(readPrefixSetList([{ p: "192.0.2.0/24", [name]: 7 }], { answers: { names: { value: name } } })).toHaveLength(
      1,
    );
  });

  it("with the members of an applied entry is read", () => {
    const applied = {
      state: "active",
      status: "ok",
      enabled: true,
      disabled: false,
      deleted: 0,
      ttl: 60,
      action: "drop",
    };
    expect(read([{ p: "192.0.2.0/24", v: 7, ...applied }])).toEqual([["192.0.2.0/24", 7, "192.0.2.0/24"]]);
  });

  it.each([
    { blocked: 0 },
    { active: 0 },
    { allowed: 1 },
    { removed: 1 },
    { not: 3 },
    { state: "passive" },
    { state: "failover" },
    { state: "Passau" },
    { state: "expires in 5 min" },
    { action: "Failed login" },
    { operation: "drafting" },
    { column_1: "inactive" },
    { type: "allow", list: "pass", mode: "permit", category: "trusted" },
    { duration: "4h", end: "2020-01-01", end_time: 0, deleted_at: null },
    { safe: 1, malicious: 0, status: "closed" },
  ])("with a counter or a word that reports no other state is read: %j", (member) => {
    expect(read([{ p: "192.0.2.0/24", v: 7, ...member }])).toEqual([["192.0.2.0/24", 7, "192.0.2.0/24"]]);
  });

  it("keyed by one prefix and naming another is refused", () => {
    expect(() => read({ "192.0.2.0/24": { p: "192.0.2.0/25" } })).toThrow(
      'element 0 stands under "192.0.2.0/24" and names "192.0.2.0/25"',
    );
  });

  it.each<[answers: Answers, element: unknown, entry: unknown]>([
    [
      { names: { prefix: "subnet", prefixLength: "size", value: "weight" } },
      { Subnet: "192.0.2.0", SIZE: 24, weight: 7, v: 3, p: "x" },
      ["192.0.2.0/24", 7, "192.0.2.0/24"],
    ],
    [{ names: { prefix: "p" } }, { p: "192.0.2.0/24", ip: "192.0.2.9", v: 7 }, ["192.0.2.0/24", 7, "192.0.2.0/24"]],
    [{ names: { value: "weight" } }, { p: "192.0.2.0/24", v: 7 }, ["192.0.2.0/24", 7, "192.0.2.0/24"]],
    // Once it is said which member is the length, no other is suspected; "/" says that none is.
    [{ names: { prefixLength: "size" } }, { ip: "192.0.2.1", hits: 24, size: 32 }, ["192.0.2.1/32", 1, "192.0.2.1/32"]],
    [{ names: { prefixLength: "size" } }, { ip: "192.0.2.0/24", hits: 25 }, ["192.0.2.0/24", 1, "192.0.2.0/24"]],
    [{ names: { prefixLength: "/" } }, { ip: "192.0.2.1", hits: 24 }, ["192.0.2.1/32", 1, "192.0.2.1"]],
    [{ columns: { prefix: 1, value: 2 } }, ["x", "192.0.2.0/24", "0x2"], ["192.0.2.0/24", 2, "192.0.2.0/24"]],
    [{ names: { prefixLength: "size" } }, { ip: "192.0.2.0", size: null, m: 24 }, ["192.0.2.0/32", 1, "192.0.2.0"]],
  ])("with the settings %j is read from %j", (answers, element, entry) => {
    expect(readPrefixSetList([element], { answers }).map(flat)).toEqual([entry]);
  });

  it.each<[names: Answers["names"], element: unknown, message?: string]>([
    [{ rangeStart: "lo", rangeEnd: "hi" }, { lo: "192.0.2.0", hi: 255 }, "and no last one"],
    [{ rangeEnd: "hi" }, { ip: "192.0.2.0", hi: 255 }, "and no last one"],
    [{ prefix: "subnet" }, { subnet: "192.0.2.0", size: 24 }],
    [{ prefix: "subnet" }, { subnet: "192.0.2.0", network: "192.0.2.0/24" }],
    [{ value: "weight" }, { p: "192.0.2.0", v: 24, weight: 7 }],
  ])(
    "with the names %j a bare address is still not taken for a single one: %j",
    (names, element, message = "is a bare address beside") => {
      expect(() => readPrefixSetList([element], { answers: { names } })).toThrow(message);
    },
  );

  it.each([0.5, 1.5, -1, 2 ** 32, 1e300, "drop", "1.5", "18446744073709551617", " 7", ""])(
    "keeps the value %j that another writer wrote",
    (value) => {
      const lists = [[{ p: "192.0.2.0/24", v: value }], [["192.0.2.0/24", value]], { "192.0.2.0/24": value }];
      for (const json of lists) expect(readPrefixSetList(json).map((entry) => entry.value)).toEqual([value]);
    },
  );

  it("keeps the digits of a value that a double would round", () => {
    const list = readPrefixSetList(
      parseJson('[{"p":"192.0.2.0/24","v":18446744073709551617},{"p":"192.0.2.1","v":"7"}]'),
    );
    expect(list.map(({ value }) => value)).toEqual(["18446744073709551617", 7]);
  });
});

it("any other JSON is an error of one kind, never empty and never a crash", () => {
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
