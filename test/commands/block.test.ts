import { readdirSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPrefixFile } from "../../provider/prefixes";
import { useEmptyFolder } from "../support/folder";
import { run } from "./support";

const NOW = Date.parse("2030-01-31T18:00:00.250Z");

const folder = useEmptyFolder();

const here = (args: readonly string[]) => run(args, { folder, now: () => NOW });
const block = (prefix: string, ...more: string[]) =>
  here(["block", prefix, "--file", "blocks.yaml", ...(more.includes("--reason") ? [] : REASON), ...more]);
const REASON = ["--reason", "SYN flood"];
const unblock = (prefix: string, ...more: string[]) => here(["unblock", prefix, "--file", "blocks.yaml", ...more]);
const text = (name = "blocks.yaml") => readFile(join(folder, name), "utf8");
const write = (content: string, name = "blocks.yaml") => writeFile(join(folder, name), content);
const entries = (name = "blocks.yaml") => readPrefixFile(join(folder, name), { allowEmpty: true });

test("where a program can read the file, an up is what removes a block", async () => {
  await write("name: edge\nruntime: nodejs\n", "Pulumi.yaml");
  expect((await block("203.0.113.7", "--for", "1h", "--create")).out).toContain(
    'After that time the first "pulumi up" of a program that reads the file removes it, or "block expire --now".\n',
  );
});

test("the time left of a block that ends in years is in days", async () => {
  await write(
    '203.0.113.7: { value: 1, expires: "2099-12-31T00:00:00Z" }\n203.0.113.8: { value: 1, expires: "2031-01-31T18:00:00Z" }\n',
  );
  const { out } = await here(["blocks", "--file", "blocks.yaml", "--output", "csv"]);
  expect(out.split(/\r?\n/).map((line) => line.split(",").at(-1))).toEqual(["left", "52w 1d", "25535d", ""]);
});

test("block makes a missing file where it is told to, and updates reason and time of a known prefix; unblock removes it", async () => {
  const given = ["203.0.113.7", "--for", "1h30m", "--ticket", "INC-4711", "--value", "2"] as const;
  expect(await block(...given)).toEqual({
    code: 2,
    out: "",
    err: "blocks.yaml: there is no such file. Nothing was changed: check --file, or make it with --create, for a program that reads it.\n",
  });
  expect(readdirSync(folder)).toEqual([]);
  expect(await block(...given, "--create")).toEqual({
    code: 0,
    out: `blocks.yaml was created. It takes effect once a program reads it with readPrefixFile.
blocks.yaml: 203.0.113.7/32 is in it until 2030-01-31T19:30:01Z.
There is no Pulumi project here whose program could read the file: after that time only "block expire --now" removes it.
`,
    err: "",
  });
  expect(entries()).toEqual({
    "203.0.113.7/32": { value: 2, reason: "SYN flood", ticket: "INC-4711", expires: "2030-01-31T19:30:01Z" },
  });
  expect((await block("203.0.113.7", "--reason", "again", "--until", "2030-02-01T01:00:00+01:00")).code).toBe(0);
  expect(entries()["203.0.113.7/32"]).toEqual({
    value: 2,
    reason: "again",
    ticket: "INC-4711",
    expires: "2030-02-01T00:00:00Z",
  });
  const kept =
    "blocks.yaml: 203.0.113.7/32 is in it until 2030-02-01T00:00:00Z, and keeps that longer time: --force shortens it.\n";
  expect(await block("203.0.113.7", "--reason", "short", "--for", "1h")).toEqual({ code: 0, out: kept, err: "" });
  expect(entries()["203.0.113.7/32"]).toMatchObject({ reason: "short", expires: "2030-02-01T00:00:00Z" });
  expect((await block("203.0.113.7", "--reason", "short", "--for", "1h", "--force")).code).toBe(0);
  expect(entries()["203.0.113.7/32"]?.expires).toBe("2030-01-31T19:00:01Z");
  expect((await block("203.0.113.7", "--permanent")).out).toBe("blocks.yaml: 203.0.113.7/32 is in it for good.\n");
  expect(entries()["203.0.113.7/32"]).toEqual({ value: 2, reason: "SYN flood", ticket: "INC-4711" });
  const json = await block("203.0.113.7", "203.0.113.8", "--for", "1h", "--output", "json");
  expect(JSON.parse(json.out)).toMatchObject({ written: true, kept: { "203.0.113.7/32": "for good" } });
  expect(Object.values(entries()).map(({ expires }) => expires)).toEqual([undefined, "2030-01-31T19:00:01Z"]);
  const unchanged = [
    await block("203.0.113.7", "203.0.113.8", "--for", "1h", "--output", "json"),
    await unblock("203.0.113.9", "--output", "json"),
    await here(["block", "expire", "--file", "blocks.yaml", "--now", "--output", "json"]),
  ];
  for (const { code, out } of unchanged) expect([code, JSON.parse(out)]).toMatchObject([0, { written: false }]);
  expect((await unblock("203.0.113.8")).code).toBe(0);
  expect(await unblock("203.0.113.7")).toEqual({
    code: 0,
    out: "blocks.yaml: 203.0.113.7/32 is removed.\nblocks.yaml has no prefix any more: a program needs allowEmpty: true to read it.\n",
    err: "",
  });
  expect(entries()).toEqual({});
  expect(await unblock("203.0.113.7")).toEqual({
    code: 0,
    out: "blocks.yaml: 203.0.113.7/32 was not in it.\n",
    err: "",
  });
});

