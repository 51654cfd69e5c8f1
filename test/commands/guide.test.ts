import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { blocksOf, root } from "../support/markdown";

const page = "docs/guides/incidents.md";
const blocks = blocksOf(page);

test("the guide to incidents shows the example as it stands", () => {
  const code = blocks.filter(({ language }) => language === "ts");
  expect(code.length).toBeGreaterThan(0);
  for (const { tag, text } of code) expect(readFileSync(join(root, tag), "utf8")).toContain(text);
});

test("the guide to incidents links to files that exist", () => {
  const text = readFileSync(join(root, page), "utf8");
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? "");
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
});
