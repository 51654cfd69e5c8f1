import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { VARIABLES } from "../../provider/commands/helping/variables";
import { helpOfAll, run } from "./support";

let helps: ReadonlyMap<string, string>;
beforeAll(async () => {
  helps = await helpOfAll();
});

test("of every command has examples of it, and says where there is more to read", async () => {
  const pages = new Set<string>();
  expect(helps.size).toBeGreaterThan(30);
  for (const [words, help] of helps) {
    const [name = ""] = words.split(" ").slice(-1);
    expect([words, help]).toEqual([words, expect.stringMatching(/\nExamples:\n(?: {2}.*\n)+/)]);
    expect([words, help.slice(help.indexOf("\nExamples:"))]).toEqual([words, expect.stringContaining(name)]);
    const [, page] = /\nDocumentation: pulumi-packetfilter docs(.*)\n$/.exec(help) ?? [];
    expect([words, page]).toEqual([words, expect.any(String)]);
    pages.add(page?.trim() ?? "");
    expect([words, help]).not.toEqual([words, expect.stringContaining("(default: [])")]);
  }
  for (const page of pages) expect([page, (await run(["docs", ...(page ? [page] : [])])).code]).toEqual([page, 0]);
});

test("has the options of nodes and receivers in groups of their own, behind those of the command", () => {
  const help = helps.get("import") ?? "";
  const groups = [...help.matchAll(/^([A-Z][^\n]*):\n(?= {2}-)/gm)].map(([, title]) => title);
  expect(groups).toEqual(["Options", "Nodes and connections", "Receiver"]);
  const own = help.slice(help.indexOf("Options:"), help.indexOf("Nodes and connections"));
  expect([...own.matchAll(/^ {2}(-[-\w]+)/gm)].map(([, flag]) => flag)).toEqual([
    ...["--out", "--as", "--signaling", "--name", "--unprotected", "--native"],
    "-h",
  ]);
  for (const words of ["list", "capture", "probe", "block", "unblock", "block expire"])
    expect(helps.get(words)).toContain("\nNodes and connections:\n");
});

test("of a variable names each option that names the variable", () => {
  const pairs = [...helps.values()].flatMap((help) =>
    help.split(/\n(?= {2}-)|\n\n/).flatMap((one) => {
      const [, flag = ""] = /^ {2}(--[-\w]+)/.exec(one) ?? [];
      const [, variable = ""] = /(?:also|default:|else)\s+(PACKETFILTER_\w+)/.exec(one) ?? [];
      return flag === "" || variable === "" ? [] : [[variable, flag] as const];
    }),
  );
  expect(new Set(pairs.map(([variable]) => variable)).size).toBeGreaterThan(5);
  expect(pairs.filter(([variable, flag]) => !VARIABLES[variable]?.same?.split(", ").includes(flag))).toEqual([]);
});

describe("what was likely meant is said", () => {
  const FILE = ["--file", "blocks.yaml"];
  test.each([
    [["blok"], "error: unknown command 'blok'\n(Did you mean block?)"],
    [["help", "blok"], 'Did you mean "block"?'],
    [["prefixes", "chek"], "error: unknown command 'chek'\n(Did you mean check?)"],
    [["emulator", "jurnal"], "error: unknown command 'jurnal'\n(Did you mean journal?)"],
    [["forward", "spol"], "error: unknown command 'spol'\n(Did you mean spool?)"],
    [["blocks", "--fil", "x"], "error: unknown option '--fil'\n(Did you mean --file?)"],
    [["blocks", "blocks.yaml"], "error: 'blocks.yaml' stands alone: write --file blocks.yaml"],
    [["list", "--all-node"], "(Did you mean --all-nodes?)"],
    [["blocks", ...FILE, "--output", "jsn"], 'Allowed choices are table, json, csv. Did you mean "json"?'],
    [["completion", "zhs"], 'Allowed choices are bash, zsh, fish. Did you mean "zsh"?'],
  ])("%j", async (words, sentence) => {
    const ended = await run(words);
    expect([ended.code, ended.out, ended.err]).toEqual([2, "", expect.stringContaining(sentence)]);
  });

  test("and of nothing that is near nothing is", async () => {
    expect(await run(["blocks", "--colour"])).toEqual({ code: 2, out: "", err: "error: unknown option '--colour'\n" });
  });
});