test("unblock names what still covers the prefix, and ends with 1", async () => {
  await write("203.0.113.7/32: 1\n203.0.113.0/24: 1\n203.0.112.0-203.0.113.255: 1\n");
  const ended = await unblock("203.0.113.7");
  expect(ended.code).toBe(1);
  expect(ended.out).toBe("blocks.yaml: 203.0.113.7/32 is removed.\n");
  expect(ended.err).toContain("203.0.113.7/32 is still covered by 203.0.113.0/24, 203.0.112.0/23.");
  const range = await unblock("203.0.112.0/23");
  expect([range.code, range.err]).toEqual([1, expect.stringContaining("a range, an alias or another entry")]);
  expect(await text()).toBe("203.0.113.0/24: 1\n203.0.112.0-203.0.113.255: 1\n");
});

describe("files keep their looks", () => {
  test("YAML: comments, order, quotes and indentation", async () => {
    await write(`# Blocks of the night shift

# scanners
203.0.113.7: { value: 2, reason: "x" } # behind
# floods
2001:DB8::/48:
    value: 1 # of the rule
    reason: 'a b'
# the end
`);
    expect((await block("2001:db8::/48", "--permanent")).code).toBe(0);
    expect((await block("198.51.100.1", "--permanent")).code).toBe(0);
    expect((await unblock("203.0.113.7")).code).toBe(0);
    expect(await text()).toBe(`# Blocks of the night shift

# scanners
# floods
2001:DB8::/48:
    value: 1 # of the rule
    reason: 'SYN flood'
198.51.100.1/32:
    value: 1
    reason: SYN flood

# the end
`);
  });

  test("YAML of comments alone, and lists", async () => {
    await write("# nothing yet\n");
    expect((await block("192.0.2.1", "--permanent")).code).toBe(0);
    expect(await text()).toBe("# nothing yet\n\n192.0.2.1/32:\n  value: 1\n  reason: SYN flood\n");
    await write("- 192.0.2.1 # customer X\n# ours\n- prefix: 192.0.2.2\n  reason: old\n  id: 12345678901234567890\n");
    for (const prefix of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) {
      expect((await block(prefix, "--permanent")).code).toBe(0);
    }
    const entry = { value: 1, reason: "SYN flood" };
    expect(entries()).toEqual({ "192.0.2.1/32": entry, "192.0.2.2/32": entry, "192.0.2.3/32": entry });
    expect(await text()).toContain(
      "- prefix: 192.0.2.1 # customer X\n  reason: SYN flood\n# ours\n- prefix: 192.0.2.2\n  reason: SYN flood\n  id: 12345678901234567890\n",
    );
    for (const value of ["2", "2.0", "2e0", '"2"']) {
      await write(`192.0.2.1: ${value} # customer X\n`);
      expect((await block("192.0.2.1", "--permanent")).code).toBe(0);
      expect(await text()).toBe("192.0.2.1:\n  value: 2 # customer X\n  reason: SYN flood\n");
    }
  });

  test("JSON: indentation, line ends, members of others", async () => {
    await write('{\r\n\t"192.0.2.1": "7",\r\n\t"192.0.2.2": { "ticket": "T-1" }\r\n}', "blocks.json");
    const json = (...args: string[]) => here([...args, "--file", "blocks.json"]);
    expect((await json("block", "192.0.2.1", "192.0.2.3", "--reason", "r", "--permanent")).code).toBe(0);
    expect(await text("blocks.json")).toBe(
      '{\r\n\t"192.0.2.1": {\r\n\t\t"value": 7,\r\n\t\t"reason": "r"\r\n\t},\r\n\t"192.0.2.2": {\r\n\t\t"ticket": "T-1"\r\n\t},\r\n\t"192.0.2.3/32": {\r\n\t\t"value": 1,\r\n\t\t"reason": "r"\r\n\t}\r\n}',
    );
    await write('["192.0.2.1",{"prefix":"192.0.2.2"}]', "blocks.json");
    expect((await json("unblock", "192.0.2.1")).code).toBe(0);
    expect((await json("block", "192.0.2.2", "--reason", "r", "--permanent")).code).toBe(0);
    expect(await text("blocks.json")).toBe('[{"prefix":"192.0.2.2","reason":"r"}]');
    const exact =
      '[{"prefix":"192.0.2.2","id":9007199254740991,"name":"12345678901234567890","share":0.30000000000000004}]';
    await write(exact, "blocks.json");
    expect((await json("block", "192.0.2.2", "--reason", "r", "--permanent")).code).toBe(0);
    for (const [number, other] of [
      ["9007199254740993", "9007199254740992"],
      ["123456789.123456789", "123456789.12345679"],
      ["-1e400", "null"],
      ["1e-400", "0"],
    ] as const) {
      const long = exact.replace("9007199254740991", number);
      await write(long, "blocks.json");
      const { code, err } = await json("block", "192.0.2.3", "--reason", "r", "--permanent");
      expect([code, err, await text("blocks.json")]).toEqual([
        1,
        expect.stringContaining(`the number ${number} would be written as ${other}. Nothing was changed`),
        long,
      ]);
    }
    await write(
      '[{"prefix":"192.0.2.2","a":[1234567890123456.0,10000000000000000000000,1.50E+3,-0.0,0e7]}]',
      "blocks.json",
    );
    expect((await json("block", "192.0.2.2", "--reason", "r", "--permanent")).code).toBe(0);
    expect(await text("blocks.json")).toContain('"a":[1234567890123456,1e+22,1500,0,0]');
  });
});

