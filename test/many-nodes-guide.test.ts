import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inWaves } from "../provider/resources/prefix-set-group/rollout/waves";
import { root } from "./support/markdown";

const page = "docs/guides/many-nodes.md";

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
