import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listEntries } from "../../provider/commands/listing/listing";
import { printed } from "../../provider/commands/listing/output";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { Prefix } from "../../provider/model/prefix";
import { useFolder } from "../support/folder";
import { run } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const folder = useFolder();
const entries = {
  "203.0.113.0/24": 1,
  "2001:db8::/32": 3,
  "192.0.2.0/24": 2,
  "203.0.113.7/32": 5,
  "203.0.112.0/23": 4,
};

let emulator: Emulator;
let env: Record<string, string>;
beforeAll(async () => {
  emulator = await startEmulator({
    state: {
      arenas: {
        edge: {
          sets: { blocked: entries, empty: {} },
          profiles: {
            web: {
              prefixes: ["198.51.100.0/24"],
              rules: [{ id: 7, name: "flood, \u001b[2J", actions: ["drop" as const] }],
              marks: { shost: [{ address: "203.0.113.45", id: 7, value: 1_234, lifetime: 3_600 }] },
            },
            clean: {},
          },
        },
      },
    },
    auth: { bearer: "node-secret" },
  });
  env = {
    PACKETFILTER_ENDPOINT: emulator.endpoint,
    PACKETFILTER_HEADERS: '{"authorization":"Bearer node-secret"}',
  };
});
afterAll(() => emulator.close());

test("a set is a table in the order of addresses, with its size below", async () => {
  expect(await run(["list", BLOCKED], { env })).toEqual({
    code: 0,
    out: `prefix          value
192.0.2.0/24        2
203.0.112.0/23      4
203.0.113.0/24      1
203.0.113.7/32      5
2001:db8::/32       3

5 entries.
`,
    err: "",
  });
  expect((await run(["list", "prefixset://edge/empty"], { env })).out).toBe("0 entries.\n");
});

test("--contains names every entry that covers an address or a prefix, the longest first", async () => {
  const covering = async (what: string) =>
    JSON.parse((await run(["list", BLOCKED, `${BLOCKED}/`, "--contains", what, "--output", "json"], { env })).out);
  expect(await covering("203.0.113.7")).toEqual([
    { prefix: "203.0.113.7/32", value: 5 },
    { prefix: "203.0.113.0/24", value: 1 },
    { prefix: "203.0.112.0/23", value: 4 },
  ]);
  expect(await covering("203.0.113.0/25")).toEqual([
    { prefix: "203.0.113.0/24", value: 1 },
    { prefix: "203.0.112.0/23", value: 4 },
  ]);
  expect(await covering("2001:db8:1::1")).toEqual([{ prefix: "2001:db8::/32", value: 3 }]);
  expect(await covering("198.51.100.1")).toEqual([]);
  const none = await run(["list", BLOCKED, "--contains", "198.51.100.1"], { env });
  expect(none).toEqual({ code: 0, out: "No entry covers 198.51.100.1/32, of 5 entries.\n", err: "" });
  const two = await run(["list", BLOCKED, "--contains", "203.0.112.9"], { env });
  expect(two.out).toContain("1 entry covers 203.0.112.9/32, of 5 entries.");
});

test("profiles, rules and marks are listed under their addresses", async () => {
  const json = async (...args: string[]) => JSON.parse((await run(["list", ...args, "--output", "json"], { env })).out);
  expect((await json("arena://edge")).map(({ name }: { name: string }) => name).sort()).toEqual(["clean", "web"]);
  expect(await json("profile://edge/web")).toMatchObject([{ id: 7, name: "flood, \u001b[2J" }]);
  expect(await json("mark://edge/web", "--type", "shost")).toMatchObject([
    { address: "203.0.113.45", id: 7, value: 1_234, lifetime: expect.any(Number) },
  ]);
  expect((await run(["list", "mark://edge/clean", "--type", "conn"], { env })).out).toBe("0 marks.\n");
});

test("what a node calls things cannot move a terminal's cursor, and CSV quotes it", async () => {
  const rules = await run(["list", "profile://edge/web"], { env });
  expect(rules.out).toContain("flood, \\u{1b}[2J");
  expect(rules.out).not.toContain("\u001b");
  const csv = await run(["list", "profile://edge/web", "--output", "csv"], { env });
  expect(csv.out.split("\r\n")[1]).toContain('7,"flood, \\u{1b}[2J"');
  expect((await run(["list", BLOCKED, "--output", "csv"], { env })).out.split("\r\n")[1]).toBe("192.0.2.0/24,2");
});

test("what a spreadsheet would take for a formula is text in CSV, and numbers stay numbers", () => {
  const names = ["=HYPERLINK(1)", "+1+1", "-2+3", "@SUM(1)", "\tx", "\rx", "-7", "a=b"];
  const rows = names.map((name, value) => ({ name, value: -value }));
  const listing = { columns: ["name", "value"], rows, summary: "" };
  expect(printed(listing, "csv").split("\r\n")).toEqual([
    "name,value",
    "'=HYPERLINK(1),0",
    "'+1+1,-1",
    "'-2+3,-2",
    "'@SUM(1),-3",
    "'\tx,-4",
    "'\\u{d}x,-5",
    "-7,-6",
    "a=b,-7",
    "",
  ]);
});