describe("what is wrong leaves the file as it is", () => {
  const BEFORE = "192.0.2.1/32: 1\n";
  const FILE = ["--file", "blocks.yaml"];
  const WHY = [...FILE, "--reason", "r"];
  const forWhile = [...WHY, "--for", "2h"];

  test.each([
    [["block", "192.0.2.1/24", "198.51.100.300", ...forWhile], 2, 'write "192.0.2.0/24"'],
    [["block", "0.0.0.0/0", ...forWhile], 2, "no command blocks it"],
    [["block", "192.0.2.2", ...WHY], 2, "Give one of --for 2h"],
    [["block", "192.0.2.2", ...forWhile, "--permanent"], 2, "Give one of --for 2h"],
    [["block", "192.0.2.2", ...forWhile, "--duration", "1h"], 2, "--duration is the same as --for"],
    [["block", "192.0.2.2", ...FILE, "--for", "2h"], 2, "--reason"],
    [["block", "192.0.2.2", ...WHY, "--for", "2 hours"], 2, "is not a time span"],
    [["block", "192.0.2.2", ...WHY, "--duration", "0s"], 2, '--duration "0s" is not a time span'],
    [["block", "192.0.2.2", ...WHY, "--until", "2030-01-31T18:00"], 2, "zone"],
    [["block", "192.0.2.2", ...WHY, "--until", "2030-01-31T18:00:00Z"], 2, "has passed"],
    [["block", "192.0.2.2", ...forWhile, "--value", "-1"], 2, "--value"],
    [["block", "192.0.2.2", "--file", "blocks.txt", "--reason", "r", "--permanent"], 2, "JSON and YAML"],
    [["block", "192.0.2.2", ...forWhile, "--stack", "prod"], 2, "has no Pulumi.prod.yaml; there are dev"],
    [["block", "192.0.2.2", ...forWhile, "--node", "fra1"], 2, "--node goes with --now."],
    [["block", "192.0.2.2", ...forWhile, "--settings", "node.json"], 2, "--settings goes with --now."],
    [["unblock", "192.0.2.1", ...FILE, "--force"], 2, "--force goes with --now."],
    [["block", "198.51.100.0/22", ...forWhile], 1, "198.51.100.0/22 overlaps the forbidden prefix 198.51.100.0/24"],
    [["block", "192.0.2.2", "--file", "other.yaml", "--reason", "r", "--permanent"], 1, "other.yaml:1:"],
    [
      ["block", "192.0.2.2", "--file", "no/blocks.yaml", "--reason", "r", "--permanent", "--create"],
      2,
      "no: there is no such file. Folders are not created: make it first, or check --file.",
    ],
    [["unblock", "192.0.2.1", "--file", "bloks.yaml"], 2, "bloks.yaml: there is no such file"],
    [["unblock", "192.0.2.1", ...FILE], 1, "packetfilter:requiredPrefixes in Pulumi.dev.yaml"],
  ] as const)("%s", async (args, code, sentence) => {
    await write(BEFORE);
    await write("192.0.2.1/24: 1\n", "other.yaml");
    await write(
      'config:\n  packetfilter:forbiddenPrefixes: ["198.51.100.0/24"]\n  packetfilter:requiredPrefixes: \'["192.0.2.1"]\'\n',
      "Pulumi.dev.yaml",
    );
    const ended = await here(args);
    expect(ended).toMatchObject({ code, out: "" });
    expect(ended.err).toContain(sentence);
    const { code: same, out } = await here([...args, "--output", "json"]);
    expect([same, JSON.parse(out)]).toMatchObject([code, { written: false, problems: [ended.err.trimEnd()] }]);
    expect(await text()).toBe(BEFORE);
    expect(readdirSync(folder).sort()).toEqual(["Pulumi.dev.yaml", "blocks.yaml", "other.yaml"]);
  });
});

