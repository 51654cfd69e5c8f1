import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { readPrefixFile } from "../../provider/prefixes";
import { useEmptyFolder } from "../support/folder";
import { run } from "./support";

const CLI = join(__dirname, "../../dist/provider/cli.js");
const NOW = Date.parse("2030-01-31T18:00:00Z");
const folder = useEmptyFolder();

const write = (name: string, content: string) => writeFile(join(folder, name), content);
const here = (args: readonly string[], piped?: string | Buffer) =>
  run(args, { folder, now: () => NOW, ...(piped !== undefined && { stdin: Readable.from([piped]) }) });

const BLOCKS = `192.0.2.0/25: 1
192.0.2.128/25: { reason: SYN flood, ticket: INC-4711, expires: "2030-02-01T00:00:00Z" }
203.0.113.7: { value: 7, expires: "2030-01-01T00:00:00Z", reason: scanners }
2001:db8:bad::/48: 2
`;

/** Words of a shell's command line. */
const words = (line: string) =>
  spawnSync("sh", ["-c", `printf '%s\\n' ${line}`], { encoding: "utf8" })
    .stdout.trimEnd()
    .split("\n");

describe("check", () => {
  test("says what a file holds, as a report says it", async () => {
    await write("blocks.yaml", BLOCKS);
    expect(await here(["prefixes", "check", "blocks.yaml"])).toEqual({
      code: 0,
      out: `blocks.yaml: 3 entries (256 IPv4 addresses and 65 536 IPv6 networks of /64).
  = 192.0.2.0/25 1
  = 192.0.2.128/25 1, SYN flood; INC-4711; until 2030-02-01T00:00:00Z
  = 2001:db8:bad::/48 2
  expires: 192.0.2.128/25 until 2030-02-01T00:00:00Z
1 entry has expired.
  - 203.0.113.7/32 7, scanners; until 2030-01-01T00:00:00Z, expired
`,
      err: "",
    });
  });

  test("as JSON", async () => {
    await write("blocks.yaml", '203.0.113.7: { reason: scanners, expires: "2030-02-01T00:00:00Z" }\n');
    const { code, out } = await here(["prefixes", "check", "blocks.yaml", "--output", "json"]);
    const note = { reason: "scanners", expires: "2030-02-01T00:00:00Z" };
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        file: "blocks.yaml",
        entries: {
          count: 1,
          addresses: { ipv4: "1", ipv6: "0" },
          entries: [{ prefix: "203.0.113.7/32", to: 1, note, resource: "blocks.yaml" }],
        },
        expired: { count: 0, addresses: { ipv4: "0", ipv6: "0" }, entries: [] },
        expiring: [{ prefix: "203.0.113.7/32", expires: "2030-02-01T00:00:00Z" }],
        leftOut: {},
      },
    ]);
  });

  test("names so many prefixes as are wanted", async () => {
    await write("list.txt", "192.0.2.0/24\n198.51.100.0/24\n203.0.113.0/24\n");
    expect((await here(["prefixes", "check", "list.txt", "--limit", "1"])).out).toBe(
      "list.txt: 3 entries (768 IPv4 addresses).\n  = 192.0.2.0/24 1\n  = … and 2 more\n",
    );
    expect((await here(["prefixes", "check", "list.txt", "--limit", "0"])).code).toBe(2);
  });

  test("tells what is wrong with its place, and ends with 1", async () => {
    await write("list.txt", "192.0.2.0/24\n192.0.2.1/24\n198.51.100.0 many\n");
    expect(await here(["prefixes", "check", "list.txt"])).toEqual({
      code: 1,
      out: "",
      err: `list.txt:2:1: "192.0.2.1/24" has host bits set: write "192.0.2.0/24" for the whole prefix, or "192.0.2.1/32" for the one address.
list.txt:3:14: the value "many" is not an integer from 0 to 4294967295.
`,
    });
    const { code, err } = await here(["prefixes", "check", "missing.txt"]);
    expect([code, err]).toEqual([2, "missing.txt: there is no such file. Check the name.\n"]);
  });

  test.each([
    ['[{"cidr":"192.0.2.0/24","expires_at":"2031-01-01T00:00:00Z"}]', ["--column", "expires=expires_at"]],
    ['[{"cidr":"192.0.2.0/24","Valid Until":"2031-01-01T00:00:00Z"}]', ["--column", "expires=Valid Until"]],
    ['[{"cidr":"192.0.2.0/24","enabled":false}]', ["--column", "prefix=…"]],
    ['{"rows":[{"where":"192.0.2.0/24"}]}', ["--records", "rows"]],
    ['{"our rows":[{"where":"192.0.2.0/24"}]}', ["--records", "our rows"]],
    ["", ["--allow-empty"]],
    ["# 5 entries\n192.0.2.0/24\n", ["--allow-empty"]],
  ])("%j is refused with the option of the command", async (content, options) => {
    const { code, err } = await here(["prefixes", "check", "-"], content);
    const [, hint = ""] = /\(here: (.*)\)\n/.exec(err) ?? [];
    expect([code, words(hint)]).toEqual([1, options]);
    if (options.join(" ").match(/…|records/)) return;
    expect(await here(["prefixes", "check", "-", ...options], content)).toMatchObject({ code: 0, err: "" });
  });

  test("reads published lists with what readPrefixFile is told, and counts what they leave out", async () => {
    const decision = { duration: "4h", reason: "ssh", scope: "Ip", type: "ban", value: "192.0.2.7" };
    const decisions = [decision, { ...decision, value: "192.0.2.8", simulated: true }];
    const list = ["prefixes", "check", "-", "--format", "json"];
    expect(await here(list, JSON.stringify(decisions))).toEqual({
      code: 0,
      out: "standard input: 1 entry (1 IPv4 address).\n  = 192.0.2.7/32 1, ssh\n1 record is left out (1 simulated).\n",
      err: "",
    });
    expect((await here([...list, "--select", "simulated=true"], JSON.stringify(decisions))).out).toBe(
      "standard input: 1 entry (1 IPv4 address).\n  = 192.0.2.8/32 1, ssh\n",
    );
    const rows = "net,weight,site\n192.0.2.1/24,3,fra1\n198.51.100.0/24,4,fra2\n203.0.113.0/24,5,ams1\n";
    const csv = ["prefixes", "check", "-", "--column", "prefix=net", "--column", "value=weight", "--host-bits", "mask"];
    expect((await here([...csv, "--select", "site=fra1", "--select", "site=fra2"], rows)).out).toBe(
      "standard input: 2 entries (512 IPv4 addresses).\n  = 192.0.2.0/24 3\n  = 198.51.100.0/24 4\n",
    );
    expect(
      (await here(["prefixes", "check", "-", "--on-duplicate", "max"], "192.0.2.0/24 1\n192.0.2.0/24 5")).out,
    ).toBe("standard input: 1 entry (256 IPv4 addresses).\n  = 192.0.2.0/24 5\n");
    expect((await here(["prefixes", "check", "-", "--allow-empty"], "# none\n")).out).toBe(
      "standard input: 0 entries.\n",
    );
  });

  test.each([
    [["--select", "service"], '--select "service" is not of the form name=value.\n'],
    [["--column", "prefix=net", "--column", "valu=weight"], "There is no option `columns.valu`.\n"],
    [["--format", "txt", "--column", "prefix=0"], /needs a format that has columns/],
    [["--format", "xml"], /Allowed choices are txt, csv, json, ndjson, yaml/],
  ])("%j is wrong use", async (args, message) => {
    const { code, err } = await here(["prefixes", "check", "-", ...args], "192.0.2.0/24\n");
    expect([code, err]).toEqual([2, typeof message === "string" ? message : expect.stringMatching(message)]);
  });
});

