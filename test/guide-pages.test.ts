import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { unknownKeys } from "../provider/resources/config-keys";
import { guide, NOT_RUN } from "./support/guide";
import { blocksOf, commandsOf, root } from "./support/markdown";
import { commandsOnPath } from "./support/place";

const folder = "docs/guides";
const pages = readdirSync(join(root, folder)).filter((name) => name.endsWith(".md") && name !== "README.md");
const read = (page: string) => readFileSync(join(root, folder, page), "utf8");
const linksOf = (page: string) => [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? "");
const commands = (page: string) =>
  commandsOf(blocksOf(`${folder}/${page}`).filter(({ language }) => language === "sh"));

test("the index names every guide once, and the README names the index", () => {
  expect(linksOf("README.md").sort()).toEqual(pages.sort());
  expect(readFileSync(join(root, "README.md"), "utf8")).toContain("(docs/guides/README.md)");
});

test.each([...pages, "README.md"])("%s links to files that exist", (page) => {
  expect(linksOf(page).filter((link) => !existsSync(join(root, folder, link)))).toEqual([]);
});

test.each(pages)("the programs of %s stand in the files that they name", (page) => {
  const programs = blocksOf(`${folder}/${page}`).filter(
    ({ language, tag }) => (language === "ts" && tag.endsWith(".ts")) || tag.startsWith("examples/"),
  );
  for (const { tag, text } of programs) expect(readFileSync(join(root, tag), "utf8")).toContain(text);
});

/** The test that runs each example, beside those whose README `e2e/examples.long` types from the first command to the last. */
const EXAMPLES: Readonly<Record<string, string>> = {
  "ci-github": "e2e/support/templates.ts",
  "ci-gitlab": "e2e/support/templates.ts",
  "ci-stack": "e2e/ci.long.test.ts",
  "emulator-container": "emulator/container.test.ts",
  "forwarder-service": "forwarder/deployment.servers.test.ts",
  go: "e2e/languages.long.test.ts",
  imported: "e2e/import.long.test.ts",
  "many-nodes": "e2e/guides-nodes.long.test.ts",
  "marks-to-victorialogs": "forwarder/docs.test.ts",
  "policy-own-pack": "e2e/policy-examples.long.test.ts",
  python: "e2e/languages.long.test.ts",
  quickstart: "e2e/readme.test.ts",
  regions: "e2e/regions.long.test.ts",
  "repeat-offenders": "e2e/repeat-offenders.servers.test.ts",
  "test-your-program": "e2e/test-your-program.test.ts",
  typescript: "e2e/languages.long.test.ts",
  yaml: "e2e/languages.long.test.ts",
};
/** Commands in READMEs of examples that no test types as they stand, with the reason. */
const NOT_TYPED: Readonly<Record<string, RegExp>> = {
  "emulator-container": /^docker run /, // wants a container engine; test/emulator/container.test.ts runs the image's own commands
  "policy-own-pack": /^(npm install|pulumi preview --policy-pack \.\.\/policy-own-pack\/run )/, // its test types the second with a program beside it
  regions: /^pulumi stack init eu$/, // its test makes the stacks of all regions
};

test("every example says in a README of its own how it starts, and is run by a test", () => {
  const names = readdirSync(join(root, "examples"));
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const [, typed = ""] = /const EXAMPLES = \[(.*)\];/.exec(read("test/e2e/examples.long.test.ts")) ?? [];
  const byReadme = [...typed.matchAll(/"([\w-]+)"/g)].map(([, name = ""]) => name);
  expect([...byReadme, ...Object.keys(EXAMPLES)].sort()).toEqual(names.sort());
  const unnamed = Object.entries(EXAMPLES).filter(([name, file]) => !read(join("test", file)).includes(name));
  expect(unnamed).toEqual([]);
  // The two pipelines are parts of ci-stack, into which they are copied.
  const alone = names.filter((name) => !/^ci-git(hub|lab)$/.test(name));
  expect(alone.filter((name) => !existsSync(join(root, "examples", name, "README.md")))).toEqual([]);
  const untyped = alone
    .filter((name) => !byReadme.includes(name) && EXAMPLES[name] !== "e2e/languages.long.test.ts")
    .flatMap((name) => commandsOf(blocksOf(`examples/${name}/README.md`)).map((line) => ({ name, line })))
    .filter(({ name, line }) => NOT_TYPED[name]?.test(line) !== true);
  expect(untyped).toEqual([]);
});

test("configuration that guides set or take away is read", () => {
  const keys = pages
    .flatMap(commands)
    .flatMap((line) => /config (?:set|rm) (?:--\S+ )*['"]?(packetfilter:\w+)/.exec(line)?.[1] ?? []);
  expect(keys.length).toBeGreaterThan(10);
  expect(unknownKeys(keys)).toEqual({ refused: [], passed: [] });
  expect(unknownKeys(["packetfilter:endpiont"]).passed).toHaveLength(1);
});

guide("pulumi-features.md", "a stack with environments is refused, in the words that the page shows", async (guide) => {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-guide-"));
  try {
    await writeFile(join(folder, "Pulumi.yaml"), "name: edge\nruntime: nodejs\n");
    guide.at({ folder, env: commandsOnPath(folder) });
    await guide.next("--stack prod");
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe("every guide is followed by a test", () => {
  const sources = readdirSync(__dirname, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(__dirname, file), "utf8"));
  const followed = sources.flatMap((text) =>
    [...text.matchAll(/\b(?:guide|leadsTo)\(\s*"([\w-]+\.md)"/g)].map(([, page]) => page),
  );

  test("once, from its first command to its last; the one without commands is a table of journeys", () => {
    expect([...followed, "options-and-flags.md"].sort()).toEqual(pages.sort());
    expect(commands("options-and-flags.md")).toEqual([]);
  });

  test("but for commands that have a reason, each of which a guide shows", () => {
    const shown = [...pages, "../../examples/block-lists/README.md"].flatMap(commands);
    expect(Object.keys(NOT_RUN).filter((command) => !shown.includes(command))).toEqual([]);
  });

  test.each(pages)("%s says of each block what it is", (page) => {
    const known =
      /^(sh( fails| background)?|ts( \S+\.ts)?|py \S+\.py|go \S+\.go|yaml \S+\.yaml|text (output|problems|figures|words))$/;
    const blocks = blocksOf(`${folder}/${page}`).map(({ language, tag }) => `${language} ${tag}`.trim());
    expect(blocks.filter((block) => !known.test(block))).toEqual([]);
  });
});
