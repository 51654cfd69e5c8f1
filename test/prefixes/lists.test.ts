import { describe, expect, test } from "vitest";
import { type PrefixFileOptions, parsePrefixes } from "../../provider/prefixes";
import { problemsOf } from "./support";

// The shapes are those of the published lists, written down by hand; the addresses are those of documentation.
const read = (file: string, text: string, options?: PrefixFileOptions) => parsePrefixes(text, { file, ...options });
const one = { value: 1 };

describe("Spamhaus", () => {
  const records = [
    '{"cidr":"192.0.2.0/24","sblid":"SBL100001","rir":"arin"}',
    '{"cidr":"198.51.100.0/24","sblid":"SBL100002","rir":"ripencc"}',
  ];
  const metadata =
    '{"type":"metadata","timestamp":1767225600,"size":112,"records":2,"copyright":"(c) 2026","terms":"https://example.com/terms"}';
  const drop = `${[...records, metadata].join("\n")}\n`;

  test("drop_v4.json is NDJSON, and the SBL id is the reason", () => {
    expect(read("drop_v4.json", drop)).toEqual({
      "192.0.2.0/24": { value: 1, reason: "SBL100001" },
      "198.51.100.0/24": { value: 1, reason: "SBL100002" },
    });
  });

  test("a registry is selected by its member, and what is left out still counts as there", () => {
    expect(read("drop_v4.json", drop, { select: { rir: "arin" } })).toEqual({
      "192.0.2.0/24": { value: 1, reason: "SBL100001" },
    });
  });

  test("a list without its last line is an error, also when cut between lines", () => {
    expect(problemsOf(`${records.join("\n")}\n`, { file: "drop_v4.json" })).toEqual([
      "drop_v4.json:2:1: is the last record, and the one that closes the list is missing: it is incomplete, fetch it again (or set allowEmpty: true).",
    ]);
  });

  test("the last line alone is an empty list", () => {
    const empty = '{"type":"metadata","timestamp":1767225600,"size":0,"records":0}\n';
    expect(problemsOf(empty, { file: "drop_v6.json" })).toEqual([
      "drop_v6.json:1:1: there is no prefix in it: fetch or write it again, or set allowEmpty: true if an empty list is intended.",
    ]);
    expect(read("drop_v6.json", empty, { allowEmpty: true })).toEqual({});
  });

  test("a part of it is read when that is what is wanted", () => {
    const part = `${records[0]}\n`;
    const reason = { "192.0.2.0/24": { value: 1, reason: "SBL100001" } };
    expect(read("drop_v4.json", part, { allowEmpty: true })).toEqual(reason);
    expect(read("part.ndjson", part, { columns: { prefix: "cidr", reason: "sblid" } })).toEqual(reason);
  });

  test("asndrop.json has no prefixes", () => {
    const asns = '{"asn":64496,"rir":"arin","domain":"example.com","cc":"US","asname":"EXAMPLE"}\n'.repeat(2);
    expect(problemsOf(asns, { file: "asndrop.json" })).toEqual([
      "asndrop.json:1:1: lists autonomous systems, which have no prefixes here: read drop_v4.json and drop_v6.json instead.",
    ]);
  });

  test("drop.txt has the SBL id behind a semicolon", () => {
    const text =
      "; Spamhaus DROP List 2026/01/01 - (c) 2026\n; Expires: Thu, 01 Jan 2026\n192.0.2.0/24 ; SBL100001\n198.51.100.0/24 ; a note\n";
    expect(read("drop.txt", text)).toEqual({
      "192.0.2.0/24": { value: 1, reason: "SBL100001" },
      "198.51.100.0/24": one,
    });
  });
});

