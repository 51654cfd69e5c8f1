import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import { headingsOf } from "../provider/commands/docs";
import { root } from "./support/markdown";

/** The files of the package, with their sizes. */
let packed: ReadonlyMap<string, number>;

beforeAll(() => {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"];
  const [one] = [JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" }))].flat();
  packed = new Map(one.files.map(({ path, size }: { path: string; size: number }) => [path, size]));
}, 60_000);

const read = (file: string) => readFileSync(join(root, file), "utf8");

/** A file of the package, or a folder in which it has some. */
const isThere = (path: string) => packed.has(path) || [...packed.keys()].some((file) => file.startsWith(`${path}/`));

/** The anchors of a page's headings. */
const anchors = (page: string) => headingsOf(read(page).split("\n")).map(({ anchor }) => anchor);

/** Links of a page, pictures too, that lead to nothing in the package. */
function dead(page: string): string[] {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
    ([, a, b]) => a ?? b ?? "",
  );
  return links.filter((link) => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? page : posix.normalize(posix.join(dirname(page), path));
    if (!isThere(target)) return true;
    return anchor !== undefined && target.endsWith(".md") && !anchors(target).includes(anchor);
  });
}

test.each(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])(
  "every link of %s leads to something in the package",
  (page) => {
    expect(dead(page)).toEqual([]);
  },
);

test("every link of the documentation in the package does, pictures included", () => {
  const pages = [...packed.keys()].filter((file) => /^(docs|policies|examples)\/.*\.md$/.test(file));
  expect(pages.length).toBeGreaterThan(40);
  const found = pages.flatMap((page) => dead(page).map((link) => ({ page, link })));
  expect(found.map(({ page, link }) => `${page}: ${link}`)).toEqual([]);
});

test("every page, schema and example that a message names is in the package, with the section", () => {
  const named = ["provider", "policies"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules"))
      .flatMap((name) => textsOf(`${folder}/${name}`))
      .flatMap((text) => text.match(/(?<![\w./-])(?:docs|examples|schemas)\/[\w./-]*\w(?:#[\w-]+)?/g) ?? []),
  );
  expect(named.length).toBeGreaterThan(5);
  const missing = [...new Set(named)].filter((name) => {
    const [path = "", anchor] = name.split("#");
    return !isThere(path) || (anchor !== undefined && !anchors(path).includes(anchor));
  });
  expect(missing).toEqual([]);
});

/** Texts of a program, without its comments. */
function textsOf(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2022));
  return found;
}

test("the documentation takes at most 0.72 MB", () => {
  const sizes = [...packed].flatMap(([file, size]) => (file.startsWith("docs/") ? [size] : []));
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(720_000);
});