describe("diff", () => {
  test("says what changes, as a report says it; what has expired is in neither", async () => {
    await write("before.yaml", BLOCKS);
    await write(
      "after.yaml",
      `192.0.2.0/25: 1
192.0.2.128/25: { reason: UDP flood, expires: "2030-02-01T00:00:00Z" }
2001:db8:bad::/48: 3
198.51.100.0/24: 1
`,
    );
    expect(await here(["prefixes", "diff", "before.yaml", "after.yaml"])).toEqual({
      code: 0,
      out: `before.yaml → after.yaml: 1 entry in (256 IPv4 addresses), 1 entry with another value, 1 entry with other notes.
  + 198.51.100.0/24 1
  ~ 2001:db8:bad::/48 2 → 3
  note 192.0.2.128/25 1, SYN flood; INC-4711; until 2030-02-01T00:00:00Z → UDP flood; until 2030-02-01T00:00:00Z
  expires: 192.0.2.128/25 until 2030-02-01T00:00:00Z
`,
      err: "before.yaml: 1 entry has expired and is left out.\n",
    });
  });

  test("a file with the same in another order and spelling changes nothing", async () => {
    await write("before.txt", "192.0.2.0/24\n203.0.113.7\n2001:DB8::/32\n");
    await write("after.json", '["2001:db8::/32", "203.0.113.7/32", "192.0.2.0/24"]');
    expect(await here(["prefixes", "diff", "before.txt", "after.json"])).toEqual({
      code: 0,
      out: "before.txt → after.json: No entry changes.\n",
      err: "",
    });
  });

  test("as JSON, with one file from standard input", async () => {
    await write("blocks.yaml", "192.0.2.0/24: 1\n");
    const { out } = await here(["prefixes", "diff", "-", "blocks.yaml", "--output", "json"], "203.0.113.7 2\n");
    const none = { count: 0, addresses: { ipv4: "0", ipv6: "0" }, entries: [] };
    const resource = "blocks.yaml";
    expect(JSON.parse(out)).toEqual({
      before: "-",
      after: "blocks.yaml",
      in: { count: 1, addresses: { ipv4: "256", ipv6: "0" }, entries: [{ prefix: "192.0.2.0/24", to: 1, resource }] },
      out: {
        count: 1,
        addresses: { ipv4: "1", ipv6: "0" },
        entries: [{ prefix: "203.0.113.7/32", from: 2, resource }],
      },
      changed: none,
      renoted: none,
      expiring: [],
    });
  });

  test("a pipe that gives its lines one after the other is read to its end, and one without a line is no list", async () => {
    const script = `"$0" "$1" prefixes check <("$0" -e '
      const { writeSync } = require("node:fs");
      writeSync(1, "192.0.2.0/24\\n198.51.");
      process.stdin.resume().on("end", () => writeSync(1, "100.0/24\\n"));' </dev/null)`;
    const piped = (text: string) => spawnSync("bash", ["-c", text, process.execPath, CLI], { encoding: "utf8" });
    expect(piped(script).stdout.split("\n").slice(0, 3)).toEqual([
      expect.stringMatching(/^\/dev\/fd\/\d+: 2 entries \(512 IPv4 addresses\)\.$/),
      "  = 192.0.2.0/24 1",
      "  = 198.51.100.0/24 1",
    ]);
    expect(piped('"$0" "$1" prefixes check <(:)')).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("there is no prefix in it"),
    });
  });

  test("needs two files, of which one can be standard input", async () => {
    await write("blocks.yaml", "192.0.2.0/24: 1\n");
    expect(await here(["prefixes", "diff", "-", "-"], "")).toMatchObject({ code: 2, out: "" });
    expect(await here(["prefixes", "diff", "blocks.yaml"])).toMatchObject({ code: 2, out: "" });
    expect(await here(["prefixes", "diff", "blocks.yaml", "-"])).toEqual({
      code: 2,
      out: "",
      err: "Name a file, or pipe one to the command.\n",
    });
  });
});