describe("several lists in one file", () => {
  const record = (host: number) => `{"cidr":"192.0.2.${host}/32","sblid":"SBL${host}","rir":"arin"}`;
  const close = (records: unknown) => JSON.stringify({ type: "metadata", records });
  const entries = (count: number) => `# Entries : ${count} subnets`;
  const [a, b, c] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];

  test.each<[name: string, lines: readonly string[], prefixes: number]>([
    ["closing lines, each for its own records", [record(1), close(1), record(2), record(3), close(2)], 3],
    ["a list with a closing line, and records of another kind", [record(1), close(1), `{"prefix":"${a}/32"}`], 1],
    ["an empty list, closed, before another one", [close(0), record(1), close(1)], 1],
    ["numbers in first lines", [entries(1), a, entries(2), b, c], 3],
    ["numbers in last lines", [a, "# END 1 entries", b, c, "# END 2 entries #"], 3],
    ["lines without a number before those of a number", [a, entries(2), b, c], 3],
    ["the number in the first line and in the last", [entries(2), a, b, "# END 2 entries"], 2],
    ["a number of addresses of prefixes", ["# Total IPs: 512", "192.0.2.0/24", "198.51.100.0/24"], 2],
    ["a number below a CSV list", ["prefix,value", `${a},1`, "# Total number of entries: 1"], 1],
  ])("%s", (_, lines, prefixes) => {
    expect(Object.keys(parsePrefixes(lines.join("\n")))).toHaveLength(prefixes);
  });

  test.each<[name: string, lines: readonly string[], problem: string]>([
    ["the first list is cut", [record(1), close(2), record(2), close(1)], "1 record stands before it: the list is inc"],
    [
      "the first has no closing line",
      [record(1), record(2), close(1)],
      "2 records stand before it: an earlier list has",
    ],
    [
      "the last has no closing line",
      [record(1), close(1), record(2)],
      "text:3:1: is the last record, and the one that",
    ],
    [
      "the closing line is first",
      [close(2), record(1), record(2)],
      "0 records stand before it: the list is incomplete",
    ],
    ["a closing line has no number", [record(1), close("many")], 'has no number "records" of its records'],
    ["a first number is too large", [entries(2), a, entries(2), b, c], "1 record stands after it: the list is incomp"],
    ["a list is cut behind its first line", [entries(1), a, entries(2)], "0 records stand after it: the list is incom"],
    ["lines follow the last number", [a, b, "# END 2 entries", c], "text:3:1: closes a list, and 1 record of another"],
    ["as many lines are on both sides of a number", [a, entries(1), b], "closes a list, and 1 record of another list"],
    ["first and last number differ", [entries(3), a, b, "# END 2 entries"], "announces 3 subnets, but 2 records stand"],
    [
      "a number of addresses",
      ["# Total IPs: 3", "192.0.2.1", "192.0.2.2"],
      "announces 3 ips, but 2 records stand after",
    ],
    ["a YAML list is cut", ["# Entries: 3", `- ${a}`, `- ${b}`], "text:1:1: announces 3 entries, but 2 records stand"],
    ["more than announced", [entries(1), a, b], "2 records stand after it: records of another list follow"],
    ["a CSV list is cut", ["# 3 prefixes", "prefix,value", `${a},1`], "text:1:1: announces 3 prefixes, but 1 record"],
  ])("%s: refused, but for allowEmpty", (_, lines, problem) => {
    expect(problemsOf(lines.join("\n")).join()).toContain(problem);
    expect(() => parsePrefixes(lines.join("\n"), { allowEmpty: true })).not.toThrow();
  });
});

describe("FireHOL", () => {
  const head = ["#", "# firehol_level1", "#", "# ipv4 hash:net ipset", "#", "# Aggregation     : none"];
  const netset = (entries: string, ...lines: string[]) =>
    [...head, `# Entries         : ${entries}`, "#", ...lines, ""].join("\n");

  test("a netset has addresses and prefixes", () => {
    const text = netset("2 subnets, 257 unique IPs", "192.0.2.0/24", "198.51.100.7");
    expect(read("firehol_level1.netset", text)).toEqual({ "192.0.2.0/24": one, "198.51.100.7/32": one });
  });

  test("fewer lines than it announces are an error", () => {
    expect(
      problemsOf(netset("4,513 subnets, 612,345,678 unique IPs", "192.0.2.0/24"), { file: "level1.netset" }),
    ).toEqual([
      "level1.netset:7:1: announces 4 513 subnets, but 1 record stands after it: the list is incomplete, fetch it again (or set allowEmpty: true).",
    ]);
  });
});

