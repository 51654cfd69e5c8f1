import { describe, expect, test } from "vitest";
import { type PrefixFileOptions, parsePrefixes } from "../../provider/prefixes";
import { openPrefixText } from "../../provider/prefixes/read";
import { problemsOf } from "./support";

const keys = (text: string, options?: PrefixFileOptions) => Object.keys(parsePrefixes(text, options));
const full = { value: 2, reason: "SYN flood, wave 2", ticket: "INC-4711", expires: "2030-01-31T18:00:00+01:00" };

describe("text", () => {
  test("prefixes, addresses, values, comments, blank lines", () => {
    const text = "# ours\n\n192.0.2.0/24 7\n  203.0.113.7\t# scanner\n2001:DB8::/32 0;x\n   \n; end";
    expect(parsePrefixes(text)).toEqual({
      "192.0.2.0/24": { value: 7 },
      "203.0.113.7/32": { value: 1 },
      "2001:db8::/32": { value: 0 },
    });
  });

  test("ranges become the fewest prefixes", () => {
    expect(keys("192.0.2.0-192.0.2.255\n")).toEqual(["192.0.2.0/24"]);
    expect(keys("192.0.2.1 - 192.0.2.6")).toEqual(["192.0.2.1/32", "192.0.2.2/31", "192.0.2.4/31", "192.0.2.6/32"]);
    expect(keys("2001:db8::-2001:db8::2")).toEqual(["2001:db8::/127", "2001:db8::2/128"]);
    expect(parsePrefixes("192.0.2.2-192.0.2.3 9")).toEqual({ "192.0.2.2/31": { value: 9 } });
    expect(keys("0.0.0.0-255.255.255.255\n::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")).toEqual(["0.0.0.0/0", "::/0"]);
  });

  test("each problem is at its place", () => {
    const text = [
      "192.0.2.1/24",
      "  192.0.2.0/24 -5",
      "192.0.2.0/24   4294967296",
      "192.0.2.0/24 1 2 3 # too much",
      "192.0.2.9-192.0.2.1",
      "192.0.2.0-2001:db8::",
      "example.com",
      "192.0.2.0/24-192.0.3.0/24",
      "fe80::1%eth0",
      "::ffff:192.0.2.1",
    ];
    expect(problemsOf(text.join("\n"), { file: "blocked.txt" })).toEqual([
      'blocked.txt:1:1: "192.0.2.1/24" has host bits set: write "192.0.2.0/24" for the whole prefix, or "192.0.2.1/32" for the one address.',
      'blocked.txt:2:3: "192.0.2.0/24" has a prefix length: a range goes from one address to another.',
      'blocked.txt:3:16: the value "4294967296" is not an integer from 0 to 4294967295.',
      'blocked.txt:4:16: "2 3" follows the value: write one prefix a line, and comments after "#".',
      'blocked.txt:5:1: "192.0.2.9-192.0.2.1" ends before it begins: write "192.0.2.1-192.0.2.9" if that is intended.',
      'blocked.txt:6:1: "192.0.2.0-2001:db8::" goes from one address family to the other: write one range for each.',
      'blocked.txt:7:1: "example.com" is not an IP address or prefix: write for example 192.0.2.0/24 or 2001:db8::/32.',
      'blocked.txt:8:1: "192.0.2.0/24" has a prefix length: a range goes from one address to another.',
      'blocked.txt:9:1: "fe80::1%eth0" has a zone id, which means nothing on another machine: write it without "%…".',
      'blocked.txt:10:1: "::ffff:192.0.2.1" is an IPv4-mapped IPv6 prefix, which no packet has: write "192.0.2.1/32".',
    ]);
  });
});

