import { expect, it } from "vitest";
import { startShapedNode } from "../support/shaped-node";
import { SET } from "../support/shapes/shape";
import { TestStack } from "./support/stack";

const A = "192.0.2.0/24";

it("a module of one's own is looked for beside the program, and what it fails with is told with its line", async () => {
  await using node = await startShapedNode({ [SET]: { [A]: 1 } }, { list: (held) => [...held.keys()].join("|") });
  await using stack = await TestStack.create({
    config: { endpoint: node.endpoint, node: { answers: { read: "./own.cjs" } } },
    env: { PACKETFILTER_ALLOW_CODE: "own.cjs" },
    program: `new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: { "${A}": 1 }, onExisting: "adopt" });`,
  });
  await stack.write("own.cjs", "module.exports = (body) => {\n  return body.no.such;\n};\n");
  const failed = await stack.mustFail("up", "--yes", "--skip-preview");
  expect(failed.text).toContain("answers.read (./own.cjs:2) failed: Cannot read properties of undefined");
  await stack.write("own.cjs", 'module.exports = (body) => body.split("|").map((p) => ({ p }));\n');
  await stack.must("up", "--yes", "--skip-preview");
  // A program in a folder of its own has it there.
  await stack.write("program/own.cjs", await stack.read("own.cjs"));
  await stack.write("program/index.js", await stack.read("index.js"));
  await stack.write("program/package.json", await stack.read("package.json"));
  await stack.write("Pulumi.yaml", `${await stack.read("Pulumi.yaml")}main: program/\n`);
  await stack.write("own.cjs", "throw new Error('this one is not meant');\n");
  await stack.must("preview", "--refresh", "--expect-no-changes");
});
