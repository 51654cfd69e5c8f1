import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useFolder } from "./support/folder";
import { type Block, blocksOf, commandsOf, root } from "./support/markdown";
import { ownPort } from "./support/ports";

const PAGES = ["README.md", "CONTRIBUTING.md", "tools/pulumi-cli/README.md"];
const blocks = blocksOf("README.md");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const tagged = (language: string, tag: string) => blocks.filter((one) => one.language === language && one.tag === tag);

test("every block says who proves it", () => {
  const known = /^(sh (run|background|e2e|check)|(json|text) output|text picture|ts (run|\S+\.ts))$/;
  const unknown = blocks.filter(({ language, tag }) => !known.test(`${language} ${tag}`));
  expect(unknown.map(({ line, language, tag }) => `README.md:${line}: ${language} ${tag}`)).toEqual([]);
});

test("an output follows the command that prints it", () => {
  const lost = blocks.filter(
    ({ tag }, index) => tag === "output" && !["run", "e2e"].includes(blocks[index - 1]?.tag ?? ""),
  );
  expect(lost).toEqual([]);
});

describe("programs", () => {
  const files = blocks.filter(({ language, tag }) => language === "ts" && tag.endsWith(".ts"));

  test.each(files)("the one at line $line stands in $tag", ({ tag, text }) => {
    expect(existsSync(join(root, tag)), `${tag} is missing`).toBe(true);
    expect(readFileSync(join(root, tag), "utf8")).toContain(text);
  });
});

describe("commands that are too big for a test", () => {
  /** True when a person could type this in a clone, or in a program of his own. */
  function exists(command: string): boolean {
    const words = command.split(" ");
    if (words[0] === "npm" && words[1] === "test") return "test" in manifest.scripts;
    if (words[0] === "npm" && words[1] === "run") return existsSync(scriptFile(words[2] ?? ""));
    if (words[0] === "npm" && ["ci", "install"].includes(words[1] ?? "")) {
      const known = [manifest.name, ...Object.keys(manifest.peerDependencies)];
      return words.slice(2).every((name) => known.includes(name));
    }
    if (words[0] === "node") return existsSync(join(root, words[1] ?? ""));
    return false;
  }

  /** The file that a script runs; a script of tools from node_modules counts as package.json itself. */
  function scriptFile(name: string): string {
    const script: string | undefined = manifest.scripts[name];
    if (script === undefined) return join(root, "there is no such script");
    return join(root, /^node (\S+)/.exec(script)?.[1] ?? "package.json");
  }

  test.each(commandsOf(tagged("sh", "check")))("%s", (command) => {
    expect(exists(command)).toBe(true);
  });

  test("are noticed when they do not exist", () => {
    expect(exists("npm run fly")).toBe(false);
    expect(exists("npm install left-pad")).toBe(false);
    expect(exists("make")).toBe(false);
  });
});

describe("commands and modules that run as they stand", () => {
  const folder = useFolder();
  let env: NodeJS.ProcessEnv;
  const background: ChildProcess[] = [];
  /** The ports of the page, each replaced by one that is free here. */
  const ports = new Map<string, string>();
  const located = (text: string) => text.replace(/\b80\d\d\b/g, (port) => ports.get(port) ?? port);

  beforeAll(async () => {
    const { buildIfStale } = await import("../tools/build.mjs");
    buildIfStale();
    mkdirSync(join(folder, "node_modules", ".bin"), { recursive: true });
    symlinkSync(root, join(folder, "node_modules", manifest.name), "dir");
    const bin = join("..", manifest.name, manifest.bin[manifest.name]);
    symlinkSync(bin, join(folder, "node_modules", ".bin", manifest.name));
    writeFileSync(join(folder, "package.json"), "{}");
    env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
    const texts = blocks.filter(({ tag }) => /^(run|background)$/.test(tag)).map(({ text }) => text);
    for (const port of new Set(texts.join("\n").match(/\b80\d\d\b/g))) ports.set(port, String(await ownPort()));
    for (const block of tagged("sh", "background")) background.push(await started(block));
  }, 60_000);

  afterAll(async () => {
    for (const child of background) {
      const ended = once(child, "exit");
      process.kill(-(child.pid ?? 0), "SIGTERM");
      await ended;
    }
  });

  /** Starts a block in a process group of its own and waits for its first line. */
  async function started({ text }: Block): Promise<ChildProcess> {
    const child = spawn("sh", ["-ec", located(text)], {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    await Promise.race([
      once(child.stdout, "data"),
      once(child, "exit").then(([code]) => Promise.reject(new Error(`${text}\nended with ${code}`))),
    ]);
    return child;
  }

  const shell = blocks.map((block, index) => ({ ...block, next: blocks[index + 1] }));
  test.each(shell.filter(({ language, tag }) => language === "sh" && tag === "run"))(
    "$text",
    async ({ text, next }) => {
      const { stdout } = await promisify(execFile)("sh", ["-ec", located(text)], { cwd: folder, env });
      if (next?.tag === "output") expect(stdout.trim()).toBe(next.text);
    },
  );

  test.each(tagged("ts", "run"))("the module at line $line", async ({ text, line }) => {
    const file = join(folder, `line-${line}.mts`);
    writeFileSync(file, text);
    await promisify(execFile)(process.execPath, ["--no-warnings", file], { cwd: folder, env });
  });
});

describe("pages", () => {
  test.each(PAGES)("%s links to files that exist", (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? "");
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });

  test("CONTRIBUTING.md names files that exist, in at most a hundred lines", () => {
    const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(100);
    const named = [...text.matchAll(/`((?:provider|test|tools|docs|policies|examples)\/[\w./-]*)`/g)];
    const files = named.map(([, file]) => file ?? "");
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test("CHANGELOG.md knows the version of the package", () => {
    expect(readFileSync(join(root, "CHANGELOG.md"), "utf8")).toContain(`\n## ${manifest.version}`);
  });
});