describe("block and unblock", () => {
  const flags = ["--file", "blocks.yaml", "--create", "--reason", "SYN flood"];
  const prefixes = () => Object.keys(readPrefixFile(join(folder, "blocks.yaml"), { allowEmpty: true }));

  test("take a range for the prefixes that it is made of", async () => {
    expect((await here(["block", "203.0.113.6-203.0.113.9", ...flags, "--permanent"])).out).toBe(
      "blocks.yaml was created. It takes effect once a program reads it with readPrefixFile.\nblocks.yaml: 203.0.113.6/31, 203.0.113.8/31 are in it for good.\n",
    );
    expect(prefixes()).toEqual(["203.0.113.6/31", "203.0.113.8/31"]);
    expect((await here(["unblock", "203.0.113.6-203.0.113.9", "--file", "blocks.yaml"])).code).toBe(0);
    expect(prefixes()).toEqual([]);
  });

  test("take prefixes from standard input, one a line, with comments", async () => {
    const piped = "# sources\n203.0.113.7 # the first\r\n\n198.51.100.0 - 198.51.100.255\n2001:DB8::/32\n";
    expect((await here(["block", "192.0.2.9", "-", ...flags, "--permanent"], piped)).code).toBe(0);
    expect(prefixes()).toEqual(["192.0.2.9/32", "203.0.113.7/32", "198.51.100.0/24", "2001:db8::/32"]);
    expect((await here(["unblock", "-", "--file", "blocks.yaml"], piped)).code).toBe(0);
    expect(prefixes()).toEqual(["192.0.2.9/32"]);
  });

  test("tell all that is wrong, with the line, and change nothing", async () => {
    const { code, err } = await here(
      ["block", "203.0.113.9-203.0.113.6", "-", ...flags, "--permanent"],
      "192.0.2.0/24\n192.0.2.1/24\n192.0.2.0;24\n192.0.2.8/29 5 7\n",
    );
    expect([code, err.split("\n")]).toEqual([
      2,
      [
        '"203.0.113.9-203.0.113.6" ends before it begins: write "203.0.113.6-203.0.113.9" if that is intended.',
        'standard input:2:1: "192.0.2.1/24" has host bits set: write "192.0.2.0/24" for the whole prefix, or "192.0.2.1/32" for the one address.',
        "standard input:3:10: looks like a field after a semicolon, which begins comments here: write one prefix on each line, alone.",
        'standard input:4:16: "7" follows the value: write one prefix a line, and comments after "#".',
        "Nothing was changed.",
        "",
      ],
    ]);
    expect((await here(["block", "-", ...flags, "--permanent"], "192.0.2.0/24 1\n")).err).toBe(
      "standard input: 192.0.2.0/24 has the value 1 behind it: write one prefix on each line, alone.\nNothing was changed.\n",
    );
    for (const value of [0, 2])
      expect((await here(["block", "-", ...flags, "--permanent"], `192.0.2.1 ${value}\n192.0.2.1\n`)).err).toBe(
        "standard input:2:1: 192.0.2.1/32 appears again with another value: write one prefix on each line, alone.\nNothing was changed.\n",
      );
    expect((await here(["block", "-", ...flags, "--permanent"], "# none\n")).err).toBe(
      "There is no prefix in standard input. Nothing was changed.\n",
    );
    expect((await here(["block", "-", ...flags, "--permanent"])).err).toBe(
      'Pipe prefixes to the command, or remove "-".\n',
    );
    expect((await here(["block", "0.0.0.0-255.255.255.255", ...flags, "--permanent"])).err).toContain(
      "covers all addresses, and no command blocks it",
    );
  });
});