test("Feodo Tracker: an address can come with several ports", () => {
  const server = (port: number) => ({
    ip_address: "192.0.2.7",
    port,
    status: "online",
    hostname: null,
    as_number: 64496,
    as_name: "EXAMPLE",
    country: "US",
    first_seen: "2026-01-01 00:00:00",
    last_online: "2026-01-02",
    malware: "Example",
  });
  expect(read("ipblocklist.json", JSON.stringify([server(443), server(8080)], null, 4))).toEqual({
    "192.0.2.7/32": one,
  });
  expect(problemsOf("[]", { file: "ipblocklist.json" })[0]).toContain("there is no prefix in it");
});

describe("a record of a published list", () => {
  const spamhaus = (extra: object) =>
    `${JSON.stringify({ cidr: "192.0.2.0/24", sblid: "SBL1", ...extra })}\n{"type":"metadata","records":1}\n`;

  test("with a netmask or a length beside its address is that prefix", () => {
    const records = [
      { ip_address: "192.0.2.0", netmask: "255.255.255.0" },
      { ip_address: "192.0.2.0", prefix_length: 24 },
    ];
    for (const record of records) expect(read("a.json", JSON.stringify([record]))).toEqual({ "192.0.2.0/24": one });
    expect(read("a.csv", "ip_address,netmask\n192.0.2.0,255.255.255.0\n")).toEqual({ "192.0.2.0/24": one });
    expect(read("a.json", '{"prefixes":[{"ip_prefix":"192.0.2.0","mask":24}]}')).toEqual({ "192.0.2.0/24": one });
  });

  test.each<[string, string]>([
    ['[{"ip_address":"192.0.2.1","allowed":true}]', '"allowed" is true, which may change the meaning'],
    [
      '{"prefixes":[{"ip_prefix":"192.0.2.0/24","ipv6_prefix":"2001:db8::/32"}]}',
      '"ip_prefix" and "ipv6_prefix" differ',
    ],
    [spamhaus({ removed: true }), '"removed" is true, which may change the meaning'],
    [spamhaus({ length: 25 }), '25 is not the length of "192.0.2.0/24"'],
    [
      '[{"value":"192.0.2.1","scope":"Ip","duration":"4h","action":"allow"}]',
      '"action" is "allow", which may change the meaning',
    ],
  ])("that may mean something else is a problem: %s", (text, problem) => {
    expect(problemsOf(text)[0]).toContain(problem);
  });
});

test("DShield: start and end in columns, below a head line that is no comment", () => {
  const text = [
    "#    (1) start of netblock",
    "#    (2) end of netblock",
    "#",
    "Start\tEnd\tNetblock\tAttacks\tName\tCountry\temail",
    "192.0.2.0\t192.0.2.255\t24\t1234\tEXAMPLE # 1\tUS\tabuse@example.com",
    "198.51.100.0\t198.51.100.255\t24\t987\tEXAMPLE-2\tDE\tabuse@example.net",
    "203.0.113.0\t203.0.113.300\t24\t1\t\t\t",
    "",
  ];
  expect(read("block.txt", text.toSpliced(6, 1).join("\n"))).toEqual({ "192.0.2.0/24": one, "198.51.100.0/24": one });
  for (const cut of ["203.0.113.0", "203.0.113.0\t203.0.113.2"])
    expect(problemsOf([...text.slice(0, 4), cut].join("\n"))).toEqual([
      "text:5:1: has fewer fields than its head line: fetch the file again.",
    ]);
  expect(problemsOf(text.join("\n"), { file: "block.txt" })).toEqual([
    'block.txt:7:1: "203.0.113.300" is not an IP address or prefix: write for example 192.0.2.0/24 or 2001:db8::/32.',
  ]);
});

