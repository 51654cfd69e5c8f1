import { describe, expect, it } from "vitest";
import { readList } from "../../provider/client/answer-readers";
import type { Answers, ListKind } from "../../provider/wire/answers";
import { readMarkList } from "../../provider/wire/mark-list";
import { readPrefixSetList } from "../../provider/wire/prefix-set-list";
import { readProfileList, readRuleList } from "../../provider/wire/record-lists";
import { describedBy, PROBE } from "../../provider/wire/remedies";

const READERS = {
  prefixset: (json: unknown, habits: object) =>
    readPrefixSetList(json, habits).map(({ prefix, value }) => `${prefix} ${value}`),
  profiles: readProfileList,
  rules: readRuleList,
  marks: (json: unknown, habits: object) => readMarkList(json, "shost", habits),
};

function read(body: string, answers: Answers, kind: ListKind = "prefixset"): unknown {
  const answer = { status: 200, header: () => undefined, headers: {}, body };
  const reading = readList<readonly unknown[]>(answer, kind, READERS[kind], { answers });
  if (reading.kind === "done") return reading.value;
  const { outcome, message, remedy } = reading;
  return { outcome, message, ...(remedy !== undefined && { remedy }) };
}

const TWO = ["192.0.2.0/24 7", "2001:db8::/32 1"];