describe("CSV", () => {
  const head = "prefix,value,reason,ticket,expires";

  test("columns are found by the names of the head line, and texts may be quoted", () => {
    const text = `# exported\n${head}\n192.0.2.0/24,2,"SYN flood, wave 2",INC-4711,2030-01-31T18:00:00+01:00\n198.51.100.0/24,,,,\n`;
    expect(parsePrefixes(text, { file: "a.csv" })).toEqual({ "192.0.2.0/24": full, "198.51.100.0/24": { value: 1 } });
  });

  test("semicolons, tabs, quotes in texts, texts over several lines", () => {
    expect(
      parsePrefixes('prefix;reason\n192.0.2.0/24;"said ""no"";\ntwice"\n198.51.100.0/24;x\n', { format: "csv" }),
    ).toEqual({
      "192.0.2.0/24": { value: 1, reason: 'said "no";\ntwice' },
      "198.51.100.0/24": { value: 1, reason: "x" },
    });
    expect(keys("ip\tseen\n192.0.2.7\t3\n", { file: "a.tsv" })).toEqual(["192.0.2.7/32"]);
  });

  test("without a head line only the prefix is known", () => {
    expect(keys("192.0.2.0/24\n2001:db8::/32\n", { format: "csv" })).toEqual(["192.0.2.0/24", "2001:db8::/32"]);
    expect(keys("192.0.2.0/24,\n198.51.100.0/24,\n")).toEqual(["192.0.2.0/24", "198.51.100.0/24"]);
    for (const other of ["5", "443", "scanner"]) {
      expect(problemsOf(`192.0.2.0/24,${other}\n198.51.100.0/24,6\n`)).toEqual([
        `text:1:1: nothing says what "${other}" beside the prefix is (value, port, count or length?): add a head line, or name the columns, for example columns: { prefix: 0, value: 1 }.`,
      ]);
    }
    expect(parsePrefixes("192.0.2.0/24,5\n198.51.100.0/24,6\n", { columns: { prefix: 0, value: 1 } })).toEqual({
      "192.0.2.0/24": { value: 5 },
      "198.51.100.0/24": { value: 6 },
    });
  });

  test("columns by name or number", () => {
    const text = "seen,source,note\n3,192.0.2.7,first\n";
    const entries = { "192.0.2.7/32": { value: 3, reason: "first" } };
    const numbers = { prefix: 1, value: 0, reason: 2 };
    expect(
      parsePrefixes(text, { format: "csv", columns: { prefix: "source", value: "seen", reason: "note" } }),
    ).toEqual(entries);
    expect(parsePrefixes(text, { format: "csv", columns: numbers, header: true })).toEqual(entries);
    expect(parsePrefixes(text, { format: "csv", columns: { prefix: 1, value: "seen", reason: 2 } })).toEqual(entries);
    expect(problemsOf(text, { format: "csv", columns: numbers })).toEqual([
      "text:1:1: has no prefix in column 1, counted from 0: set header: true if it is a head line.",
    ]);
    expect(problemsOf(text, { format: "csv", columns: { prefix: "Source" } })).toEqual([
      'text:1:1: has no column "Source", which `columns.prefix` names; it has seen, source, note.',
    ]);
    expect(problemsOf(text, { format: "csv", columns: { ...numbers, ticket: 3 }, header: true })).toEqual([
      "text:1:1: has 3 fields, and `columns.ticket` is 3, counted from 0.",
    ]);
    expect(problemsOf(text, { format: "csv" })).toEqual([
      'text:1:1: has no usual name of a column, and no prefix: name the columns, for example columns: { prefix: "seen" }.',
    ]);
  });

  test.each([
    ["a range", "192.0.2.1-192.0.2.2", ["192.0.2.1/32", "192.0.2.2/32"]],
    ["a range with blanks", "192.0.2.4 - 192.0.2.5", ["192.0.2.4/31"]],
    ["trailing blanks", "192.0.2.7  ", ["192.0.2.7/32"]],
    ["a quoted prefix with blanks", '" 192.0.2.8 "', ["192.0.2.8/32"]],
  ])("the first row is an entry: %s", (_, first, expected) => {
    const all = [...expected, "198.51.100.7/32"];
    expect(keys(`${first}\n198.51.100.7\n`, { format: "csv" })).toEqual(all);
    expect(keys(`${first},a\n198.51.100.7,b\n`, { format: "csv", columns: { prefix: 0, reason: 1 } })).toEqual(all);
  });

  test.each(["192.0.2.*", "fe80::1%eth0", "192.0.2.0/255.255.255.0/x"])("a first row is never lost: %s", (first) => {
    for (const columns of [undefined, { prefix: 0 }]) {
      expect(problemsOf(`${first}\n198.51.100.7\n`, { format: "csv", columns })[0]).toContain(`text:1:1: "${first}"`);
    }
  });

  test("rows have the fields of the first one, and names of columns differ", () => {
    expect(problemsOf("prefix,value,expires\n192.0.2.0/24,1\n198.51.100.0/24,1,,x\n")).toEqual([
      "text:2:1: has 2 fields, and the first row 3: quote texts that hold the separator, and write empty fields out.",
      "text:3:1: has 4 fields, and the first row 3: quote texts that hold the separator, and write empty fields out.",
    ]);
    expect(problemsOf("prefix,value,value\n192.0.2.0/24,1,2\n")).toEqual([
      'text:1:1: has the column "value" twice: give the columns different names.',
    ]);
  });

  test("rows that begin with an empty field are rows", () => {
    const text = "note;prefix;value\n;198.51.100.0/24;4\na;192.0.2.0/24;5\n";
    expect(parsePrefixes(text, { format: "csv" })).toEqual({
      "198.51.100.0/24": { value: 4 },
      "192.0.2.0/24": { value: 5 },
    });
  });

  test("each problem is at its field", () => {
    const text = `${head}\n192.0.2.0/24,x,"a\nb",,\n"198.51.100.0/24", 2 ,,,"2030-01-31"\n192.0.2.300,1,,,\n"203.0.113.0/24"x,1,,,\n203.0.113.0/24,1,"open,,\n`;
    expect(problemsOf(text, { file: "a.csv" })).toEqual([
      'a.csv:2:14: the value "x" is not an integer from 0 to 4294967295.',
      'a.csv:4:25: "2030-01-31" is not an ISO time with zone: write for example "2030-01-31T18:00:00Z".',
      'a.csv:5:1: "192.0.2.300" is not an IP address or prefix: write for example 192.0.2.0/24 or 2001:db8::/32.',
      'a.csv:6:17: follows a closing quote: write "," there, and double each quote within a text.',
      'a.csv:7:1: begins a quoted text that never ends: is a quote (") missing?',
    ]);
  });
});