describe("clouds", () => {
  const aws = JSON.stringify(
    {
      syncToken: "1767225600",
      createDate: "2026-01-01-00-00-00",
      prefixes: [
        { ip_prefix: "192.0.2.0/24", region: "eu-west-1", service: "AMAZON", network_border_group: "eu-west-1" },
        { ip_prefix: "192.0.2.0/24", region: "eu-west-1", service: "EC2", network_border_group: "eu-west-1" },
        { ip_prefix: "198.51.100.0/24", region: "us-east-1", service: "S3", network_border_group: "us-east-1" },
      ],
      ipv6_prefixes: [
        { ipv6_prefix: "2001:db8::/32", region: "us-east-1", service: "EC2", network_border_group: "us-east-1" },
      ],
    },
    null,
    2,
  );

  test("AWS: both families, each prefix once", () => {
    expect(read("ip-ranges.json", aws)).toEqual({ "192.0.2.0/24": one, "198.51.100.0/24": one, "2001:db8::/32": one });
  });

  test("AWS: by service and region", () => {
    const select = { service: "EC2" };
    expect(read("ip-ranges.json", aws, { select })).toEqual({ "192.0.2.0/24": one, "2001:db8::/32": one });
    expect(read("ip-ranges.json", aws, { select: { ...select, region: ["eu-west-1", "eu-west-2"] } })).toEqual({
      "192.0.2.0/24": one,
    });
  });

  test("a selection that finds nothing says what there is", () => {
    expect(problemsOf(aws, { file: "aws", select: { service: ["EC3", "EC4"] } })).toEqual([
      'aws:1:1: nothing is selected by "service=EC3, service=EC4": its service are for example "AMAZON", "EC2", "S3".',
    ]);
    expect(problemsOf(aws, { file: "aws", select: { scope: "x" } })[0]).toContain(
      "no record has the member scope; they have ip_prefix",
    );
  });

  test("AWS: what is wrong is found at its place", () => {
    expect(problemsOf(aws.replace('"198.51.100.0/24"', '"198.51.100.1/24"'), { file: "ip-ranges.json" })).toEqual([
      'ip-ranges.json:18:7: "198.51.100.1/24" has host bits set: write "198.51.100.0/24" for the whole prefix, or "198.51.100.1/32" for the one address.',
    ]);
  });

  test("Google: with and without services", () => {
    const google = {
      syncToken: "1767225600000",
      creationTime: "2026-01-01T00:00:00",
      prefixes: [
        { ipv4Prefix: "192.0.2.0/24", service: "Google Cloud", scope: "europe-west1" },
        { ipv6Prefix: "2001:db8::/32", service: "Google Cloud", scope: "us-east1" },
      ],
    };
    expect(read("cloud.json", JSON.stringify(google))).toEqual({ "192.0.2.0/24": one, "2001:db8::/32": one });
    expect(read("cloud.json", JSON.stringify(google), { select: { scope: "us-east1" } })).toEqual({
      "2001:db8::/32": one,
    });
  });

  test("Azure: by tag, service and region", () => {
    const tag = (name: string, region: string, systemService: string, addressPrefixes: string[]) => ({
      name,
      id: name,
      properties: {
        changeNumber: 1,
        region,
        regionId: 0,
        platform: "Azure",
        systemService,
        addressPrefixes,
        networkFeatures: ["API"],
      },
    });
    const azure = JSON.stringify({
      changeNumber: 1,
      cloud: "Public",
      values: [
        tag("Storage", "", "AzureStorage", ["192.0.2.0/24", "2001:db8::/48"]),
        tag("Sql.WestEurope", "westeurope", "AzureSQL", ["198.51.100.0/24"]),
        tag("Empty", "", "", []),
      ],
    });
    expect(Object.keys(read("tags.json", azure))).toEqual(["192.0.2.0/24", "2001:db8::/48", "198.51.100.0/24"]);
    const selections: Record<string, string>[] = [
      { service: "AzureSQL" },
      { systemService: "AzureSQL" },
      { name: "Sql.WestEurope" },
      { region: "westeurope" },
    ];
    for (const select of selections) {
      expect(read("tags.json", azure, { select })).toEqual({ "198.51.100.0/24": one });
    }
    expect(problemsOf(azure.replace("198.51.100.0/24", "198.51.100.0/33"), { file: "tags.json" })[0]).toMatch(
      /^tags\.json:1:\d+: "198\.51\.100\.0\/33" has no valid prefix length/,
    );
  });

  test("Cloudflare: the answer of its API", () => {
    const answer = {
      result: { ipv4_cidrs: ["192.0.2.0/24"], ipv6_cidrs: ["2001:db8::/32"], etag: "0123" },
      success: true,
      errors: [],
      messages: [],
    };
    expect(read("ips.json", JSON.stringify(answer))).toEqual({ "192.0.2.0/24": one, "2001:db8::/32": one });
    const failed = { result: null, success: false, errors: [{ code: 1000, message: "no" }], messages: [] };
    expect(problemsOf(JSON.stringify(failed), { file: "ips.json" })).toEqual([
      "ips.json:1:1: is the answer to a request that failed (success: false): fetch it again.",
    ]);
  });

  test("Fastly: both families", () => {
    const list = { addresses: ["192.0.2.0/24", "198.51.100.0/24"], ipv6_addresses: ["2001:db8::/32"] };
    expect(read("public-ip-list.json", JSON.stringify(list))).toEqual({
      "192.0.2.0/24": one,
      "198.51.100.0/24": one,
      "2001:db8::/32": one,
    });
    const wrong = { ...list, ipv6_addresses: ["2001:db8::/129"] };
    expect(problemsOf(JSON.stringify(wrong, null, 1), { file: "fastly.json" })).toEqual([
      'fastly.json:7:3: "2001:db8::/129" has no valid prefix length: after "/" comes a decimal number from 0 to 128.',
    ]);
  });

  test("GitHub: by service, and what is no prefix there is not read", () => {
    const meta = JSON.stringify(
      {
        verifiable_password_authentication: false,
        ssh_key_fingerprints: { SHA256_ED25519: "0123" },
        ssh_keys: ["ssh-ed25519 AAAA"],
        hooks: ["192.0.2.0/24", "2001:db8::/32"],
        web: ["192.0.2.0/24", "198.51.100.7/32"],
        codespaces: [],
        domains: { website: ["*.example.com"] },
      },
      null,
      1,
    );
    expect(read("meta", meta)).toEqual({ "192.0.2.0/24": one, "2001:db8::/32": one, "198.51.100.7/32": one });
    expect(read("meta", meta, { select: { service: "web" } })).toEqual({ "192.0.2.0/24": one, "198.51.100.7/32": one });
    expect(problemsOf(meta, { file: "meta", select: { service: "pages" } })).toEqual([
      'meta:1:1: nothing is selected by "service=pages": its service are for example "hooks", "web".',
    ]);
    expect(problemsOf(meta.replace("198.51.100.7/32", "198.51.100.7/24"), { file: "meta" })).toEqual([
      'meta:15:3: "198.51.100.7/24" has host bits set: write "198.51.100.0/24" for the whole prefix, or "198.51.100.7/32" for the one address.',
    ]);
  });

  test("Oracle Cloud: by region, and by any of the tags of a prefix", () => {
    const list = {
      last_updated_timestamp: "2026-01-01T00:00:00.000000",
      regions: [
        {
          region: "eu-frankfurt-1",
          cidrs: [
            { cidr: "192.0.2.0/24", tags: ["OCI"] },
            { cidr: "198.51.100.0/24", tags: ["OSN", "OBJECT_STORAGE"] },
          ],
        },
        { region: "us-ashburn-1", cidrs: [{ cidr: "203.0.113.0/24", tags: ["OCI"] }] },
      ],
    };
    const text = JSON.stringify(list);
    const prefixes = (select?: PrefixFileOptions["select"]) => Object.keys(read("oci.json", text, { select }));
    expect(read("oci.json", text)).toEqual({ "192.0.2.0/24": one, "198.51.100.0/24": one, "203.0.113.0/24": one });
    expect(prefixes({ region: "us-ashburn-1" })).toEqual(["203.0.113.0/24"]);
    expect(prefixes({ tags: "OCI" })).toEqual(["192.0.2.0/24", "203.0.113.0/24"]);
    expect(prefixes({ tags: ["OBJECT_STORAGE", "none"], region: "eu-frankfurt-1" })).toEqual(["198.51.100.0/24"]);
    expect(problemsOf(text, { file: "oci.json", select: { tags: "OC" } })).toEqual([
      'oci.json:1:1: nothing is selected by "tags=OC": its tags are for example "OCI", "OSN", "OBJECT_STORAGE".',
    ]);
  });
});