describe("a set in lines", () => {
  it.each<[title: string, body: string, columns?: Answers["columns"]]>([
    [
      "any blanks, ends of lines and comments",
      "\uFEFF# two\r\n\r\n192.0.2.0/24\t 7\r\n; v6\n! x\n// y\n  2001:db8::/32  1",
    ],
    ["CR alone at the ends of lines", "# two\r192.0.2.0/24 7\r2001:db8::/32 1\r"],
    ["CR alone behind a comment", "192.0.2.0/24 7\n# v6\r2001:db8::/32 1\n"],
    ["a last line that says OK", "192.0.2.0/24 7\n2001:db8::/32 1\n+OK 2 entries"],
    ["a counter of 0 in a column without a name", "192.0.2.0/24 7 0\n2001:db8::/32 1 NO", { prefix: 0, value: 1 }],
    ["a head of which not every word is a usual name", "PREFIX VALUE FLAGS\n192.0.2.0/24 7 x\n2001:db8::/32 1 x"],
    ["columns by number", "a 192.0.2.0/24 x 0x7\nb 2001:db8::/32 y 1", { prefix: 1, value: 3 }],
    ["a length in a column of its own", "192.0.2.0 24 7\n2001:db8:: 32 1", { prefix: 0, prefixLength: 1, value: 2 }],
    [
      "first and last address",
      "192.0.2.0 192.0.2.255 7\n2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 1",
      { rangeStart: 0, rangeEnd: 1, value: 2 },
    ],
  ])("is read with %s", (_title, body, columns) => {
    expect([read(body, { format: "lines", columns })].flat().sort()).toEqual(TWO);
  });

  it.each<[comment: string, problem: string]>([
    ["# truncated", '"# truncated", may report a part of the list'],
    ["; ... 200 more", '"; ... 200 more", may report a part of the list'],
    ["# limit reached", '"# limit reached", may report a part of the list'],
    ["!192.0.2.0/24 1", '"!192.0.2.0/24 1", has a prefix, and may negate it'],
    ["# page 1 of 3", '"# page 1 of 3", may report a part of the list'],
    ["# 50 of 200 entries shown", '"# 50 of 200 entries shown", may report a part of the list'],
    ["# 50 of 200 marks", '"# 50 of 200 marks", may report a part of the list'],
    ["# showing 10 of 300 active prefixes", '"# showing 10 of 300 active prefixes", may report a part of the list'],
    ["# truncated: yes", '"# truncated: yes", may report a part of the list'],
    ["# list is limited to 100 entries", '"# list is limited to 100 entries", may report a part of the list'],
    ["! 192.0.2.0/24 1 30", '"! 192.0.2.0/24 1 30", has a prefix, and may negate it'],
    ["// 192.0.2.0/24", '"// 192.0.2.0/24", has a prefix, and may negate it'],
  ])("with the comment %j is refused, unless the settings say that comments do not matter", (comment, problem) => {
    const body = `198.51.100.0/24 1\n${comment}\n`;
    expect(read(body, { format: "lines" })).toMatchObject({
      message: expect.stringContaining(`line 2, ${problem}`),
      remedy: 'If the list is whole whatever it says, set answers.ignore: ["comments"].',
    });
    expect(read(body, { format: "lines", ignore: ["comments"] })).toEqual(["198.51.100.0/24 1"]);
  });

  it.each(["lines", "csv"] as const)("in the format %s with the words of a failure is one", (format) => {
    const body = "192.0.2.0/24\n-- table busy, list again --\n";
    const answers = { format, columns: { prefix: 0 }, ignore: ["column 1"] };
    expect(read(body, { ...answers, failure: { text: "Table busy" } })).toMatchObject({ outcome: "refused" });
  });

  it.each([
    "# page 1 of 1",
    "# 1 of 1 entries",
    "# truncated: no",
    "# partial: false",
    "# not truncated",
    "# 0 more",
    "# 0 entries omitted",
    "# capacity: 1 of 65536 used",
    "# 12 of 8192 slots used",
    "# 2 of 10 mitigations active",
    "# access limited to admins",
    "! 198.51.100.7 asked for this list",
  ])("with the comment %j is read", (comment) => {
    expect(read(`198.51.100.0/24 1\n${comment}\n`, { format: "lines" })).toEqual(["198.51.100.0/24 1"]);
  });

  it("is read with other comments, and with an entry that is commented out", () => {
    const body = "# generated at 10:30, more in the manual\n#192.0.2.0/24 1\n! end of list\n198.51.100.0/24 1\n";
    expect(read(body, { format: "lines" })).toEqual(["198.51.100.0/24 1"]);
  });

  it("is empty where only OK, comments or a head stand, or where the settings say so", () => {
    for (const body of ["OK 0", "# no entries\n", "PREFIX VALUE\n", "PREFIX VALUE HITS\n"])
      expect(read(body, { format: "lines" })).toEqual([]);
    expect(read("", { format: "lines", empty: "" })).toEqual([]);
    expect(read("", { format: "lines" })).toMatchObject({ message: "the answer is empty" });
  });

  it.each([
    ["192.0.2.0/24 7\nERROR table locked", "ERROR table locked"],
    ["% Error: no such set", "% Error: no such set"],
    ["OK 2\n192.0.2.0/24\nFAILED after 1", "FAILED after 1"],
    ["# error: lock timeout\n", "# error: lock timeout"],
    ['{"error":"no such set"}', "no such set"],
  ])("that tells of an error is one: %j", (body, message) => {
    expect(read(body, { format: "lines" })).toEqual({ outcome: "refused", message });
  });

  it.each<[body: string, message: string, answers?: Answers]>([
    ["no network", "line 1 has 2 fields, and nothing says what they are"],
    ["There is a lock on this table", "line 1 has 7 fields, and nothing says what they are"],
    ["network timeout", "line 1 has 2 fields, and nothing says what they are"],
    ["prefix list truncated at 100\n192.0.2.0/24", "line 1 has 5 fields, and nothing says what they are"],
    ["no such set, check the name", 'element 0: "no such set"', { format: "csv", columns: { prefix: 0, value: 1 } }],
    ["netz,gewicht", 'element 0: "netz"', { format: "csv", columns: { prefix: 0, value: 1 } }],
    ["OK 3\n192.0.2.0/24 7", "the answer announces 3 and lists 1"],
    ["192.0.2.0/24 7\n--more--\nnext page", "line 3 has 2 fields, and nothing says what they are"],
    ["192.0.2.0/24 7\n--more--", 'element 1: "--more--"'],
    ["192.0.2.0/24 7\naccess denied for you", "line 2 has 4 fields, and nothing says what they are"],
    ["192.0.2.0/24 7\nlocked", 'element 1: "locked"'],
    ["192.0.2.0 24", "line 1 has 2 fields, and nothing says what they are"],
    ["192.0.2.0 255.255.255.0", "line 1 has 2 fields, and nothing says what they are"],
    ["[]", 'the answer is JSON, and answers.format is "lines"'],
    ["<html><title>Login</title>", 'the answer is an HTML page titled "Login"'],
  ])("is never read in part or as another one: %j", (body, message, answers = { format: "lines" }) => {
    const { message: told } = read(body, answers) as { message: string };
    expect(told).toContain(message);
  });

  it("has a value beside a bare address where that can be no length", () => {
    expect(read("192.0.2.1 24\n192.0.2.2 7", { format: "lines" })).toEqual(["192.0.2.1/32 24", "192.0.2.2/32 7"]);
  });
});

