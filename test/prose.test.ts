import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { root } from "./support/markdown";

/** Files of the repository, new ones included, but those that were deleted. */
const tracked = (...paths: string[]) =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...paths], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file !== "" && existsSync(join(root, file)));

// docs/contributing/style.md has the rules.
const ROOMS = ["policies", "provider", "test", "tools"];
const PAGES = tracked("*.md").filter((page) => !/^(docs\/reference|test)\//.test(page));
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
  const kept = tracked(`${room}/*.ts`, `${room}/*.mjs`);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.flatMap((file) => openings(read(file)))).toEqual([]);
});

test.each(PAGES)("no sentence of %s is too long to be read in one breath", (page) => {
  expect(longSentences(read(page))).toEqual([]);
});

/** Rooms whose names are held to the table of docs/contributing/style.md. */
const NAMED = ["apply", "messages", "settings", "reconcile", "engine", "deployment", "resources"];

/** Names that a file declares: of variables, parameters, functions, members and types. */
function declaredIn(text: string, file = "a.ts"): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const { name } = node as ts.Node & { name?: ts.Node };
    if (name && ts.isIdentifier(name) && !ts.isPropertyAccessExpression(node)) names.push(name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return names;
}

test("no name of the resources' rooms is one that the table of names replaces", () => {
  const [, table = ""] = read("docs/contributing/style.md").split("## Names");
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  const replaced = new Set(
    rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name)),
  );
  expect(replaced.size).toBeGreaterThan(30);
  const files = NAMED.flatMap((room) => tracked(`provider/${room}/*.ts`));
  const wrong = files.flatMap((file) =>
    declaredIn(read(file)).flatMap((name) => (replaced.has(name) ? [`${file}: ${name}`] : [])),
  );
  expect(wrong).toEqual([]);
  expect(declaredIn("const owing = 1; function bring({ apart }: Red) {}")).toEqual(["owing", "bring", "apart"]);
});

/** Names that no file of the package declares, in any room. */
const NOWHERE = ["told", "seen", "wanted", "beside", "alike", "fate", "wayOut"];

/** Files with a member `seen` that users read: counts of a fault, and the observation of a check of settings. */
const PUBLIC_SEEN = [
  "provider/commands/emulating/behaviour.ts",
  "provider/emulator/behaviour/faults.ts",
  "provider/emulator/control/answers.ts",
  "provider/probe/check.ts",
];

test("no name of the package is a word that says nothing of its content", () => {
  const files = tracked("provider/*.ts", "provider/*.tsx");
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) => {
    const text = read(file);
    // To parse all files takes seconds.
    const names = NOWHERE.some((name) => text.includes(name)) ? declaredIn(text, file) : [];
    return names.flatMap((name) => (NOWHERE.includes(name) ? [{ file, name }] : []));
  });
  const seen = new Set(found.flatMap(({ file, name }) => (name === "seen" ? [file] : [])));
  expect(found.filter(({ file, name }) => !(name === "seen" && PUBLIC_SEEN.includes(file)))).toEqual([]);
  expect([...seen].toSorted()).toEqual(PUBLIC_SEEN);
  expect(declaredIn("function f(told: number, { a: seen }: B) { for (const wanted of c) {} }")).toEqual([
    ...["f", "told", "seen", "wanted"],
  ]);
});

test("both rules find what they are for", () => {
  expect(openings("/*" + "* What it is. */\n/**\n * Where it is.\n */\n/** A thing. */")).toHaveLength(2);
  expect(longSentences(`${"word ".repeat(36)}.\n\nShort.`)).toHaveLength(1);
});
