import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import type { CliIo } from "../provider/commands/cli-io";
import { unknownKeys } from "../provider/resources/config-keys";
import { blocksOf, commandsOf, root } from "./support/markdown";

const folder = "docs/guides";
const pages = readdirSync(join(root, folder)).filter((name) => name.endsWith(".md") && name !== "README.md");
const read = (page: string) => readFileSync(join(root, folder, page), "utf8");
const linksOf = (page: string) => [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? "");
const tagged = (tag: string) =>
  pages.flatMap((page) => commandsOf(blocksOf(`${folder}/${page}`).filter((one) => one.tag === tag)));

test("the index names every guide once, and the README names the index", () => {
  expect(linksOf("README.md").sort()).toEqual(pages.sort());
  expect(readFileSync(join(root, "README.md"), "utf8")).toContain("(docs/guides/README.md)");
});

test.each([...pages, "README.md"])("%s links to files that exist", (page) => {
  expect(linksOf(page).filter((link) => !existsSync(join(root, folder, link)))).toEqual([]);
});

test.each(pages)("the programs of %s stand in the files that they name", (page) => {
  const programs = blocksOf(`${folder}/${page}`).filter(
    ({ language, tag }) => language === "ts" && tag.endsWith(".ts"),
  );
  for (const { tag, text } of programs) expect(readFileSync(join(root, tag), "utf8")).toContain(text);
});

test("the first stack is made by commands of the README, which its test runs", () => {
  const readme = commandsOf(blocksOf("README.md"));
  const shown = tagged("readme");
  expect(shown.length).toBeGreaterThan(4);
  expect(shown.filter((command) => !readme.includes(command))).toEqual([]);
});

test("the folder of the first stack is a project whose program is index.ts", async () => {
  const [block] = blocksOf(`${folder}/first-stack.md`).filter(({ tag }) => tag === "folder");
  const home = await mkdtemp(join(tmpdir(), "packetfilter-guide-"));
  try {
    await promisify(execFile)("sh", ["-ec", block?.text ?? ""], { cwd: home, env: { ...process.env, HOME: home } });
    expect(JSON.parse(readFileSync(join(home, "edge/package.json"), "utf8"))).toMatchObject({ main: "index.ts" });
    expect(readFileSync(join(home, "edge/Pulumi.yaml"), "utf8")).toBe("name: edge\nruntime: nodejs\n");
  } finally {
    await rm(home, { recursive: true });
  }
});

test("configuration that guides set or take away is read", () => {
  const keys = tagged("config").flatMap((line) => /config (?:set|rm) (\S+)/.exec(line)?.[1] ?? []);
  expect(keys.length).toBeGreaterThan(3);
  expect(unknownKeys(keys)).toEqual([]);
  expect(unknownKeys(["packetfilter:endpiont"])).toHaveLength(1);
});

describe("commands for a real node", () => {
  /** The options of a command of this package. */
  async function optionsOf(name: string): Promise<string[]> {
    const { register } = await import(`../provider/commands/${name}.ts`);
    const io: CliIo = { out() {}, err() {}, env: {}, stop: new AbortController().signal };
    const program = new Command();
    register(program, io);
    return program.commands.flatMap(({ options }) => options.flatMap(({ long }) => long ?? []));
  }

  test.each(tagged("options"))("%s", async (command) => {
    const [, name = "", ...words] = command.split(" ");
    const known = await optionsOf(name);
    expect(known.length).toBeGreaterThan(1);
    expect(words.filter((word) => word.startsWith("--") && !known.includes(word))).toEqual([]);
  });
});
