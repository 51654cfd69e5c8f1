import { describe, expect, test } from "vitest";
import {
  aggregatePrefixes,
  countAddresses,
  excludePrefixes,
  intersectPrefixes,
  mergeEntries,
  type PrefixFileOptions,
  parsePrefixes,
  readPrefixFile,
} from "../../provider/prefixes";
import { problemsOf } from "./support";

test("value and reason are for entries that have none", () => {
  const text = "prefix,value,reason\n192.0.2.0/24,,\n198.51.100.0/24,7,mine\n";
  expect(parsePrefixes(text, { value: 3, reason: "list" })).toEqual({
    "192.0.2.0/24": { value: 3, reason: "list" },
    "198.51.100.0/24": { value: 7, reason: "mine" },
  });
});

test("hostBits: mask corrects", () => {
  expect(parsePrefixes("192.0.2.1/24\n2001:db8::1/32\n", { hostBits: "mask" })).toEqual({
    "192.0.2.0/24": { value: 1 },
    "2001:db8::/32": { value: 1 },
  });
});

describe("onDuplicate", () => {
  const text = "192.0.2.0/24 2\n198.51.100.0/24 1\n192.0.2.0/24 3\n192.0.2.0/24 1\n";
  const values = (onDuplicate: PrefixFileOptions["onDuplicate"]) =>
    parsePrefixes(text, { onDuplicate })["192.0.2.0/24"]?.value;

  test("different values fail unless it is said which one counts", () => {
    expect(problemsOf(text)).toEqual([
      "text:3:1: 192.0.2.0/24 appears again with the value 3; it had 2 before: keep one of them, or set onDuplicate.",
      "text:4:1: 192.0.2.0/24 appears again with the value 1; it had 2 before: keep one of them, or set onDuplicate.",
    ]);
    expect([values("first"), values("last"), values("max")]).toEqual([2, 1, 3]);
  });

  test("spellings of one prefix are one prefix", () => {
    expect(problemsOf("192.0.2.7 1\n192.0.2.7/32 2\n")[0]).toContain("192.0.2.7/32 appears again");
    expect(Object.keys(parsePrefixes("2001:db8::\n2001:0DB8:0::/128\n"))).toEqual(["2001:db8::/128"]);
  });

  test("with equal values the one that is wanted longest stays", () => {
    const row = (reason: string, expires = "") => `192.0.2.0/24,${reason},${expires}\n`;
    const read = (...rows: string[]) => parsePrefixes(`prefix,reason,expires\n${rows.join("")}`, { format: "csv" });
    const [early, late] = ["2030-01-01T00:00:00Z", "2030-01-02T00:00:00Z"];
    expect(read(row("a", early), row("b", late))).toEqual({ "192.0.2.0/24": { value: 1, reason: "b", expires: late } });
    expect(read(row("a", late), row("b", early))).toEqual({ "192.0.2.0/24": { value: 1, reason: "a", expires: late } });
    expect(read(row("a", early), row("b"))).toEqual({ "192.0.2.0/24": { value: 1, reason: "b" } });
    expect(read(row("a"), row("b"))).toEqual({ "192.0.2.0/24": { value: 1, reason: "a" } });
  });
});

test("an expired entry never takes the place of another one, whatever the rule", () => {
  const rows = (...values: [number, string][]) =>
    ["prefix,value,expires", ...values.map(([value, expires]) => `192.0.2.0/24,${value},${expires}`), ""].join("\n");
  const past = "2020-01-01T00:00:00Z";
  for (const onDuplicate of ["fail", "first", "last", "max"] as const) {
    for (const text of [rows([9, past], [1, ""]), rows([1, ""], [9, past])]) {
      expect(parsePrefixes(text, { onDuplicate })).toEqual({ "192.0.2.0/24": { value: 1 } });
    }
  }
  const both = [
    { prefix: "192.0.2.0/24", value: 1 },
    { prefix: "192.0.2.0/24", value: 2, expires: past },
  ];
  expect(aggregatePrefixes(both)).toEqual({ "192.0.2.0/24": { value: 1 } });
  expect(aggregatePrefixes(both.toReversed())).toEqual({ "192.0.2.0/24": { value: 1 } });
});

test("maxEntries counts prefixes, those of ranges too", () => {
  expect(problemsOf("192.0.2.0/32\n192.0.2.0\n192.0.2.1-192.0.2.6\n", { maxEntries: 3 })).toEqual([
    "text:3:1: more than 3 entries: shorten the file, or raise maxEntries.",
  ]);
  expect(Object.keys(parsePrefixes("192.0.2.1-192.0.2.6\n", { maxEntries: 4 }))).toHaveLength(4);
});

