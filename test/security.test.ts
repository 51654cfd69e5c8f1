import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

const root = join(__dirname, "..");

/** The titles of a file's tests, as they are written; with those in tables of `judges`. */
function titlesIn(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const [title, , table] = ts.isCallExpression(node) ? node.arguments : [];
    if (ts.isCallExpression(node) && node.expression.getText() === "judges" && table)
      for (const row of ts.isArrayLiteralExpression(table) ? table.elements : [])
        if (ts.isArrayLiteralExpression(row) && row.elements[0] && ts.isStringLiteralLike(row.elements[0]))
          found.push(row.elements[0].text);
    if (ts.isCallExpression(node) && /^(it|test|describe)\b/.test(node.expression.getText()))
      if (title && ts.isStringLiteralLike(title)) found.push(title.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), 99, true));
  return found;
}

it("SECURITY.md names a test for each promise and each attacker by its title, and each is there", () => {
  const rows = readFileSync(join(root, "SECURITY.md"), "utf8").match(/^\| .* \|$/gm) ?? [];
  const promises = rows
    .filter((row) => !/^\| (Promise|Attacker|Gate|Input) \|/.test(row))
    .map((row) =>
      [...row.matchAll(/\]\((test\/[^) ]+)(?: "([^"]+)")?\)/g)].map(([, file = "", title]) => ({ file, title })),
    );
  expect(promises.length).toBeGreaterThan(5);
  expect(promises.filter((tests) => tests.length === 0)).toEqual([]);
  const titles = new Map(promises.flat().map(({ file }) => [file, titlesIn(file)]));
  const isThere = ({ file, title }: { file: string; title: string | undefined }) =>
    title !== undefined && titles.get(file)?.some((one) => one.startsWith(title)) === true;
  expect(promises.flat().filter((test) => !isThere(test))).toEqual([]);
});