test("of several stacks one is named, and limits that are encrypted are refused", async () => {
  await write("config:\n  packetfilter:forbiddenPrefixes:\n    - 198.51.100.0/24\n", "Pulumi.dev.yaml");
  await write("config:\n  packetfilter:forbiddenPrefixes:\n    secure: v1:aaaa\n", "Pulumi.prod.yaml");
  const unsaid = await block("198.51.100.1", "--permanent");
  expect([unsaid.code, unsaid.err]).toEqual([2, expect.stringContaining("there are dev, prod")]);
  expect((await block("198.51.100.1", "--permanent", "--stack", "dev", "--create")).code).toBe(1);
  const prod = await block("198.51.100.1", "--permanent", "--stack", "organization/project/prod", "--create");
  expect(prod).toMatchObject({ code: 2, out: "" });
  expect(prod.err).toContain("packetfilter:forbiddenPrefixes is encrypted and cannot be read here");
  expect(prod.err).toContain('--config FILE with the output of "pulumi config --stack prod --show-secrets --json"');
  expect(readdirSync(folder).sort()).toEqual(["Pulumi.dev.yaml", "Pulumi.prod.yaml"]);
});

test("twenty at once lose nothing", async () => {
  await write("# kept\n192.0.2.200/32: 1\n");
  const hosts = Array.from({ length: 20 }, (_, i) => `192.0.2.${i + 1}`);
  const ended = await Promise.all(hosts.map((host) => block(host, "--for", "2h")));
  expect(ended.map(({ code }) => code)).toEqual(hosts.map(() => 0));
  expect(Object.keys(entries()).sort()).toEqual([...hosts, "192.0.2.200"].map((host) => `${host}/32`).sort());
  expect(readdirSync(folder)).toEqual(["blocks.yaml"]);
});

test("a file that was edited again and again says what a model says", async () => {
  const step = fc.record({
    host: fc.integer({ min: 1, max: 6 }),
    gone: fc.boolean(),
    reason: fc
      .string({ minLength: 1, unit: "grapheme" })
      .filter((reason) => reason.trim() !== "" && !reason.startsWith("-")),
    value: fc.option(fc.integer({ min: 0, max: 9 })),
  });
  const names = fc.constantFrom("file.json", "file.yaml");
  let round = 0;
  await fc.assert(
    fc.asyncProperty(names, fc.array(step, { maxLength: 12 }), async (name, steps) => {
      const place = join(folder, String(round++));
      await mkdir(place);
      await writeFile(join(place, name), name === "file.json" ? "{}" : "");
      const model = new Map<string, { value: number; reason: string }>();
      for (const { host, gone, reason, value } of steps) {
        const prefix = `192.0.2.${host}/32`;
        const options = ["--reason", reason, "--permanent", ...(value === null ? [] : ["--value", String(value)])];
        const args = gone ? ["unblock", prefix] : ["block", prefix, ...options];
        expect(await run([...args, "--file", name], { folder: place })).toMatchObject({ code: 0 });
        if (gone) model.delete(prefix);
        else model.set(prefix, { value: value ?? model.get(prefix)?.value ?? 1, reason });
      }
      expect(readPrefixFile(join(place, name), { allowEmpty: true })).toEqual(Object.fromEntries(model));
    }),
    { numRuns: 25 },
  );
});

test("a file that block cannot write back is named, with what to do, and stays as it is", async () => {
  const latin1 = Buffer.from('{"192.0.2.0/24":{"reason":"caf\xe9"}}', "latin1");
  const lines = '{"prefix":"192.0.2.0/24"}\n{"prefix":"198.51.100.0/24"}\n';
  for (const [name, content, problem] of [
    ["odd.json", latin1, "is not UTF-8 text: save it as UTF-8."],
    ["lines.json", Buffer.from(lines), "name a file of your own, and let the program merge both"],
  ] as const) {
    await writeFile(join(folder, name), content);
    const failed = await here(["block", "192.0.2.7", "--file", name, ...REASON, "--permanent"]);
    expect(failed).toMatchObject({ code: 1, out: "" });
    expect(failed.err).toContain(name);
    expect(failed.err).toContain(problem);
    expect(await readFile(join(folder, name))).toEqual(content);
  }
});