test("aggregate writes the fewest prefixes of several files, without those of others", async () => {
  await writeFile(join(folder, "a.txt"), "192.0.2.0/25\n192.0.2.7\n2001:db8::/33\n");
  await writeFile(join(folder, "b.csv"), "prefix,expires\n192.0.2.128/25,\n198.51.100.0/24,2020-01-01T00:00:00Z\n");
  await writeFile(join(folder, "own.txt"), "192.0.2.0/26\n");
  const aggregate = (...args: string[]) => run(["prefixes", "aggregate", "a.txt", "b.csv", ...args], { folder });
  const expired = "b.csv: 1 entry has expired and is left out.\n";
  expect(await aggregate()).toEqual({ code: 0, out: "192.0.2.0/24\n2001:db8::/33\n", err: expired });
  expect((await aggregate("--exclude", "own.txt")).out).toBe("192.0.2.64/26\n192.0.2.128/25\n2001:db8::/33\n");
  expect(JSON.parse((await aggregate("--output", "json")).out)).toEqual({
    "192.0.2.0/24": { value: 1 },
    "2001:db8::/33": { value: 1 },
  });
  await writeFile(join(folder, "c.txt"), "203.0.113.0/24 5\n");
  expect((await aggregate("c.txt")).out).toBe("192.0.2.0/24 1\n203.0.113.0/24 5\n2001:db8::/33 1\n");
  await writeFile(join(folder, "twice.txt"), "203.0.113.0/24 5\n203.0.113.0/24 7\n");
  expect((await aggregate("twice.txt")).err).toMatch(
    /^b\.csv: .*\ntwice\.txt:1:1: 203\.0\.113\.0\/24 appears again with the value 7/,
  );
  expect((await aggregate("twice.txt", "--on-duplicate", "max")).out).toContain("203.0.113.0/24 7\n");
  await writeFile(join(folder, "bad.txt"), "192.0.2.1/24\n");
  expect(await aggregate("bad.txt")).toMatchObject({ code: 1, out: "", err: expect.stringContaining("bad.txt:1:1: ") });
  expect(await aggregate("none.txt")).toMatchObject({
    code: 2,
    err: "none.txt: there is no such file. Check the name.\n",
  });
});

const OF_LIST = ["--select", "kind=a", "--records", "data", "--format", "json"];

