import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./support/markdown";

// docs/contributing/style.md has the rules. What is named here keeps them; a room or page that was mended is added, and none is taken out.
const ROOMS = [
  "provider/batch",
  "provider/capture",
  "provider/commands",
  "provider/emulator/http",
  "provider/emulator/marks",
  "provider/emulator/node",
  "provider/emulator/packet",
  "provider/emulator/packets",
  "provider/emulator/page",
  "provider/emulator/recording",
  "provider/emulator/serving",
  "provider/emulator/signaling",
  "provider/emulator/testing",
  "provider/emulator/time",
  "provider/emulator/validation",
  "provider/files",
  "provider/import",
  "provider/plugin",
  "provider/report",
  "tools",
];
const PAGES = [
  "README.md",
  "docs/configuration.md",
  "docs/glossary.md",
  "docs/operations.md",
  "docs/contributing/style.md",
  "docs/guides/README.md",
  "docs/guides/block-lists.md",
  "docs/guides/ci.md",
  "docs/guides/drift-gate.md",
  "docs/guides/first-stack.md",
  "docs/guides/import.md",
  "docs/guides/languages.md",
  "docs/guides/moving-and-retiring-nodes.md",
  "docs/guides/pulumi-features.md",
  "docs/guides/rotating-credentials.md",
  "docs/guides/state-lost.md",
  "docs/guides/teams.md",
  "docs/guides/test-your-program.md",
];
const MOST_WORDS = 35;
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Doc comments of a text that begin with a word that says nothing. */
const openings = (text: string) => text.match(/\/\*\*\s*(?:\*\s*)?(?:What|How|Where|So)\b[^\n]*/g) ?? [];

/** Sentences of a page that are too long; code and tables are none. */
function longSentences(page: string): string[] {
  const paragraphs = page
    .replace(/```[\s\S]*?```/g, "")
    .split(/\n\n|\n(?=\s*(?:- |\d+\. |\|))/)
    .filter((paragraph) => !/^\s*\|/.test(paragraph));
  const sentences = paragraphs.flatMap((one) => one.replace(/\s+/g, " ").split(/(?<=[.:;!?]) (?=[A-Z`*([])/));
  return sentences.filter((one) => one.trim().split(" ").length > MOST_WORDS);
}

test.each(ROOMS)("no doc comment of %s begins with What, How, Where or So", (room) => {
  const files = execFileSync("git", ["ls-files", `${room}/*.ts`, `${room}/*.mjs`], { cwd: root, encoding: "utf8" });
  const kept = files.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.flatMap((file) => openings(read(file)))).toEqual([]);
});

test.each(PAGES)("no sentence of %s is too long to be read in one breath", (page) => {
  expect(longSentences(read(page))).toEqual([]);
});

test("both rules find what they are for", () => {
  expect(openings("/** What it is. */\n/**\n * Where it is.\n */\n/** A thing. */")).toHaveLength(2);
  expect(longSentences(`${"word ".repeat(36)}.\n\nShort.`)).toHaveLength(1);
});
