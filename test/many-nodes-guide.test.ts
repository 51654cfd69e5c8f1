import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { inWaves } from "../provider/resources/prefix-set-group/rollout/waves";
import { blocksOf, root } from "./support/markdown";

const page = "docs/guides/many-nodes.md";

test("the guide to many nodes shows the example as it stands, and links to files that exist", () => {
  const code = blocksOf(page).filter(({ language }) => language === "ts");
  expect(code.length).toBeGreaterThan(0);
  for (const { tag, text } of code) expect(readFileSync(join(root, tag), "utf8")).toContain(text);
  const links = [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
    ([, link]) => link ?? "",
  );
  expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
});

test("each form of waves in the guide is one that there is", () => {
  const rows = [...readFileSync(join(root, page), "utf8").matchAll(/^\| `([[{].*)` \|/gm)].map(
    ([, form]) => form ?? "",
  );
  expect(rows).toHaveLength(4);
  for (const form of rows) {
    const waves = JSON.parse(form.replace(/(\w+):/g, '"$1":'));
    expect(inWaves(["lab1", "fra1", "ams1", "par1"], waves).flat().sort()).toEqual(["ams1", "fra1", "lab1", "par1"]);
  }
});