describe("a document of a published list", () => {
  const aws = { prefixes: [{ ip_prefix: "192.0.2.0/24" }] };
  const more = [{ ip_prefix: "198.51.100.0/24" }];
  const cloudflare = { result: { ipv4_cidrs: ["192.0.2.0/24"], ipv6_cidrs: [] as unknown }, success: true };

  test.each<[string, object]>([
    ["more_prefixes", { ...aws, more_prefixes: more }],
    ["ipv6_prefixes", { ...aws, ipv6_prefixes: { a: { ipv6_prefix: "2001:db8::/32" } } }],
    ["addresses", { addresses: "192.0.2.0/24", ipv6_addresses: ["2001:db8::/32"] }],
    ["ipv6_cidrs", { ...cloudflare, result: { ...cloudflare.result, ipv6_cidrs: "2001:db8::/32" } }],
    ["sets", { ...aws, sets: { "198.51.100.0/24": 1 } }],
    ["prefixes", { network: "192.0.2.0/24", prefixes: ["198.51.100.0/24"] }],
    ["entries", { cidr: "192.0.2.0/24", entries: [{ cidr: "198.51.100.0/24" }] }],
    ["entries", [{ cidr: "192.0.2.0/24", entries: [{ cidr: "198.51.100.0/24" }] }]],
    ["secondary", [{ cidr: "192.0.2.0/24", secondary: { CIDR: "198.51.100.0/24" } }]],
    ["also", { prefixes: [{ ip_prefix: "192.0.2.0/24", also: ["198.51.100.7"] }] }],
  ])("with prefixes that are not read is a problem at their place: %s", (name, document) => {
    const text = JSON.stringify(document, null, 1);
    const line = text.split("\n").findLastIndex((one) => one.includes(`"${name}"`)) + 1;
    const isRecord = ["network", "cidr", "also"].some((member) => text.includes(`"${member}"`));
    const remedy = isRecord
      ? 'set columns: { prefix: "…" } to read the record without it.'
      : 'set records: "…" to read one array alone.';
    const problem = `"${name}" holds prefixes that are not read: ${remedy}`;
    expect(problemsOf(text)).toEqual([expect.stringMatching(new RegExp(`^text:${line}:\\d+: `))]);
    expect(problemsOf(text)[0]).toContain(problem);
  });

  test.each([
    ["an array", JSON.stringify([{ ip: "192.0.2.7", asn: { route: "192.0.2.0/24" } }])],
    ["lines of JSON", '{"ip":"192.0.2.7","asn":{"route":"192.0.2.0/24"}}\n'],
    ["a network around it", '[{"ip":"192.0.2.7","traits":{"network":"192.0.2.0/24"}}]'],
  ])("with facts about each prefix, such as its route, is read: %s", (_, text) => {
    expect(Object.keys(parsePrefixes(text))).toEqual(["192.0.2.7/32"]);
  });

  test.each<[string, object]>([
    ["next_page", { ...aws, next_page: 2 }],
    ["total_pages", { ...cloudflare, result_info: { page: 1, total_pages: 9 } }],
    ["nextToken", { regions: [{ region: "a", cidrs: [{ cidr: "192.0.2.0/24" }] }], nextToken: "x" }],
  ])("that says that it is a part is a problem: %s", (name, document) => {
    expect(problemsOf(JSON.stringify(document))[0]).toContain(`"${name}" `);
    expect(Object.keys(parsePrefixes(JSON.stringify(document), { allowEmpty: true }))).toEqual(["192.0.2.0/24"]);
  });
});