describe("colours", () => {
  const RED = "\u001b[31m";
  const wrong = (env: Record<string, string>, isTerminal: boolean) =>
    run(["blocks", "--fil"], { env, ...(isTerminal && { terminal: { columns: () => 80 } }) });

  test.each<[string, Record<string, string>, boolean, boolean]>([
    ["at a terminal", {}, true, true],
    ["not in a pipe", {}, false, false],
    ["not with NO_COLOR", { NO_COLOR: "1" }, true, false],
    ["not with NO_COLOR, whatever FORCE_COLOR says", { NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
    ["with an empty NO_COLOR, which says nothing", { NO_COLOR: "" }, true, true],
    ["in a pipe with FORCE_COLOR", { FORCE_COLOR: "1" }, false, true],
    ["not with FORCE_COLOR=0", { FORCE_COLOR: "0" }, true, false],
  ])("are shown %s: %j", async (_, env, isTerminal, isColoured) => {
    const { err } = await wrong(env, isTerminal);
    expect(err.startsWith(RED)).toBe(isColoured);
    const { out } = await run(["blocks", "--help"], { env });
    expect(out.includes("\u001b[")).toBe(env.FORCE_COLOR === "1" && !("NO_COLOR" in env));
  });

  test("are of failures, and of how a command went", async () => {
    const { err } = await run(["blocks", "--file", "none.yaml"], { env: { FORCE_COLOR: "1" }, folder: "/" });
    expect(err).toBe(`${RED}none.yaml: there is no such file. Check --file.\u001b[39m\n`);
  });
});

describe("exit codes", () => {
  test("2 is wrong use, of every command", async () => {
    for (const words of [...helps.keys(), "names"]) {
      const args = [...(words === "" ? [] : words.split(" ")), "--no-such-option"];
      expect([words, await run(args)]).toEqual([
        words,
        { code: 2, out: "", err: expect.stringMatching(/unknown option/) },
      ]);
    }
  });

  test("2 is an empty value, of every option", async () => {
    const empty: string[] = [];
    for (const [words, help] of helps) {
      const [, usage = ""] = /^Usage: (.*)$/m.exec(help) ?? [];
      const needed = [...usage.matchAll(/<[^>]+>/g)].map(() => "x");
      for (const [, flag = ""] of help.matchAll(/^ {2}(--[-\w]+) [<[]/gm)) {
        const args = [...words.split(" "), ...needed, flag, ""];
        expect([args, await run(args)]).toEqual([args, { code: 2, out: "", err: expect.stringContaining(flag) }]);
        empty.push(flag);
      }
    }
    expect(empty.length).toBeGreaterThan(100);
  });

  test("are one table, which help has in a sentence", async () => {
    const guide = await readFile(join(__dirname, "../../docs/guides/incidents.md"), "utf8");
    const codes = [...guide.matchAll(/^\| (\d+) \| /gm)].map(([, code]) => code);
    const [sentence = ""] = /Exit codes: [^\n]+(?:\n[^\n]+)*/.exec(helps.get("") ?? "") ?? [];
    expect(sentence.match(/\b\d+\b/g)?.sort()).toEqual(codes.sort());
    expect(codes).toEqual(["0", "1", "130", "143", "2", "3"]);
  });

  test.each([
    ["0", ["--version"], 0],
    ["0", ["blocks", "--help"], 0],
    [
      "1: a node that does not answer",
      ["list", "prefixset://edge/blocked", "--endpoint", "http://127.0.0.1:1", "--timeout", "1s"],
      1,
    ],
    ["2: a folder", ["prefixes", "check", "/"], 2],
    ["2: no such file", ["blocks", "--file", "none.yaml"], 2],
    ["2: no such file", ["prefixes", "check", "none.yaml"], 2],
    ["2: no such file", ["report", "none"], 2],
    ["2: an option twice", ["blocks", "--file", "a.yaml", "--file", "b.yaml"], 2],
    ["2: a command missing", ["forward", "spool"], 2],
    ["2: a command missing", ["prefixes"], 2],
    ["2: an argument missing", ["capture"], 2],
    ["2: an argument missing", ["list"], 2],
    ["2: an argument too many", ["blocks", "more"], 2],
    ["2: an argument too many", ["emulator", "more", "and", "more"], 2],
    ["2: an option's value missing", ["blocks", "--file"], 2],
    ["2: an empty name", ["list", "prefixset://edge/blocked", "--node", "fra1,"], 2],
    ["2: an empty option of the command above", ["forward", "--config", "", "spool", "list"], 2],
    ["2: an empty argument", ["forward", "spool", "list", ""], 2],
    ["2: no prefix", ["unblock", "203.0.113", "--file", "blocks.yaml"], 2],
  ])("%s: %j", async (_, words, code) => {
    expect((await run(words, { folder: "/" })).code).toBe(code);
  });
});