describe("a set as CSV", () => {
  it.each<[title: string, body: string, columns?: Answers["columns"]]>([
    [
      "numbers beside a head line",
      "net,mask,weight\n192.0.2.0,24,7\n2001:db8::,32,1",
      { prefix: 0, prefixLength: 1, value: 2 },
    ],
    [
      "numbers beside a head line of other words",
      "netz,gewicht\n192.0.2.0/24,7\n2001:db8::/32,1",
      { prefix: 0, value: 1 },
    ],
    ["two columns of one name that nothing reads", "prefix,value,Tag,tag\n192.0.2.0/24,7,a,b\n2001:db8::/32,1,a,b"],
    [
      "a column that has the name of a member, and is none",
      "cidr,weight,value\n192.0.2.0/24,7,9\n2001:db8::/32,1,9",
      { prefix: "cidr", value: "weight" },
    ],
    ["empty fields", "192.0.2.0/24\t7\n2001:db8::/32\t", { prefix: 0, value: 1 }],
    ["empty fields behind a line with OK", "OK 2\nnote;prefix;value\n;192.0.2.0/24;7\n;2001:db8::/32;1"],
  ])("is read with %s", (_title, body, columns) => {
    expect(read(body, { format: "csv", columns })).toEqual(TWO);
  });

  it("says which column the settings name in vain, and where a quote is wrong", () => {
    expect(read("net,w\n192.0.2.0/24,7", { format: "csv", columns: { prefix: "cidr" } })).toMatchObject({
      message: 'the head line has no column "cidr", but "net", "w"',
    });
    const twice = "prefix,value,Value\n192.0.2.0/24,7,8";
    expect(read(twice, { format: "csv" })).toEqual({
      outcome: "unknown",
      message: 'the head line has the column "Value" twice',
      remedy: "Set answers.columns with numbers.",
    });
    expect(read(twice, { format: "csv", columns: { prefix: 0, value: 1 } })).toEqual(["192.0.2.0/24 7"]);
    expect(read("net,w,W\n192.0.2.0/24,7,8", { format: "csv", columns: { prefix: "net", value: "w" } })).toMatchObject({
      message: 'the head line has the column "W" twice',
    });
    expect(read('192.0.2.0/24,7\n"198.51.100.0/24,8', { format: "csv" })).toMatchObject({
      message: "line 2 begins a quoted field that does not end",
    });
  });
});

describe("a set as NDJSON", () => {
  it.each<[body: string, message: string, answers?: Answers]>([
    ['{"p":"192.0.2.0/24"}\n{"error":"table locked"}', "table locked"],
    ['{"p":"192.0.2.0/24"}\nERROR 5 table locked', "ERROR 5 table locked"],
    ['{"p":"192.0.2.0/24"}\n{"next":"abc"}', '"next" says that the list continues'],
    ['{"p":"192.0.2.0/24"}\n{"ok":false}', "the answer carries an error marker without a message"],
    [
      '{"p":"192.0.2.0/24"}\n{"status":"part"}',
      'the answer is {"status":text}',
      { failure: { member: "status", values: ["part"] } },
    ],
    [
      '{"p":"192.0.2.0/24"}\n{"code":0,"result":"part"}',
      '"result" says that the list continues',
      { more: { member: "result" } },
    ],
    ['{"p":"192.0.2.0/24","p":"198.51.100.0/24"}', 'the member "p" stands twice in one object'],
    ['{"p":"192.0.2.0/24"}\n{"p":"192.0', 'line 2 is not JSON: "{\\"p\\":\\"192.0"'],
  ])("that is not whole is none: %j", (body, message, answers) => {
    expect(read(body, { format: "ndjson", ...answers })).toMatchObject({ message });
  });

  it("is whole where its last line is a declared success", () => {
    const answers = { format: "ndjson", success: { member: "code", values: [5] } } as const;
    expect(read('{"p":"192.0.2.0/24"}\n{"code":5,"message":"1 record"}', answers)).toEqual(["192.0.2.0/24 1"]);
  });
});