test("no name of a node is a command to the runner of a CI job, in whatever form", () => {
  const names = ["::stop-commands::x", "##vso[task.complete]", "::1"];
  const listing = { columns: ["name"], rows: names.map((name) => ({ name })), summary: "" };
  expect(printed(listing, "table").split("\n").slice(1, 4)).toEqual([
    "\\u{3a}:stop-commands::x",
    "#\\u{23}vso[task.complete]",
    "::1",
  ]);
  expect(printed(listing, "csv")).toBe('name\r\n"::stop-commands::x"\r\n#\\u{23}vso[task.complete]\r\n::1\r\n');
  expect(printed(listing, "json")).not.toMatch(/^\s*::|##(\[|vso)/m);
  expect(JSON.parse(printed(listing, "json"))).toEqual(listing.rows);
});

test("50 000 entries are a table, too", () => {
  const entries = Array.from({ length: 50_000 }, (_, i) => {
    const prefix = Prefix.parse(`10.${i >> 8}.${i & 255}.0/24`);
    return { prefix, value: i, spelling: prefix.toString() };
  });
  const lines = printed(listEntries(entries.toReversed()), "table").split("\n");
  expect(lines.slice(0, 2)).toEqual(["prefix           value", "10.0.0.0/24          0"]);
  expect(lines.slice(50_000)).toEqual(["10.195.79.0/24   49999", "", "50 000 entries.", ""]);
});

describe("wrong use ends with 2, a node that fails with 1, and neither shows the credentials", () => {
  test.each([
    [["list", BLOCKED], {}, 2, "Name the node: --endpoint URL, or PACKETFILTER_ENDPOINT."],
    [["list", "blocked"], undefined, 2, "is not a resource address"],
    [["list", "mark://edge/web"], undefined, 2, "Name the table of marks: --type shost, dhost, sdhost, conn."],
    [["list", "mark://edge/web", "--type", "host"], undefined, 2, "shost, dhost, sdhost, conn"],
    [["list", BLOCKED, "--type", "shost"], undefined, 2, "it belongs to mark://ARENA/PROFILE"],
    [["list", "--contains", "192.0.2.1", "--type", "shost"], undefined, 2, "it belongs to mark://ARENA/PROFILE"],
    [["list", "arena://edge", "--contains", "192.0.2.1"], undefined, 2, "--contains looks into a set"],
    [["list", BLOCKED, "--contains", "192.0.2.1/24"], undefined, 2, "--contains: "],
    [["list", BLOCKED, "--header-file", "/"], undefined, 2, "/ is a folder, and a file is needed (EISDIR)"],
    [["list", BLOCKED, "--state", "state.json"], undefined, 2, "--state goes with --contains."],
    [["list", BLOCKED, "--output", "xml"], undefined, 2, "table, json, csv"],
    [["list", BLOCKED, "--endpoint", "ftp://192.0.2.1"], undefined, 2, "`endpoint`"],
    [["list", "prefixset://edge/nothing"], undefined, 1, "Set prefixset://edge/nothing"],
  ] as const)("%s", async (args, given, code, sentence) => {
    const ended = await run(args, { env: given ?? env });
    expect(ended).toMatchObject({ code, out: "" });
    expect(ended.err).toContain(sentence);
    expect(ended.err).not.toContain("node-secret");
  });
});

test.each([
  ["alone", { answers: { absent: "empty" } }],
  ["as probe writes them", { node: { answers: { absent: "empty" } }, dialect: {} }],
])("the node's members stand in a file, %s", async (_, settings) => {
  await writeFile(join(folder, "node.json"), JSON.stringify(settings));
  expect((await run(["list", "prefixset://edge/none"], { env })).code).toBe(1);
  const listed = await run(["list", "prefixset://edge/none", "--settings", "node.json"], { env, folder });
  expect(listed).toEqual({ code: 0, out: "0 entries.\n", err: "" });
  const elsewhere = { endpoint: "http://192.0.2.1", answers: { absent: "empty" } };
  await writeFile(join(folder, "node.json"), JSON.stringify(elsewhere));
  expect(await run(["list", "prefixset://edge/none", "--settings", "node.json"], { env, folder })).toEqual(listed);
  for (const secret of [
    { headers: { authorization: "Bearer theirs" } },
    { tls: { ca: "theirs" } },
    { endpoint: "http://their:password@192.0.2.1" },
  ]) {
    await writeFile(join(folder, "node.json"), JSON.stringify({ ...elsewhere, ...secret }));
    const stray = await run(["list", BLOCKED, "--settings", "node.json"], { env, folder });
    expect([stray.code, stray.out, stray.err]).toEqual([
      2,
      "",
      expect.stringContaining("has credentials of http://192.0.2.1, and the"),
    ]);
  }
  for (const [content, remedy] of [
    ["[]", '"node".'],
    [JSON.stringify({ node: {}, commitDelayMs: 500, maxVlaue: 3 }), '"node": move commitDelayMs, maxVlaue into it'],
  ] as const) {
    await writeFile(join(folder, "node.json"), content);
    const wrong = await run(["list", "prefixset://edge/none", "--settings", "node.json"], { env, folder });
    expect(wrong).toMatchObject({ code: 2, out: "", err: expect.stringContaining(remedy) });
  }
});