test("aggregate joins what both steps join, by the same rules", () => {
  const text = "192.0.2.0/25 2\n192.0.2.128/25 2\n198.51.100.0/24 1\n198.51.100.0/24 3\n2001:db8::/33\n";
  const read = (options: PrefixFileOptions) => parsePrefixes(text, { ...options, aggregate: true });
  for (const onDuplicate of ["first", "last", "max"] as const)
    expect(read({ onDuplicate })).toEqual(aggregatePrefixes(parsePrefixes(text, { onDuplicate })));
  expect(() => read({})).toThrow("198.51.100.0/24 appears again with the value 3; it had 1 before");
  expect(() => read({ onDuplicate: "max", maxEntries: 3 })).toThrow("more than 3 entries");
  expect(() => read({ onDuplicate: "max", maxEntries: 4 })).not.toThrow();
});

test("allowEmpty: an empty list can be meant", () => {
  expect(parsePrefixes("# none today\n", { allowEmpty: true })).toEqual({});
  expect(parsePrefixes("", { allowEmpty: true })).toEqual({});
  expect(() => parsePrefixes("", { allowEmpty: false })).toThrow("there is no prefix in it");
});

test.each<[object, string]>([
  [{ formt: "txt" }, "There is no option `formt`."],
  [{ columns: { prefix: 0, valu: 1 } }, "There is no option `columns.valu`."],
  [{ format: "xml" }, "The option `format` is not one of txt, csv, json, ndjson, yaml."],
  [{ value: -1 }, "The option `value` is not an integer from 0 to 4294967295."],
  [{ maxEntries: 1.5 }, "The option `maxEntries` is not an integer."],
  [{ hostBits: "drop" }, 'The option `hostBits` is neither "reject" nor "mask".'],
  [{ columns: { prefix: -1 } }, "The option `columns.prefix` is neither a name nor a number from 0."],
  [{ columns: "cidr" }, 'The option `columns` is not an object, such as { prefix: "cidr" }.'],
  [{ select: "EC2" }, 'The option `select` is not an object of texts and booleans, such as { service: "EC2" }.'],
  [{ select: { service: 7 } }, "The option `select.service` is neither a text nor a boolean."],
  [["txt"], "The options are not an object."],
  [{ aggregate: "yes" }, "The option `aggregate` is neither true nor false."],
  [{ header: "yes" }, "The option `header` is neither true nor false."],
  [{ header: true }, "The option `header` needs the format csv."],
  [
    { format: "csv", header: false, columns: { prefix: "ip" } },
    "The option `columns` has names, and `header` is false: number the columns from 0.",
  ],
  [{ columns: { prefix: 0 } }, "The option `columns` needs a format that has columns: csv, json, ndjson or yaml."],
])("%j is wrong at once", (options, message) => {
  expect(() => parsePrefixes("192.0.2.0/24", options)).toThrow(new TypeError(message));
});

