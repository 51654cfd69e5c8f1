import { expect, it } from "vitest";
import { TestStack } from "./support/stack";
import { BLOCKED, emptyNode, since } from "./support/world";

const ENTRY = "192.0.2.0/24";
const DISTINCT = "pulumi config set packetfilter:distinctNodes true";

it("a node that leaves is cleared once the user says that each is a machine of its own, or kept; until then no run forgets it", async () => {
  const nodes = { ams1: await emptyNode(), fra1: await emptyNode(), lab1: await emptyNode() };
  const all = Object.values(nodes);
  const endpoints = Object.entries(nodes).map(([name, { endpoint }]) => [name, { endpoint }]);
  const stack = await TestStack.create({ program: "", config: { nodes: Object.fromEntries(endpoints) } });
  await using _ = {
    [Symbol.asyncDispose]: async () => {
      await stack[Symbol.asyncDispose]();
      await Promise.all(all.map((node) => node.close()));
    },
  };
  const declare = (names: readonly string[], more = "") =>
    stack.program(
      `new pf.PrefixSetGroup("blocked", { arena: "edge", set: "blocked", entries: ["${ENTRY}"], nodes: ${JSON.stringify(names)}, ${more} });`,
    );
  const holding = () =>
    Object.entries(nodes).flatMap(([name, node]) => (ENTRY in node.prefixSet(BLOCKED).applied ? name : []));
  const outputs = async () => (await stack.state()).blocked?.outputs;

  // Two addresses may be one machine: the first up asks.
  await declare(["ams1", "fra1", "lab1"]);
  const first = await stack.up("--skip-preview");
  expect(first.code, first.text).toBe(0);
  expect(oneLine(first.text)).toContain(`${BLOCKED}: its nodes have 3 addresses, and two of them may be one machine`);
  expect(oneLine(first.text)).toContain(DISTINCT);

  // The preview says what the up does, and each run after it says so again.
  const fate = `Set ${BLOCKED} on lab1: it leaves the group, and 1 entry stays there, since ams1, fra1 have the same and may be the same machine. If each address is a machine of its own, say so: ${DISTINCT}`;
  await declare(["ams1", "fra1"]);
  const sent = since(nodes.lab1);
  for (const _again of [1, 2]) {
    const preview = await stack.preview("--expect-no-changes");
    expect(preview.code).not.toBe(0);
    expect(oneLine(preview.text)).toContain(fate);
    const up = await stack.up("--skip-preview");
    expect(up.code, up.text).toBe(0);
    expect(oneLine(up.text)).toContain("1 entry stays, since this stack declares the same at");
    expect(holding()).toEqual(["ams1", "fra1", "lab1"]);
    expect(await outputs()).toMatchObject({ differs: { lab1: { [ENTRY]: 1 } } });
  }
  expect(sent()).toEqual([]);

  await stack.must("config", "set", "packetfilter:distinctNodes", "true");
  const clears = await stack.preview();
  expect(oneLine(clears.text)).toContain(`Set ${BLOCKED} on lab1: it leaves the group, and up clears 1 entry there.`);
  await stack.must("up", "--yes", "--skip-preview");
  expect(holding()).toEqual(["ams1", "fra1"]);
  expect(await outputs()).not.toHaveProperty("differs");
  await stack.must("up", "--yes", "--skip-preview", "--expect-no-changes");

  await declare(["ams1"], 'onDestroy: "keep"');
  const keeps = await stack.preview();
  expect(oneLine(keeps.text)).toContain(
    `Set ${BLOCKED} on fra1: it leaves the group, and up leaves 1 entry there (onDestroy: "keep"); with onDestroy: "remove", "pulumi up" clears it.`,
  );
  await stack.must("up", "--yes", "--skip-preview");
  expect(holding()).toEqual(["ams1", "fra1"]);
  expect(Object.keys((await outputs())?.endpoints as object)).toEqual(["ams1"]);
  await stack.must("up", "--yes", "--skip-preview", "--expect-no-changes");
}, 240_000);

/** As it was said: the engine breaks lines. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