test("aggregate excludes a whole file, whatever it selects from the others", async () => {
  await write(
    "list.json",
    JSON.stringify({
      data: [
        { cidr: "192.0.2.0/24", kind: "a" },
        { cidr: "203.0.113.0/24", kind: "b" },
      ],
    }),
  );
  await write("own.txt", "192.0.2.0/25\n");
  await write("empty.txt", "");
  const excluding = (file: string, ...more: string[]) =>
    here(["prefixes", "aggregate", "list.json", ...OF_LIST, "--exclude", file, ...more]);
  expect(await excluding("own.txt", "--allow-empty")).toEqual({ code: 0, out: "192.0.2.128/25\n", err: "" });
  expect(await excluding("empty.txt")).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("empty.txt:1:1: "),
  });
  expect(await excluding("empty.txt", "--allow-empty")).toEqual({ code: 0, out: "192.0.2.0/24\n", err: "" });
  await write("semi.txt", "192.0.2.0;24\n");
  expect((await excluding("semi.txt")).err).toContain(
    '(here: exclude what "prefixes aggregate --format csv" writes of it)\n',
  );
  expect((await excluding("empty.txt")).err).toContain("(here: --allow-empty)\n");
});

test("aggregate and diff count what a list leaves out, as check does", async () => {
  const decision = { value: "192.0.2.7", scope: "Ip", type: "ban", duration: "4h" };
  await write(
    "cs.json",
    JSON.stringify([decision, { ...decision, type: "captcha" }, { ...decision, simulated: true }]),
  );
  const left = '2 records are left out (1 of another type than "ban", 1 simulated).\n';
  expect(await here(["prefixes", "aggregate", "cs.json"])).toEqual({
    code: 0,
    out: "192.0.2.7/32\n",
    err: `cs.json: ${left}`,
  });
  const { out, err } = await here(["prefixes", "diff", "cs.json", "cs.json"]);
  expect([out, err]).toEqual(["cs.json → cs.json: No entry changes.\n", `cs.json: ${left}cs.json: ${left}`]);
});

test("aggregate fails when nothing is left, and counts what text cannot say", async () => {
  const over = "2030-01-01T00:00:00Z";
  await write("over.csv", `prefix,expires\n192.0.2.0/24,${over}\n198.51.100.0/24,${over}\n`);
  await write("all.txt", "192.0.2.0/24\n");
  const expired = "over.csv: 2 entries have expired and are left out.\n";
  const nothing =
    "Nothing is left of these files: look at what is excluded and has expired, fetch them again, or use --allow-empty if that is intended.\n";
  for (const output of ["txt", "json"])
    expect(await here(["prefixes", "aggregate", "over.csv", "--output", output])).toEqual({
      code: 1,
      out: "",
      err: `${expired}${nothing}`,
    });
  const excluded = ["prefixes", "aggregate", "all.txt", "--exclude", "all.txt"];
  expect(await here(excluded)).toEqual({ code: 1, out: "", err: nothing });
  expect(await here([...excluded, "--allow-empty"])).toEqual({ code: 0, out: "", err: "" });

  await write("later.yaml", BLOCKS);
  const text = await here(["prefixes", "aggregate", "later.yaml"]);
  const left = "later.yaml: 1 entry has expired and is left out.\n";
  expect(text).toEqual({
    code: 0,
    out: "192.0.2.0/25 1\n192.0.2.128/25 1\n2001:db8:bad::/48 2\n",
    err: `${left}1 entry expires, and text has no place for that: use --output json.\n`,
  });
  expect((await here(["prefixes", "aggregate", "later.yaml", "--output", "json"])).err).toBe(left);
});

test("standard input is read as a file is", async () => {
  const check = (piped: Buffer) => here(["prefixes", "check", "-"], piped);
  const latin = Buffer.from("192.0.2.0/24 # f\xfcr alle\n", "latin1");
  expect((await check(latin)).err).toBe("standard input:1:1: is not UTF-8 text: save it as UTF-8.\n");
  const gzip = Buffer.from([0x1f, 0x8b, 8, 0]);
  expect((await check(gzip)).err).toBe("standard input:1:1: is compressed with gzip: unpack it first.\n");
  const marked = Buffer.from("\ufeff192.0.2.0/24\n");
  expect(await check(marked)).toMatchObject({ code: 0, out: expect.stringContaining("192.0.2.0/24") });
});

test("an output that cannot be written is named, and ends with 1", async () => {
  // More than one write.
  await write("list.txt", Array.from({ length: 5_000 }, (_, at) => `10.0.${at >> 7}.${(at & 127) * 2}\n`).join(""));
  const script = '"$0" "$1" prefixes aggregate list.txt >/dev/full';
  const { status, stderr } = spawnSync("bash", ["-c", script, process.execPath, CLI], {
    cwd: folder,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([1, "Standard output cannot be written: ENOSPC: no space left on device, write.\n"]);
});
