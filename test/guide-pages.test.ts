import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as pf from "../provider/index";
import { unknownKeys } from "../provider/settings/config-keys";
import { EXAMPLES } from "./e2e/support/examples";
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

test.each(pages)("the programs of %s stand in the files that they name", (page) => {
  const programs = blocksOf(`${folder}/${page}`).filter(
    ({ language, tag }) => (language === "ts" && tag.endsWith(".ts")) || /^(examples|test)\//.test(tag),
  );
  for (const { tag, text } of programs) expect(readFileSync(join(root, tag), "utf8")).toContain(text);
});

/** Examples without a README that `e2e/examples` types from its first command to its last, with the test that runs them. */
const OTHERS: Readonly<Record<string, string>> = {
  "ci-github": "e2e/support/templates.ts",
  "ci-gitlab": "e2e/support/templates.ts",
  // Wants a container engine; the test runs the commands of the image.
  "emulator-container": "emulator/container.long.test.ts",
  "marks-to-victorialogs": "e2e/repeat-offenders.servers.test.ts",
  "repeat-offenders": "e2e/repeat-offenders.servers.test.ts",
};

test("every example says in a README of its own how it starts, and is run by a test", () => {
  const names = readdirSync(join(root, "examples"));
  expect([...Object.keys(EXAMPLES), ...Object.keys(OTHERS)].sort()).toEqual(names.sort());
  const unnamed = Object.entries(OTHERS).filter(
    ([name, file]) => !readFileSync(join(root, "test", file), "utf8").includes(name),
  );
  expect(unnamed).toEqual([]);
  // The two pipelines are parts of ci-stack, into which they are copied.
  const alone = names.filter((name) => !/^ci-git(hub|lab)$/.test(name));
  expect(alone.filter((name) => commandsOf(blocksOf(`examples/${name}/README.md`)).length === 0)).toEqual([]);
});

test("configuration that guides set or take away is read", () => {
  const keys = pages
    .flatMap(commands)
    .flatMap((line) => /config (?:set|rm) (?:--\S+ )*['"]?(packetfilter:\w+)/.exec(line)?.[1] ?? []);
  expect(keys.length).toBeGreaterThan(10);
  expect(unknownKeys(keys)).toEqual({ refused: [], passed: [] });
  expect(unknownKeys(["packetfilter:endpiont"]).passed).toHaveLength(1);
});

test("languages.md names every function, of all languages and of TypeScript alone", () => {
  const [, row = ""] = /^\| Functions \|(.*)$/m.exec(read("languages.md")) ?? [];
  const { functions } = JSON.parse(readFileSync(join(root, "schemas/provider.schema.json"), "utf8"));
  const everywhere = Object.keys(functions).map((token) => token.split(":").at(-1) ?? "");
  const ofPackage = Object.keys(pf).filter((name) => /^[a-z]/.test(name) && !name.endsWith("Output"));
  const [others = "", own = ""] = row.split("are for programs in TypeScript")[0]?.split("`. ") ?? [];
  expect(everywhere.filter((name) => !others.includes(`\`${name}`))).toEqual([]);
  expect(ofPackage.filter((name) => !everywhere.includes(name) && !own.includes(`\`${name}\``))).toEqual([]);
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
    const shown = [...pages, ...Object.keys(EXAMPLES).map((name) => `../../examples/${name}/README.md`)].flatMap(
      commands,
    );
    expect(Object.keys(NOT_RUN).filter((command) => !shown.includes(command))).toEqual([]);
  });

  test.each(pages)("%s says of each block what it is", (page) => {
    const known =
      /^(sh( fails| once| background)?|ts( \S+\.ts)?|py \S+\.py|go \S+\.go|java \S+\.java|yaml \S+\.yaml|text (output|problems|figures|words))$/;
    const blocks = blocksOf(`${folder}/${page}`).map(({ language, tag }) => `${language} ${tag}`.trim());
    expect(blocks.filter((block) => !known.test(block))).toEqual([]);
  });
});
