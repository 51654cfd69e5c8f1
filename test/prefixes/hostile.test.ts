import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { PrefixFileError, parsePrefixes, readPrefixFile } from "../../provider/prefixes";
import { useFolder } from "../support/folder";
import { problemsOf } from "./support";

const folder = useFolder();

/** A file with this content, and the name by which it is read. */
function file(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

describe("files", () => {
  const expected = { "192.0.2.0/24": { value: 1 }, "2001:db8::/32": { value: 1 } };

  test("a file in another encoding than UTF-8 is refused, wherever the odd byte stands", () => {
    const latin1 = (text: string) => Buffer.from(text, "latin1");
    const files: [string, Buffer][] = [
      ["head.csv", latin1("prefix,reason\n192.0.2.0/24,Caf\xe9\n")],
      ["later.txt", latin1(`#${"-".repeat(70_000)}\n192.0.2.0/24 # Caf\xe9\n`)],
      ["end.txt", latin1("192.0.2.0/24 # Caf\xe9")],
    ];
    for (const [name, bytes] of files) {
      const path = file(name, bytes);
      expect(() => readPrefixFile(path)).toThrow(`${path}:1:1: is not UTF-8 text: save it as UTF-8.`);
    }
  });

  test("a byte order mark and Windows line ends are read over", () => {
    expect(readPrefixFile(file("bom.txt", "\uFEFF192.0.2.0/24\r\n2001:db8::/32\r\n"))).toEqual(expected);
    expect(readPrefixFile(file("bom.json", '\uFEFF["192.0.2.0/24","2001:db8::/32"]'))).toEqual(expected);
    expect(readPrefixFile(file("bom.csv", "\uFEFFprefix,value\r\n192.0.2.0/24,1\r\n2001:db8::/32,\r\n"))).toEqual(
      expected,
    );
  });

  test.each([
    ["empty.txt", "", "there is no prefix in it"],
    ["empty.json", "", "ends in the middle of the JSON"],
    ["comments.txt", "# nothing\n; at all\n", "there is no prefix in it"],
    ["array.json", "[]", "there is no prefix in it"],
    ["object.json", "{}", "there is no prefix in it"],
    ["empty.yaml", "# nothing\n", "there is no prefix in it"],
    ["head.csv", "prefix,value\n", "there is no prefix in it"],
    ["page.txt", "<!DOCTYPE html><title>503</title>", "is a page or an error message"],
    ["utf16.txt", utf16("192.0.2.0/24\n"), "is UTF-16 text: save it as UTF-8"],
    ["list.txt.gz", Buffer.from([0x1f, 0x8b, 8, 0]), "is compressed with gzip"],
    ["list.bz2", Buffer.from("BZh91AY"), "is compressed with bzip2"],
    ["list.xz", Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), "is compressed with xz"],
    ["list.zst", Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), "is compressed with zstd"],
    ["number.json", "7", "7 is neither an array nor an object"],
    ["other.json", '{"data":{"x":1}}', "has no member that is known to hold a prefix; it has data"],
  ])("%s is an error, never an empty list", (name, content, what) => {
    const path = file(name, content);
    expect(() => readPrefixFile(path)).toThrow(PrefixFileError);
    expect(() => readPrefixFile(path)).toThrow(`${path}:1:1: ${what}`);
  });

  test("a file without end is read up to its limit, whatever its format", () => {
    for (const format of ["txt", "csv", "json", "ndjson", "yaml"] as const)
      expect(() => readPrefixFile("/dev/zero", { format, maxBytes: 1_000_000 })).toThrow(
        "/dev/zero:1:1: is larger than 1000000 bytes: raise the option `maxBytes` if that is right.",
      );
    const exact = file("exact.txt", "192.0.2.0/24\n");
    expect(Object.keys(readPrefixFile(exact, { maxBytes: 13 }))).toEqual(["192.0.2.0/24"]);
    expect(() => readPrefixFile(exact, { maxBytes: 12 })).toThrow("is larger than 12 bytes");
  });

  test("a file that is not there is named", () => {
    expect(() => readPrefixFile(join(folder, "none.txt"))).toThrow(/none\.txt:1:1: cannot be read \(ENOENT/);
    expect(() => readPrefixFile(folder)).toThrow(/:1:1: cannot be read \(EISDIR/);
  });

  test("characters and line ends that lie across the pieces of a file stay whole", () => {
    const filler = `#${"-".repeat(65_530)}é`;
    const path = file(
      "pieces.txt",
      `${filler}\r\n192.0.2.0/24\r\n#${"ü".repeat(40_000)}\r\n2001:db8::/32\r\n198.51.100.1/24`,
    );
    expect(() => readPrefixFile(path)).toThrow(`${path}:5:1: "198.51.100.1/24" has host bits set`);
    for (const length of [65_533, 65_534, 65_535, 65_536]) {
      expect(readPrefixFile(file("border.txt", `#${"-".repeat(length - 15)}\n192.0.2.0/24\r\n2001:db8::/32`))).toEqual(
        expected,
      );
    }
  });

  test.each([
    ["txt", "192.0.2.0/24 # a\r2001:db8::/32\r"],
    ["csv", "# list\r192.0.2.0/24\r2001:db8::/32\n"],
    ["ndjson", '{"prefix":"192.0.2.0/24"}\r{"prefix":"2001:db8::/32"}\r'],
    ["yaml", "# list\r- 192.0.2.0/24\n# v6\r- 2001:db8::/32\n"],
    [undefined, "# list\r192.0.2.0/24\r2001:db8::/32\r"],
  ] as const)("a carriage return alone ends a line of %s", (format, text) => {
    expect(parsePrefixes(text, { format, header: format === "csv" ? false : undefined })).toEqual(expected);
  });
});

describe("texts", () => {
  test.each(["\u2028", "\u2029", "\u0085", "\v", "\f"])("a comment with the line end %j is a problem", (end) => {
    const problem = "has a line end that is not LF, CR LF or CR: write one prefix a line, each with LF.";
    expect(problemsOf(`192.0.2.0/24 # a${end}2001:db8::/32\n`)).toEqual([`text:1:17: ${problem}`]);
    expect(problemsOf(`# a${end}2001:db8::/32\n192.0.2.0/24\n`)).toEqual([`text:1:4: ${problem}`]);
    expect(problemsOf(`# a${end}2001:db8::/32\nprefix\n192.0.2.0/24\n`, { format: "csv" })).toEqual([
      `text:1:4: ${problem}`,
    ]);
  });

  test.each(["\u2028", "\u2029", "\u0085", "\v", "\f"])("%j before no prefix changes nothing", (end) => {
    for (const text of [`# a${end}\n192.0.2.0/24\n`, `# a${end} page 2\n192.0.2.0/24\n`, `192.0.2.0/24 # a${end}b\n`])
      expect(parsePrefixes(text)).toEqual({ "192.0.2.0/24": { value: 1 } });
    expect(parsePrefixes(`# a${end}\nprefix\n192.0.2.0/24\n`, { format: "csv" })).toEqual({
      "192.0.2.0/24": { value: 1 },
    });
    expect(problemsOf(`192.0.2.0/24${end}5\n`)).toHaveLength(1);
  });

  test.each(["\u2028", "\v", "\f"])("%j alone in a line is a blank line", (end) => {
    expect(parsePrefixes(`${end}\n192.0.2.0/24\n`)).toEqual({ "192.0.2.0/24": { value: 1 } });
  });

  test("NUL characters are told as such", () => {
    expect(problemsOf("192.0.2.0/24\n198.51\0.100.0/24\n")).toEqual([
      "text:2:1: holds NUL characters: save it as UTF-8 text.",
    ]);
  });

  test("a line of ten megabytes is a problem, not a load", () => {
    const long = "1".repeat(10_000_000);
    expect(problemsOf(`192.0.2.0/24\n${long}\n192.0.2.1/24`)).toEqual([
      "text:2:1: is a line of more than a megabyte: write one prefix a line.",
      expect.stringMatching(/^text:3:1: "192.0.2.1\/24" has host bits set/),
    ]);
    expect(problemsOf(`{"prefix":"192.0.2.0/24"}\n{"prefix":"${long}"}`, { format: "ndjson" })).toEqual([
      "text:2:1: is a line of more than a megabyte: write one record a line.",
    ]);
    expect(problemsOf(`prefix\n"${"\n".repeat(1_100_000)}`, { format: "csv" })).toEqual([
      'text:2:1: begins a record of more than 100 lines or a megabyte: is a quote (") missing?',
    ]);
    expect(problemsOf(JSON.stringify([long]))[0]?.length).toBeLessThan(200);
    const path = file("long.txt", `${long}\n192.0.2.1/24\n`);
    expect(() => readPrefixFile(path)).toThrow(`${path}:2:1: "192.0.2.1/24" has host bits set`);
  });

  test("deep nesting is no list, and overflows nothing", () => {
    const deep = "[".repeat(200_000);
    expect(problemsOf(`${deep}${"]".repeat(200_000)}`)).toEqual([
      "text:1:2: an array is neither a text with a prefix nor an object.",
    ]);
    expect(problemsOf(deep)).toEqual([
      "text:1:200001: ends in the middle of the JSON: the file is incomplete, fetch it again.",
    ]);
    const yaml = ["- ".repeat(200_000), Array.from({ length: 900 }, (_, n) => `${" ".repeat(n)}a:`).join("\n"), deep];
    for (const text of yaml) {
      expect(problemsOf(text, { format: "yaml" })).toEqual(["text:1:1: is nested too deeply for a list of prefixes."]);
    }
  });

  test("a YAML file that multiplies itself is refused", () => {
    const levels = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`);
    expect(problemsOf(["a0: &a0 [x]", ...levels, ""].join("\n"), { format: "yaml" })[0]).toContain(
      "cannot be read as YAML",
    );
  });

  test("names of prototypes are names like any others", () => {
    const evil = '{"192.0.2.0/24": 1, "__proto__": {"value": 9}, "constructor": 1}';
    expect(problemsOf(evil)).toEqual([
      expect.stringContaining('text:1:21: "__proto__" is not an IP address'),
      expect.stringContaining('text:1:48: "constructor" is not an IP address'),
    ]);
    expect(problemsOf('[{"__proto__": {"prefix": "192.0.2.0/24"}}]')[0]).toContain("it has __proto__");
    expect(parsePrefixes('[{"prefix":"192.0.2.0/24","__proto__":{"value":9}}]')).toEqual({
      "192.0.2.0/24": { value: 1 },
    });
    expect(
      problemsOf("a,__proto__\n192.0.2.0/24,x\n", { format: "csv", columns: { prefix: "__proto__" } })[0],
    ).toContain('text:2:14: "x" is not an IP address');
    expect(problemsOf('[{"prefix":"192.0.2.0/24"}]', { select: { constructor: "x" } })[0]).toContain(
      "no record has the member constructor",
    );
    expect(problemsOf("192.0.2.0/24: {constructor: 1}\n", { format: "yaml" })[0]).toContain(
      '"constructor" is not a member of an entry',
    );
  });

  test("twenty problems are told at once, and it is said that there may be more", () => {
    const problems = problemsOf("192.0.2.1/24\n".repeat(1_000));
    expect(problems).toHaveLength(21);
    expect(problems.at(-2)).toMatch(/^text:20:1: /);
    expect(problems.at(-1)).toBe("Only the first 20 problems are shown.");
  });

  test("an error carries its problems for programs", () => {
    try {
      parsePrefixes("192.0.2.0/24\n192.0.2.1/24\n ,\n", { file: "a.txt" });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        name: "PrefixFileError",
        code: "invalid-prefix-file",
        file: "a.txt",
        line: 2,
        column: 1,
      });
      expect((error as PrefixFileError).problems.map(({ file, line, column }) => [file, line, column])).toEqual([
        ["a.txt", 2, 1],
        ["a.txt", 3, 2],
      ]);
    }
  });
});

test("a list of 200 000 lines is read whole", () => {
  const lines = Array.from({ length: 200_000 }, (_, n) => `10.${n >>> 16}.${(n >>> 8) & 255}.${n & 255}\n`);
  const entries = readPrefixFile(file("many.txt", lines.join("")), { maxEntries: 200_000 });
  expect(Object.keys(entries)).toHaveLength(200_000);
  expect(entries["10.3.13.63/32"]).toEqual({ value: 1 });
});

test("the room loads without Pulumi, and YAML only where a file is YAML", () => {
  const room = resolve(__dirname, "../../dist/provider/prefixes/index.js");
  const script = `
    const loaded = (place) => Object.keys(require.cache).some((file) => file.includes(place));
    const seen = () => ["@pulumi/", "/libraries/yaml.js", "/libraries/zod.js"].map(loaded);
    const { parsePrefixes, aggregatePrefixes } = require(${JSON.stringify(room)});
    aggregatePrefixes(parsePrefixes("192.0.2.0/24"));
    const before = seen();
    parsePrefixes("- 192.0.2.0/24");
    process.stdout.write(JSON.stringify([before, seen()]));`;
  const output = execFileSync(process.execPath, ["-e", script], { encoding: "utf8" });
  expect(JSON.parse(output)).toEqual([
    [false, false, true],
    [false, true, true],
  ]);
});
