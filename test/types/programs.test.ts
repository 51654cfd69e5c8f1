import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { entryPoints, surfaceOf } from "../reference/surface";

const folder = join(__dirname, "programs");
const programs = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));

/** Every word of a program that is no part of a comment or a text. */
function wordsOf(program: string): Set<string> {
  const words = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) words.add(node.text);
    ts.forEachChild(node, visit);
  };
  const { statements } = ts.createSourceFile("program.ts", program, ts.ScriptTarget.ES2022);
  for (const one of statements) if (!ts.isImportDeclaration(one)) visit(one);
  return words;
}

// The compiler says where a wrong program is taken: the programs are compiled with all else.
test("programs use every public type, and what is wrong with one stands beside what is right", () => {
  const used = new Set(programs.flatMap((program) => [...wordsOf(program)]));
  const types = surfaceOf(join(__dirname, "../.."), entryPoints).filter(
    ({ kind }) => kind === "class" || kind === "type",
  );
  const names = types.map(({ name }) => name.split(" ")[1] ?? "");
  expect(names.length).toBeGreaterThan(150);
  expect(names.filter((name) => !used.has(name))).toEqual([]);
  const wrong = programs.join("\n").match(/^ *\/\/ @ts-expect-error \S.*$/gm) ?? [];
  expect(wrong.length).toBeGreaterThan(140);
});