describe("the algebra takes what a PrefixSet takes", () => {
  test("arrays, numbers, objects, in any spelling", () => {
    expect(mergeEntries(["192.0.2.7"], { "2001:DB8::/32": 5 }, { "192.0.2.7/32": { reason: "mine" } })).toEqual({
      "192.0.2.7/32": { value: 1, reason: "mine" },
      "2001:db8::/32": { value: 5 },
    });
    expect(countAddresses({ "0.0.0.0/0": 1, "::/0": 1, "192.0.2.0/24": 1 })).toEqual({
      ipv4: 2n ** 32n,
      ipv6: 2n ** 128n,
    });
    expect(Object.keys(excludePrefixes(["0.0.0.0/0"], ["255.255.255.255"]))).toHaveLength(32);
    expect(Object.keys(excludePrefixes(["::/0"], ["::1"]))).toHaveLength(128);
    expect(excludePrefixes(["10.0.0.0/8"], [])).toEqual({ "10.0.0.0/8": { value: 1 } });
  });

  test("of two spellings of one prefix the later counts", () => {
    const entries = { "198.51.100.0/24": 1, "192.0.2.7": 1, "192.0.2.7/32": 2 };
    expect(aggregatePrefixes(entries)["192.0.2.7/32"]).toEqual({ value: 2 });
    expect(mergeEntries(entries)["192.0.2.7/32"]).toEqual({ value: 2 });
  });

  test("the regions may be entries themselves", () => {
    expect(excludePrefixes(["192.0.2.0/24"], parsePrefixes("192.0.2.0/25"))).toEqual({
      "192.0.2.128/25": { value: 1 },
    });
  });

  test.each<[() => unknown, string]>([
    [() => aggregatePrefixes(["192.0.2.1/24"]), '`entries[0]`: "192.0.2.1/24" has host bits set'],
    [
      () => aggregatePrefixes({ "192.0.2.0/24": -1 }),
      '`entries["192.0.2.0/24"].value` is not an integer from 0 to 4294967295.',
    ],
    [
      () => aggregatePrefixes({ "192.0.2.0/24": { valu: 1 } as object }),
      '`entries["192.0.2.0/24"]` has no member `valu`: `value` is likely meant.',
    ],
    [() => aggregatePrefixes({ "192.0.2.0/24": { expires: "tomorrow" } }), "is not an ISO time with zone"],
    [
      () => aggregatePrefixes({ "192.0.2.0/24": null as never }),
      '`entries["192.0.2.0/24"]` is neither a number nor an object.',
    ],
    [() => excludePrefixes([], ["x"]), '`prefixes[0]`: "x" is not an IP address'],
    [() => mergeEntries([], ["x"]), '`entries[1][0]`: "x" is not an IP address'],
    [() => countAddresses("192.0.2.0/24" as never), "`entries` is neither an array of prefixes nor an object"],
    [() => mergeEntries([], "192.0.2.0/24" as never), "`entries[1]` is neither an array of prefixes nor an object"],
    [() => aggregatePrefixes(new Set([7]) as never), "`entries[0]` is not a text with a prefix in it."],
    [() => aggregatePrefixes(Promise.resolve([]) as never), "`entries` is neither an array of prefixes"],
    [() => excludePrefixes([], "192.0.2.0/24" as never), "`prefixes` is neither an array of prefixes nor an object"],
    [() => excludePrefixes([], null as never), "`prefixes` is neither an array of prefixes nor an object"],
    [
      () => aggregatePrefixes([{ prefix: "192.0.2.0/24", valu: 1 }] as never),
      "`entries[0]` has no member `valu`: `value` is likely meant.",
    ],
    [
      () => aggregatePrefixes([{ prefix: "192.0.2.0/24", value: "1" }]),
      "`entries[0]` is neither a number nor an object.",
    ],
    [() => intersectPrefixes([], 7 as never), "`prefixes` is neither an array of prefixes nor an object"],
    [() => excludePrefixes([], [], { splitt: false } as never), "There is no option `splitt`."],
    [() => excludePrefixes([], [], { split: "false" as never }), "The option `split` is neither true nor false."],
    [() => excludePrefixes([], [], false as never), "The options are not an object."],
    [() => parsePrefixes(["192.0.2.0/24"] as never), "`text` is not a text."],
    [() => readPrefixFile(7 as never), "`file` is not the path of a file."],
  ])("%s names what is wrong", (work, message) => {
    expect(work).toThrow(TypeError);
    expect(work).toThrow(message);
  });
});

test("values that differ in reason, ticket or expiry are not merged", () => {
  const [a, b] = ["192.0.2.0/25", "192.0.2.128/25"];
  const entry = { value: 1, reason: "x", ticket: "INC-4711", expires: "2030-01-01T00:00:00Z" };
  expect(aggregatePrefixes({ [a]: entry, [b]: { ...entry } })).toEqual({ "192.0.2.0/24": entry });
  for (const other of [{ value: 2 }, { reason: "y" }, { ticket: undefined }, { expires: "2031-01-01T00:00:00Z" }]) {
    expect(Object.keys(aggregatePrefixes({ [a]: entry, [b]: { ...entry, ...other } }))).toEqual([a, b]);
  }
});

test("what an entry kept apart is merged once that entry is merged itself", () => {
  const [soon, late] = [
    { value: 1, expires: "2030-01-01T00:00:00Z" },
    { value: 1, expires: "2031-01-01T00:00:00Z" },
  ];
  const halves = { "192.0.2.4/31": soon, "192.0.2.6/31": soon };
  expect(aggregatePrefixes({ "192.0.2.4/30": late, ...halves })).toEqual({ "192.0.2.4/30": late, ...halves });
  expect(aggregatePrefixes({ "192.0.2.0/30": late, "192.0.2.4/30": late, ...halves })).toEqual({
    "192.0.2.0/29": late,
    "192.0.2.4/30": soon,
  });
});

test("entries cannot be changed by accident, since they are shared", () => {
  const entries = parsePrefixes("192.0.2.0/24\n198.51.100.0/24 2 \n");
  for (const entry of Object.values(entries)) expect(Object.isFrozen(entry)).toBe(true);
});
