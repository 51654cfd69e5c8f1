import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startHealth } from "../support/health";
import { TestStack } from "./support/stack";
import { BLOCKED, emptyNode } from "./support/world";

it("the example fills four nodes in three waves, and looks at each wave before the next one", async () => {
  const example = join(process.cwd(), "examples", "many-nodes");
  const names = ["lab1", "fra1", "fra2", "ams1"] as const;
  const nodes = await Promise.all(names.map(() => emptyNode()));
  await using health = await startHealth();
  const endpoints = nodes.map(({ endpoint }, index) => [names[index], { endpoint }]);
  const stack = await TestStack.create({ program: "", config: { nodes: Object.fromEntries(endpoints) } });
  await using _ = {
    [Symbol.asyncDispose]: async () => {
      await stack[Symbol.asyncDispose]();
      await Promise.all(nodes.map((node) => node.close()));
    },
  };
  await stack.write("blocks.yaml", readFileSync(join(example, "blocks.yaml"), "utf8"));
  await stack.program(
    readFileSync(join(example, "index.ts"), "utf8")
      .replace('import { join } from "node:path";', 'const { join } = require("node:path");')
      .replaceAll(/import \* as .*\n/g, "")
      .replace("https://health.example/{node}", health.url)
      .replaceAll(/export const (\w+) =/g, "exports.$1 ="),
  );
  await stack.must("up", "--yes", "--skip-preview");
  expect(nodes.map((node) => Object.keys(node.prefixSet(BLOCKED).applied).length)).toEqual([2, 2, 2, 3]);
  expect(health.asked().toSorted()).toEqual(names.toSorted());
  const [lab = "", fra1 = "", fra2 = "", ams = ""] = nodes.map((node) => node.requests({ cmd: "commit" })[0]?.time);
  expect(lab < ams && lab < fra1 && ams < fra2 && fra1 < fra2).toBe(true);
});