test.each<[string, object, string[]]>([
  [
    "AWS with its next update",
    { prefixes: [{ ip_prefix: "192.0.2.0/24" }], next_update: "2030-01-01T00:00:00Z" },
    ["192.0.2.0/24"],
  ],
  [
    "AWS with the address of its sender",
    { prefixes: [{ ip_prefix: "192.0.2.0/24" }], source: "198.51.100.7", sender: { ip: "198.51.100.7" } },
    ["192.0.2.0/24"],
  ],
  [
    "Cloudflare with another network",
    { result: { ipv4_cidrs: ["192.0.2.0/24"], ipv6_cidrs: [], jdcloud_cidrs: ["198.51.100.0/24"] }, success: true },
    ["192.0.2.0/24", "198.51.100.0/24"],
  ],
])("%s is read", (_title, document, list) => {
  expect(Object.keys(parsePrefixes(JSON.stringify(document)))).toEqual(list);
});

describe("CrowdSec", () => {
  const decision = { duration: "3h59m49.2s", reason: "ssh:bruteforce", scope: "Ip", type: "ban", value: "192.0.2.7" };

  test("the value of a decision is an address, never a value of ours", () => {
    expect(read("decisions.json", JSON.stringify([decision]), { value: 5 })).toEqual({
      "192.0.2.7/32": { value: 5, reason: "ssh:bruteforce" },
    });
  });

  test("as CSV", () => {
    const text = "duration,scope,value,reason\n24h,ip,192.0.2.7,manual\n24h,range,198.51.100.0/24,\n";
    expect(read("decisions.csv", text)).toEqual({
      "192.0.2.7/32": { value: 1, reason: "manual" },
      "198.51.100.0/24": one,
    });
  });

  test("the time at which a decision ends is that of the entry", () => {
    const until = "2030-01-01T00:00:00Z";
    expect(read("decisions.json", JSON.stringify([{ ...decision, until }]))).toEqual({
      "192.0.2.7/32": { value: 1, reason: "ssh:bruteforce", expires: until },
    });
  });

  test("decisions below alerts", () => {
    const alerts = [
      {
        id: 1,
        source: { ip: "192.0.2.9", range: "192.0.2.0/24" },
        decisions: [{ ...decision, reason: undefined, scenario: "http:probing" }],
      },
      { id: 2, decisions: [] },
    ];
    expect(read("alerts.json", JSON.stringify(alerts))).toEqual({
      "192.0.2.7/32": { value: 1, reason: "http:probing" },
    });
  });

  test("decisions beside alerts", () => {
    const alert = { id: 1, decisions: [decision] };
    const both = [alert, { ...decision, value: "192.0.2.8" }, { id: 2, decisions: null }];
    expect(Object.keys(read("alerts.json", JSON.stringify(both)))).toEqual(["192.0.2.7/32", "192.0.2.8/32"]);
  });

  test("decisions about something else than addresses are an error unless they are left out", () => {
    const text = JSON.stringify([decision, { ...decision, scope: "Country", value: "XX" }], null, 1);
    expect(problemsOf(text, { file: "d.json" })).toEqual([
      'd.json:9:2: is a decision on the scope "Country", which has no prefix: set select: { scope: ["Ip", "Range"] }, as the file spells them.',
    ]);
    expect(Object.keys(read("d.json", text, { select: { scope: ["Ip", "Range"] } }))).toEqual(["192.0.2.7/32"]);
  });

  describe("what CrowdSec itself does not block", () => {
    const decisions = [
      { ...decision, simulated: false },
      { ...decision, value: "192.0.2.8", simulated: true },
      { ...decision, value: "192.0.2.9", type: "captcha" },
      { ...decision, value: "XX", type: "throttle", scope: "Country" },
    ];
    const prefixes = (select?: PrefixFileOptions["select"]) =>
      Object.keys(read("d.json", JSON.stringify(decisions), { select }));

    test("is left out", () => {
      expect(prefixes()).toEqual(["192.0.2.7/32"]);
      const rows = "duration,scope,value,reason,type\n24h,ip,192.0.2.7,manual,\n24h,ip,192.0.2.9,manual,captcha\n";
      expect(Object.keys(read("decisions.csv", rows))).toEqual(["192.0.2.7/32"]);
    });

    test("is read where select names the member", () => {
      expect(prefixes({ type: "captcha" })).toEqual(["192.0.2.9/32"]);
      expect(prefixes({ simulated: true })).toEqual(["192.0.2.8/32"]);
      expect(prefixes({ simulated: [true, false] })).toEqual(["192.0.2.7/32", "192.0.2.8/32"]);
    });

    test("is left out below alerts that are simulated, too", () => {
      const alerts = [
        { id: 1, simulated: true, decisions: [decision] },
        { id: 2, simulated: false, decisions: [{ ...decision, value: "192.0.2.8" }] },
      ];
      expect(Object.keys(read("alerts.json", JSON.stringify(alerts)))).toEqual(["192.0.2.8/32"]);
    });

    test("is counted where nothing else is there", () => {
      expect(problemsOf(JSON.stringify(decisions.slice(1)), { file: "d.json" })).toEqual([
        'd.json:1:1: nothing is left of it: 3 records are left out (1 simulated, 2 of another type than "ban"). Set allowEmpty: true if that is intended, or choose with select.',
      ]);
      expect(read("d.json", JSON.stringify(decisions.slice(1)), { allowEmpty: true })).toEqual({});
    });
  });
});