describe("profiles, rules and marks in text", () => {
  it.each<[ListKind, Answers, string, unknown]>([
    ["profiles", { format: "csv" }, "name,prefixes\nweb,2\n", [{ name: "web", extra: { prefixes: "2" } }]],
    ["profiles", { format: "csv", columns: { name: 0 } }, "web,a", [{ name: "web", extra: { "column 1": "a" } }]],
    ["marks", { format: "ndjson", names: { id: "code" } }, '{"code":7}', [{ id: 7 }]],
    ["rules", { format: "ndjson", names: { name: "text" } }, '{"text":"SYN"}', [{ name: "SYN" }]],
    [
      "marks",
      { format: "csv" },
      "ip,value,ttl,zone\n192.0.2.1,5,60,a",
      [{ address: "192.0.2.1", value: 5, lifetime: 60, extra: { zone: "a" } }],
    ],
    ["marks", { format: { marks: "csv", prefixset: "lines" } }, "ip\n192.0.2.1", [{ address: "192.0.2.1" }]],
    [
      "marks",
      { format: "ndjson", names: { id: "code" } },
      '{"a":"192.0.2.1","code":0,"message":"done"}\n{"code":0,"message":"done"}',
      [{ address: "192.0.2.1", id: 0, extra: { message: "done" } }],
    ],
    ["marks", { columns: { address: 0, value: 1 } }, '[["192.0.2.1",5]]', [{ address: "192.0.2.1", value: 5 }]],
  ])("%s, with %j, are read from %j", (kind, answers, body, list) => {
    expect(read(body, answers, kind)).toEqual(list);
  });

  it.each<[string, Answers, ListKind, string?]>([
    ["192.0.2.1 5 60", { format: "lines" }, "marks"],
    ["1 web", { format: "lines" }, "profiles"],
    ['[["x","192.0.2.1",5]]', {}, "marks"],
    [
      "Profile Name,State\nweb,on",
      { format: "csv", columns: { name: 0 } },
      "profiles",
      "If it is, set answers.columns with its names; if not, read the answer with answers.read.",
    ],
  ])("whose columns nothing names are asked for: %j", (body, answers, kind, remedy = describedBy("columns")) => {
    expect(read(body, answers, kind)).toMatchObject({ remedy });
  });
});

it.each([
  ["192.0.2.0/24 7\n198.51.100.0/24 1", describedBy("format")],
  ["Service Unavailable", describedBy("format")],
  ["[200]", PROBE],
  [".", PROBE],
])("an answer that cannot be read ends with the setting that reads it, or with the probe: %j", (body, remedy) => {
  expect((read(body, {}) as { remedy?: string }).remedy).toBe(remedy);
});

it("a number of entries in a comment is that of the list", () => {
  const lines = "# Entries: 250\n192.0.2.0/24 7\n";
  expect(read(lines, { format: "lines" })).toMatchObject({ message: "the answer announces 250 and lists 1" });
  expect(read(lines.replace("250", "1"), { format: "lines" })).toEqual(["192.0.2.0/24 7"]);
  expect(read("# 2 prefixes\nprefix,value\n192.0.2.0/24,7\n", { format: "csv" })).toMatchObject({
    message: "the answer announces 2 and lists 1",
  });
});

it.each([";", "\t"])("a row begins with an empty field where the separator is %j", (one) => {
  const body = ["note;prefix;value", ";198.51.100.0/24;4"].join("\n").replaceAll(";", one);
  expect(read(body, { format: "csv" })).toEqual(["198.51.100.0/24 4"]);
});

it("columns that belong to another kind are not missed in a head line", () => {
  const answers = { format: "csv", columns: { prefix: "netz", value: "wert", id: "regel", name: "titel" } } as const;
  expect(read("netz,wert\n192.0.2.0/24,7\n", answers)).toEqual(["192.0.2.0/24 7"]);
  expect(read("netz,gewicht\n192.0.2.0/24,7\n", answers)).toMatchObject({
    message: 'the head line has no column "wert", but "netz", "gewicht"',
  });
});