describe("JSON", () => {
  test("an object of prefixes, an array of texts, an array of objects", () => {
    expect(
      parsePrefixes(JSON.stringify({ "192.0.2.0/24": 3, "198.51.100.7": full, "203.0.113.0-203.0.113.1": {} })),
    ).toEqual({
      "192.0.2.0/24": { value: 3 },
      "198.51.100.7/32": full,
      "203.0.113.0/31": { value: 1 },
    });
    expect(keys('["192.0.2.0/24","2001:db8::1"]')).toEqual(["192.0.2.0/24", "2001:db8::1/128"]);
    expect(
      parsePrefixes(
        JSON.stringify([
          { cidr: "192.0.2.0/24", ...full, seen: 3 },
          { ip: "198.51.100.7", value: null },
        ]),
      ),
    ).toEqual({
      "192.0.2.0/24": full,
      "198.51.100.7/32": { value: 1 },
    });
  });

  test("members by name", () => {
    expect(parsePrefixes('[{"src":"192.0.2.7","weight":9}]', { columns: { prefix: "src", value: "weight" } })).toEqual({
      "192.0.2.7/32": { value: 9 },
    });
  });

  test("each problem is at its member or element", () => {
    const text = `{
  "192.0.2.0/24": { "value": -1, "reson": "typo" },
  "192.0.2.1/24": 1,
  "198.51.100.0/24": { "expires": "2030-01-31T18:00:00" },
  "203.0.113.0/24": { "reason": 5 },
  "203.0.113.0/24": 7,
  "example": true
}`;
    expect(problemsOf(text, { file: "a.json" })).toEqual([
      'a.json:6:3: "203.0.113.0/24" appears twice: keep one of them.',
      'a.json:2:34: "reson" is not a member of an entry: the members are value, reason, ticket, expires and sent. Did you mean "reason"?',
      "a.json:2:21: the value -1 is not an integer from 0 to 4294967295.",
      'a.json:3:3: "192.0.2.1/24" has host bits set: write "192.0.2.0/24" for the whole prefix, or "192.0.2.1/32" for the one address.',
      'a.json:4:24: "2030-01-31T18:00:00" is not an ISO time with zone: write for example "2030-01-31T18:00:00Z".',
      "a.json:7:3: the value true is not an integer from 0 to 4294967295.",
      'a.json:7:3: "example" is not an IP address or prefix: write for example 192.0.2.0/24 or 2001:db8::/32.',
    ]);
    expect(problemsOf('[\n  "192.0.2.0/24",\n  7, {"a": [1, "]"]},\n  ["x"]]', { file: "b.json" })).toEqual([
      "b.json:3:3: 7 is neither a text with a prefix nor an object.",
      'b.json:3:6: has no member that is known to hold a prefix; it has a: name it with columns: { prefix: "…" }.',
      "b.json:4:3: an array is neither a text with a prefix nor an object.",
    ]);
  });

  test.each([
    ['{"192.0.2.0/24": 1', "text:1:19: ends in the middle of the JSON: the file is incomplete, fetch it again."],
    ['[\n  "192.0.2.0/24",\n]', "text:3:1: is not JSON from here on: correct it."],
    ['{"192.0.2.0/24" 1}', "text:1:17: is not JSON from here on: correct it."],
    ['["192.0.2', "text:1:10: ends in the middle of the JSON: the file is incomplete, fetch it again."],
    ['{"192.0.2.0/24": 1,}', "text:1:20: is not JSON from here on: correct it."],
    ["{'192.0.2.0/24': 1}", "text:1:2: is not JSON from here on: correct it."],
    ['["192.0.2.0/24"] x', "text:1:18: is not JSON from here on: correct it."],
    ['["a\\q"]', "text:1:4: is not JSON from here on: correct it."],
    ['{"192.0.2.0/24": 01}', "text:1:18: is not JSON from here on: correct it."],
  ])("%j is not JSON, and where", (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  test("NDJSON: a record a line, each problem in its line and column", () => {
    const good = '{"prefix":"192.0.2.0/24","value":2}\n\n{"prefix":"198.51.100.0/24"}\n';
    expect(parsePrefixes(good)).toEqual({ "192.0.2.0/24": { value: 2 }, "198.51.100.0/24": { value: 1 } });
    expect(
      problemsOf('{"value":"x","prefix":"192.0.2.0/24"}\n{"prefix":\n{"prefix":"192.0.2.0/24"},\n', {
        file: "a.jsonl",
      }),
    ).toEqual([
      'a.jsonl:1:2: the value "x" is not an integer from 0 to 4294967295.',
      "a.jsonl:2:11: ends in the middle of a record: the file is incomplete, fetch it again.",
      "a.jsonl:3:26: is not JSON from here on: write one JSON object a line.",
    ]);
  });
});

describe("an address with a length beside it is never one address", () => {
  const csv = (head: string, ...rows: string[]) => [head, ...rows, ""].join("\n");

  test.each<[text: string, prefixes: readonly string[]]>([
    [csv("network,netmask", "192.0.2.0,255.255.255.0"), ["192.0.2.0/24"]],
    [csv("IP,Prefix_Length", "192.0.2.0,24", "2001:db8::,/32"), ["192.0.2.0/24", "2001:db8::/32"]],
    [csv("ip,end", "192.0.2.0,192.0.2.127"), ["192.0.2.0/25"]],
    [csv("network_start_ip,network_last_ip,geoname_id", "192.0.2.0,192.0.2.255,7"), ["192.0.2.0/24"]],
    [csv("cidr,ip", "24,192.0.2.0"), ["192.0.2.0/24"]],
    ['[{"address":"192.0.2.0","mask":24}]', ["192.0.2.0/24"]],
    ['[{"ip":"192.0.2.0","end_ip":"192.0.2.1"}]', ["192.0.2.0/31"]],
    ['{"first":"192.0.2.0","last":"192.0.2.0"}', ["192.0.2.0/32"]],
    ['{"prefix":"192.0.2.0/24","mask":24}', ["192.0.2.0/24"]],
    ["- address: 192.0.2.0\n  bits: 26\n", ["192.0.2.0/26"]],
    // What no length is.
    [csv("ip,port,count", "192.0.2.0,25,24"), ["192.0.2.0/32"]],
    [csv("ip,gateway", "198.51.100.7,198.51.100.1"), ["198.51.100.7/32"]],
    ["198.51.100.7 5\n", ["198.51.100.7/32"]],
    ["192.0.2.0/32 24\n2001:db8::1 64", ["192.0.2.0/32", "2001:db8::1/128"]],
    ['{"198.51.100.7": 24, "2001:db8::/128": 32}', ["198.51.100.7/32", "2001:db8::/128"]],
  ])("%j is read", (text, prefixes) => {
    expect(keys(text)).toEqual(prefixes);
  });

  test("where host bits are cut off, a number beside any address may be its length", () => {
    const masked = (text: string) => Object.keys(parsePrefixes(text, { hostBits: "mask" }));
    expect(() => masked(csv("ip,size", "192.0.2.1,24"))).toThrow('"size" looks like a length of "192.0.2.1"');
    expect(masked(csv("ip,mask", "192.0.2.1,24"))).toEqual(["192.0.2.0/24"]);
    expect(masked(csv("ip,severity,value", "192.0.2.1,3,24"))).toEqual(["192.0.2.1/32"]);
  });

  test.each<[text: string, problem: string]>([
    [csv("ip,size", "192.0.2.0,24"), '"size" looks like a length of "192.0.2.0"; name it with columns.prefixLength'],
    [
      csv("ip,last_addr", "192.0.2.0,192.0.2.9"),
      '"last_addr" looks like the end of a range of "192.0.2.0"; name it with col',
    ],
    [csv("ip,cidr_bits", "192.0.2.7,24"), '"cidr_bits" looks like a length'],
    [csv("network,netmask", "192.0.2.0,"), 'has no length in "netmask": write 32 for one address.'],
    [csv("network,mask", "192.0.2.0,255.0.255.0"), '"255.0.255.0" is no prefix length and no netmask'],
    [csv("start,end,length", "192.0.2.0,192.0.2.127,24"), '"192.0.2.0-192.0.2.127" and "192.0.2.0/24" differ'],
    ['[{"address":"192.0.2.7","mask":0}]', "that would be the default route"],
    ['[{"address":"192.0.2.7","mask":24}]', 'write "192.0.2.0/24"'],
    ['[{"address":"192.0.2.0","mask":null}]', 'has no length in "mask"'],
    ['[{"prefix":"192.0.2.0/24","bits":25}]', '25 is not the length of "192.0.2.0/24"'],
    ['[{"prefix":"192.0.2.0/24","cidr":"192.0.2.0/25"}]', '"prefix" and "cidr" differ: name the right one with col'],
    ['[{"ip":"192.0.2.0","mask":24,"bits":25}]', '"mask" and "bits" differ'],
    [
      "192.0.2.0 24\n",
      '"24" after "192.0.2.0" may be a prefix length: write 192.0.2.0/24, or 192.0.2.0/32 with this val',
    ],
    ["192.0.2.0 255.255.255.0\n", '"255.255.255.0" after "192.0.2.0" may be a prefix length: write 192.0.2.0/24.'],
    ["192.0.2.0 192.0.2.9\n", '"192.0.2.9" after "192.0.2.0" may be the end of a range: write 192.0.2.0-192.0.2.9.'],
    ["ip,hostmask\n192.0.2.0,0.0.0.255\n", '"hostmask" looks like a length of "192.0.2.0"'],
    ["ip,m\n192.0.2.0,0xffffff00\n", '"m" looks like a length of "192.0.2.0"'],
    ["ip,m\n192.0.2.0,24 bits\n", '"m" looks like a length of "192.0.2.0"'],
    ["ip,count\n192.0.2.0,256\n", '"count" may be the number of addresses from "192.0.2.0" on'],
    ["ip,num_ips\n192.0.2.64,64\n", '"num_ips" may be the number of addresses'],
    ["ip,x\n2001:db8::,4294967296\n", '"x" may be the number'],
    ['[{"ip":"192.0.2.0","net":{"mask":24}}]', '"net" holds 24, which looks like a length, an end or a size'],
    ['[{"ip":"192.0.2.0","range_of":{"last":"192.0.2.9"}}]', '"range_of" holds "192.0.2.9", which looks like'],
    ["192.0.2.0/24;198.51.100.0/24\n", "looks like a field after a semicolon"],
    [";192.0.2.0/24;4\n198.51.100.0/24\n", "text:1:1: looks like a field after a semicolon"],
    ["192.0.2.0;24\n", 'looks like a field after a semicolon, which begins comments here: set format: "csv"'],
    ['{"192.0.2.0": 24}', '24 after "192.0.2.0" may be a prefix length'],
  ])("%j is refused", (text, problem) => {
    expect(problemsOf(text).join()).toContain(problem);
  });

  test("columns say what they are", () => {
    const text = csv("ip,size,to_addr,kind", "192.0.2.0,24,192.0.2.255,7");
    const read = (columns: PrefixFileOptions["columns"]) => parsePrefixes(text, { columns });
    expect(read({ prefixLength: "size" })).toEqual({ "192.0.2.0/24": { value: 1 } });
    expect(read({ prefix: "ip", end: "to_addr", prefixLength: "size", value: "kind" })).toEqual({
      "192.0.2.0/24": { value: 7 },
    });
    expect(read({ prefix: "ip", prefixLength: "/" })).toEqual({ "192.0.2.0/32": { value: 1 } });
    expect(problemsOf('[{"ip":"192.0.2.0"}]', { columns: { prefixLength: "size" } })[0]).toContain(
      'has no length in "size"',
    );
    expect(problemsOf('[{"ip":"192.0.2.7"}]', { columns: { value: "wieght" } })[0]).toContain(
      'no record has "wieght", which `columns.value` names.',
    );
  });
});

describe("YAML", () => {
  test("the shapes of JSON", () => {
    const text = `# what we block
192.0.2.0/24: 2   # scanners
"2001:DB8::/32":
  reason: SYN flood, wave 2
  expires: 2030-01-31T18:00:00Z
`;
    expect(parsePrefixes(text)).toEqual({
      "192.0.2.0/24": { value: 2 },
      "2001:db8::/32": { value: 1, reason: "SYN flood, wave 2", expires: "2030-01-31T18:00:00Z" },
    });
    expect(keys("---\n- 192.0.2.0/24\n- 2001:db8::1\n")).toEqual(["192.0.2.0/24", "2001:db8::1/128"]);
    expect(keys("prefixes:\n  - ipv4Prefix: 192.0.2.0/24\n", { file: "google.yaml" })).toEqual(["192.0.2.0/24"]);
  });

  test("each problem is at its key or element", () => {
    const text = "192.0.2.0/24:\n  value: many\n  reson: x\n192.0.2.1/24: 1\n192.0.2.0/24: 3\n";
    expect(problemsOf(text, { file: "a.yaml" })).toEqual([
      'a.yaml:5:1: "192.0.2.0/24" appears twice: keep one of them.',
    ]);
    expect(problemsOf(text.replace(/192.0.2.0\/24: 3\n/, ""), { file: "a.yaml" })).toEqual([
      'a.yaml:3:3: "reson" is not a member of an entry: the members are value, reason, ticket, expires and sent. Did you mean "reason"?',
      'a.yaml:2:3: the value "many" is not an integer from 0 to 4294967295.',
      'a.yaml:4:1: "192.0.2.1/24" has host bits set: write "192.0.2.0/24" for the whole prefix, or "192.0.2.1/32" for the one address.',
    ]);
    expect(problemsOf("- 192.0.2.0/24\n- [1]\n- 7\n", { file: "b.yaml" })).toEqual([
      "b.yaml:2:3: an array is neither a text with a prefix nor an object.",
      "b.yaml:3:3: 7 is neither a text with a prefix nor an object.",
    ]);
    expect(problemsOf("192.0.2.0/24: [1\n", { file: "c.yaml" })[0]).toMatch(/^c\.yaml:2:1: /);
    expect(problemsOf("192.0.2.0/24: 1\n---\n192.0.2.1: 1\n", { file: "d.yaml" })).toEqual([
      "d.yaml:2:1: there are several documents: write one.",
    ]);
  });
});

describe("the format of a file", () => {
  test("an address that ends in a colon is no YAML key", () => {
    expect(parsePrefixes("2001:db8::\n2001:db8:1:: 5\n")).toEqual({
      "2001:db8::/128": { value: 1 },
      "2001:db8:1::/128": { value: 5 },
    });
  });

  test.each([
    ["a.txt", '["192.0.2.0/24"]'],
    ["a.json", '{"prefix":"192.0.2.0/24"}\n{"prefix":"192.0.2.0/24"}\n'],
    ["a.json", '{"prefix":"192.0.2.0/24"}'],
    ["a.yml", '{"192.0.2.0/24": 1}'],
    ["list", "192.0.2.0/24"],
    ["list", "prefix,value\n192.0.2.0/24,1\n"],
    ["list", "192.0.2.0/24: 1\n"],
    ["list", "- 192.0.2.0/24\n"],
    ["list", "192.0.2.0/24:\n  reason: ''\n"],
    ["list", "# 192.0.2.1/24, and: more\n192.0.2.0/24 ; x, y\n"],
  ])("%s with %j is recognised", (file, text) => {
    expect(parsePrefixes(text, { file })).toEqual({ "192.0.2.0/24": { value: 1 } });
  });
});

describe("a member that may change what a record means is never dropped", () => {
  test.each<[member: object, problem: string]>([
    [{ action: "allow" }, '"action" is "allow", which may change the meaning of the record: choose by it with select'],
    [{ enabled: false }, '"enabled" is false'],
    [{ Disabled: "yes" }, '"Disabled" is "yes"'],
    [{ "is-active": 0 }, '"is-active" is 0'],
    [{ negate: true }, '"negate" is true'],
    [{ status: "removed" }, '"status" is "removed"'],
    [{ except: ["192.0.2.7"] }, '"except" is an array'],
    [{ expires_at: "2020-01-01T00:00:00Z" }, '"expires_at" may end the entry: name it, for example columns'],
    [{ validUntil: "2020-01-01T00:00:00Z" }, '"validUntil" may end the entry'],
    [{ ttl: 600 }, '"ttl" may end the entry'],
  ])("%j", (member, problem) => {
    const text = JSON.stringify([{ prefix: "192.0.2.0/24", ...member }]);
    expect(problemsOf(text).join()).toContain(problem);
    const read = { "192.0.2.0/24": { value: 1 } };
    expect(parsePrefixes(text, { columns: { prefix: "prefix" } })).toEqual(read);
    const [name = "", content] = Object.entries(member)[0] ?? [];
    if (typeof content === "string") expect(parsePrefixes(text, { select: { [name]: content } })).toEqual(read);
  });

  test.each<object>([
    ...["type", "list", "kind", "decision", "rule", "mode", "category"].map((name) => ({ [name]: "Allow" })),
    ...["whitelist", "white-list", "allow list", "permitted", "Trusted"].map((type) => ({ type })),
    ...["del", "rm"].flatMap((word) => [{ action: word }, { op: word }]),
    ...["off", "false_positive", "False positive", "resolved", "ended"].flatMap((word) => [
      { state: word },
      { status: word },
    ]),
    ...["benign", "clean"].flatMap((word) => [{ verdict: word }, { classification: word }]),
    ...[
      "allow",
      "safe",
      "false_positive",
      "isFalsePositive",
      "is_safe",
      "benign",
      "is_removed",
      "whitelisted",
      "expired",
      "revoked",
      "inactive",
      "negated",
      "permit",
    ].flatMap((name) => [{ [name]: true }, { [name]: 1 }]),
    ...["is_active", "malicious", "is_malicious", "is_blocked", "active", "banned"].flatMap((name) => [
      { [name]: false },
      { [name]: 0 },
    ]),
    ...["deleted_at", "removedAt", "end", "end_time", "end_date", "ended-at", "valid_before"].map((name) => ({
      [name]: "2020-01-01T00:00:00Z",
    })),
    { end: "31.12.2020" },
    { deleted_at: 1577836800 },
    { removed: true },
    { blocked: false },
    { duration: "4h" },
    { duration: 3600 },
    { duration: "24:00:00" },
    { status: "ended 2026-01-01" },
  ])("of a list of its own: %j", (member) => {
    const [[name = "", content] = []] = Object.entries(member);
    const problem = /^"[\w-]+" (?:is .*, which may change the meaning of the record|may end the entry)/;
    expect(problemsOf(JSON.stringify([{ ip: "192.0.2.0/24", ...member }]))[0]?.replace(/^\S+ /, "")).toMatch(problem);
    expect(problemsOf(`ip,${name}\n192.0.2.0/24,${content}\n`)[0]?.replace(/^\S+ /, "")).toMatch(problem);
  });

  test.each([
    {
      type: "prefix",
      list: "blocked",
      kind: "whitelisting-bypass",
      mode: "auto",
      category: "Pass the hash",
      rule: "allowed-hosts.txt: 7",
      malicious: true,
      safe: false,
      active: 1,
      status: "offline",
      end: "",
      deleted_at: null,
      removed_at: 0,
      duration: "",
    },
    {
      action: "drop",
      enabled: true,
      disabled: "no",
      status: "online",
      except: [],
      expiry: null,
      ttl: 0,
      negate: false,
    },
    // Counters, and words that only begin so.
    { accepted: 1, allowed: 1, permitted: 1, removed: 1, blocked: 0, denied: 0, classification: "end-user network" },
    { state: "active", exclude: "", expiration: "never", first_seen: "2020-01-01", last_seen: "2020-01-02" },
  ])("%j changes nothing", (member) => {
    const record = JSON.stringify([{ prefix: "192.0.2.0/24", ...member }]);
    expect(parsePrefixes(record)).toEqual({ "192.0.2.0/24": { value: 1 } });
  });

  test.each([
    ['[{"prefix":"192.0.2.0/24","prefix":"198.51.100.0/24"}]', '1:27: "prefix" appears twice'],
    ['{"prefix":"192.0.2.0/24"}\n{"prefix":"192.0.2.0/24","value":1,"value":2}', '2:36: "value" appears twice'],
    ['{"roas":[{"prefix":"192.0.2.0/24"}],"roas":[]}', '1:37: "roas" appears twice'],
  ])("a member that stands twice: %s", (text, problem) => {
    expect(problemsOf(text).join()).toContain(problem);
  });
});

describe("files of other programs", () => {
  const now = Date.parse("2030-01-01T00:00:00Z");
  const read = (lines: readonly string[], options: PrefixFileOptions = {}) =>
    openPrefixText(lines.join("\n"), options, now).entries;

  test.each<[name: string, lines: readonly string[], entries: object]>([
    [
      "ipset save",
      [
        "create blocked hash:net family inet hashsize 1024 maxelem 65536 timeout 0 counters comment bucketsize 12",
        'add blocked 192.0.2.0/24 packets 5 bytes 300 comment "wave #2; old"',
        "add blocked 198.51.100.7 timeout 0",
      ],
      {
        "192.0.2.0/24": { value: 1, reason: "wave #2; old" },
        "198.51.100.7/32": { value: 1 },
      },
    ],
    [
      "prefix-list of bgpq4",
      ["no ip prefix-list NN", "ip prefix-list NN permit 192.0.2.0/24", "ip prefix-list NN permit 198.51.100.0/24"],
      { "192.0.2.0/24": { value: 1 }, "198.51.100.0/24": { value: 1 } },
    ],
    [
      "prefix-list of Cisco, IPv6",
      ["ipv6 prefix-list NN description ours", "ipv6 prefix-list NN seq 5 permit 2001:db8::/32"],
      { "2001:db8::/32": { value: 1 } },
    ],
    [
      "RouterOS",
      [
        "# 2030-01-01 by RouterOS 7",
        "/ip firewall address-list",
        'add address=192.0.2.0/24 comment="a \\"b\\"" list=blocked',
        "add list=blocked address=192.0.2.8-192.0.2.9 disabled=no",
        "/ip firewall address-list add address=198.51.100.7 list=blocked timeout=0s",
      ],
      {
        "192.0.2.0/24": { value: 1, reason: 'a "b"' },
        "192.0.2.8/31": { value: 1 },
        "198.51.100.7/32": { value: 1 },
      },
    ],
    [
      "P2P",
      ["# list: of 192.0.2.0-192.0.2.1", "Example: one, two:192.0.2.0-192.0.2.255"],
      { "192.0.2.0/24": { value: 1, reason: "Example: one, two" } },
    ],
  ])("%s is read", (_, lines, entries) => {
    expect(read(lines)).toEqual(entries);
  });

  test.each<[line: string, problem: string]>([
    ["add blocked 192.0.2.0/24 nomatch", '1:26: "nomatch" may change the meaning of the entry'],
    ["create blocked hash:net,port family inet", '"hash:net,port" may change the meaning of the set'],
    ["create blocked hash:ip netmask 24", '"netmask" may change the meaning of the set'],
    ["create blocked hash:ip bitmask 255.255.255.0", '"bitmask" may change the meaning of the set'],
    ["ip prefix-list NN seq 5 deny 192.0.2.0/24", '"deny" may change'],
    ["ip prefix-list NN permit 192.0.2.0/24 ge 25", '"ge" may change'],
    ["no ip prefix-list NN permit 192.0.2.0/24", '"no" may change'],
    ["ip prefix-list NN permit 192.0.2.0/24\nno ip prefix-list NN", '2:1: "no" may change the meaning of the list'],
    ["add address=192.0.2.0/24 list=a disabled=yes", '"disabled=yes" may change'],
    ["add address=192.0.2.0/24 list=a src-port=5", '"src-port" may change'],
    // A time to live begins anew at each reading: such an entry would never end.
    ["add address=192.0.2.0/24 list=a timeout=1d2h", '1:33: "timeout=1d2h" may change'],
    ["add blocked 192.0.2.0/24 timeout 3600", '1:26: "timeout" may change the meaning of the entry'],
    ["create blocked hash:net timeout 600", '"timeout" may change the meaning of the set'],
    ["add address=example.com list=a", '"example.com" is not an IP address'],
    [
      "add a 192.0.2.0/24\nadd b 198.51.100.0/24",
      'belongs to the list "b", and earlier lines to "a": choose with select',
    ],
    ["table inet filter {\n set a {", "is a set of nftables"],
    ["ripencc|DE|ipv4|192.0.2.0|256|20200101|allocated", "is a file of delegated resources"],
    ["access-list 10 permit 192.0.2.0 0.0.0.255", "is an access list"],
    ["ip access-list extended IN\n permit ip 192.0.2.0 0.0.0.255 any", "is an access list"],
    ['"3221225984","3221226239","US","Example"', "is a list of IP2Location"],
    ['{"nftables":[{"set":{"name":"a","elem":["192.0.2.7"]}}]}', "one a line, for example with jq -r '.nftables[]"],
    ['{"type":"bundle","objects":[{"type":"indicator"}]}', "is a bundle of STIX"],
    ['{"Event":{"Attribute":[{"type":"ip-src","value":"192.0.2.7"}]}}', "is an event of MISP"],
    ["192.0.2.7\n[2001:db8::1]", '"[2001:db8::1]" has brackets: write 2001:db8::1 without them.'],
    ["192.0.2.7\u200b", "has an invisible character (U+200B): remove it."],
    ['{"metadata":{},"roas":[{"prefix":"192.0.2.0/24"}]}', 'if records are in "roas", set records: "roas"'],
  ])("%j is refused with what it is", (text, problem) => {
    expect(problemsOf(text)[0]).toContain(problem);
  });

  test("one of several lists is selected by its name", () => {
    const lines = ["add a 192.0.2.0/24", "add b 198.51.100.0/24"];
    expect(Object.keys(read(lines, { select: { list: "b" } }))).toEqual(["198.51.100.0/24"]);
    expect(Object.keys(read(lines, { select: { list: ["a", "b"] } }))).toHaveLength(2);
  });

  test("records below a path", () => {
    const rpki = {
      metadata: { counts: 1 },
      roas: [{ asn: "AS64496", prefix: "192.0.2.0/24", maxLength: 24, ta: "x" }],
    };
    expect(keys(JSON.stringify(rpki), { records: "roas" })).toEqual(["192.0.2.0/24"]);
    const answer = { data: { entries: ["192.0.2.0/24"], total: 1 }, next: null };
    expect(keys(JSON.stringify(answer), { records: "data.entries" })).toEqual(["192.0.2.0/24"]);
    expect(keys("data:\n  entries: [192.0.2.0/24]\n", { format: "yaml", records: "data.entries" })).toHaveLength(1);
    const problem = (json: object, records: string) => problemsOf(JSON.stringify(json), { records })[0];
    expect(problem({ data: [], rows: 1 }, "entries")).toBe(
      'text:1:1: has no "entries", which `records` names; it has data, rows.',
    );
    expect(problem({ data: { a: 1 } }, "data")).toBe("text:1:2: an object is not an array of records.");
    expect(problem({ ...answer, next: "/2" }, "data.entries")).toBe(
      'text:1:48: "next" says that the list continues: the records are only a part, fetch all (or set allowEmpty: true).',
    );
    for (const sign of [
      { pages: 9, page: 1 },
      { remaining: 5 },
      { next: 2 },
      { more: true },
      { truncated: "true" },
      { next: "https://list.example/2" },
      { links: [{ rel: "next", href: "/2" }] },
      { meta: { total: 99 } },
      { total_entries: 99 },
      { records: 99 },
      { links: { next: "/2" } },
      { meta: { total: 99, next_cursor: "abc" } },
      { next_page_token: "x" },
      { "@odata.nextLink": "/2" },
    ])
      expect(problem({ data: { entries: ["192.0.2.0/24"] }, ...sign }, "data.entries")).toMatch(
        /only a part, fetch all/,
      );
    const whole = { pages: 1, page: 1, total: 1, links: { next: null }, note: "first of three", description: "x" };
    expect(keys(JSON.stringify({ ...whole, data: ["192.0.2.0/24"] }), { records: "data" })).toEqual(["192.0.2.0/24"]);
    for (const other of [
      { next_update: "2030-01-01T00:00:00Z" },
      { nextUpdate: 1900000000 },
      { more_info: "https://list.example/about" },
      { restricted: true },
      { account_id: 4711 },
      { ip_count: 256 },
      { total_ips: 256, total_addresses: 256, total_bytes: 8123, size: 8123 },
      { rate_limit: { remaining: 50 } },
      { lastEditor: { name: "x" } },
      { stats: { total: 5 } },
      { terms: "If you continue to use this list, you accept its terms." },
      { license: "use limited to members" },
      { next: "2030-01-01T00:00:00Z" },
    ])
      expect(keys(JSON.stringify({ data: ["192.0.2.0/24"], ...other }), { records: "data" })).toEqual(["192.0.2.0/24"]);
    expect(problem({ data: ["192.0.2.0/24"], total: 5 }, "data")).toContain("the records are only a part, fetch all");
    expect(() => parsePrefixes("192.0.2.7", { records: "a" })).toThrow(
      "The option `records` needs the format json or yaml.",
    );
  });
});
