import { expect, it } from "vitest";
import type { Emulator } from "../../provider/emulator";
import { tokenOf } from "./support/kind";
import { TestStack } from "./support/stack";
import { BLOCKED, emptyNode, since, world } from "./support/world";

it("one set on three nodes: a changed entry is one line, drift is lines of its node, a failure is one node's", async () => {
  const nodes = { fra1: await emptyNode(), fra2: await emptyNode(), ams1: await emptyNode() };
  const all = Object.values(nodes);
  const stack = await TestStack.create({
    program: "",
    config: {
      nodes: Object.fromEntries(
        Object.entries(nodes).map(([name, { endpoint }]) => [name, { endpoint, deadlineMs: 3_000 }]),
      ),
    },
  });
  await using _ = { [Symbol.asyncDispose]: () => ended(stack, all) };
  const declare = (entries: object, more = "") =>
    stack.program(`
      const group = new pf.PrefixSetGroup("blocked", {
        arena: "edge", set: "blocked", entries: ${JSON.stringify(entries)}, nodes: ["fra1", "fra2", "ams1"], ${more}
      });
      exports.count = group.count; exports.differs = group.differs;`);
  const applied = () => all.map((node) => node.prefixSet(BLOCKED).applied);
  const first = { "192.0.2.0/24": 1, "198.51.100.0/24": 1 };
  const second = { "192.0.2.0/24": 1, "198.51.100.0/24": 2 };

  await declare(first);
  await stack.must("up", "--yes", "--skip-preview");
  expect(applied()).toEqual([first, first, first]);
  await stack.must("preview", "--expect-no-changes");
  await stack.must("preview", "--refresh", "--expect-no-changes");

  // One entry: one line.
  await declare(second);
  const changed = await stack.preview("--diff");
  expect(changed.text.match(/198\.51\.100\.0\/24.*: 1 => 2/g)).toHaveLength(1);
  expect(changed.text).not.toContain("192.0.2.0/24");
  expect(changed.text).toContain("3 nodes prefixset://edge/blocked: +0 -0 ~1, 2 after on each");
  // The nodes hold what was written there: nothing is restored.
  expect(changed.text).not.toMatch(/restores|puts (it|them) back|lacks/);

  // One node fails: the others are done, and the next up goes on with that node alone.
  nodes.fra2.fail({ cmd: "commit", every: 1, status: 500 });
  const failed = await stack.up("--skip-preview");
  expect(failed.code).not.toBe(0);
  expect(failed.text).toContain("Set prefixset://edge/blocked on fra2");
  nodes.fra2.clearFaults();
  expect(applied()).toEqual([second, first, second]);
  expect((await stack.state()).blocked?.outputs).toMatchObject({
    entries: second,
    differs: { fra2: { "198.51.100.0/24": 1 } },
  });
  const asked = all.map(since);
  await stack.must("up", "--yes", "--skip-preview");
  expect(asked.map((mutations) => mutations().at(-1))).toEqual([undefined, "commit", undefined]);
  expect(applied()).toEqual([second, second, second]);
  await stack.must("preview", "--expect-no-changes");

  // What two nodes lack alike is one line of a plain preview, and a plain up restores it there alone. The engine sorts nodes by name.
  for (const node of [nodes.fra1, nodes.ams1]) node.change(BLOCKED, { delete: ["192.0.2.0/24"] });
  const lacking = await stack.preview("--diff", "--expect-no-changes");
  expect(lacking.code).not.toBe(0);
  expect(lacking.text).toContain('+ restores: "ams1, fra1: 1 missing entry: 192.0.2.0/24"');
  expect(lacking.text.match(/lacks 1 declared entry/g)).toHaveLength(1);
  expect(lacking.text).toContain(
    "ams1, fra1 prefixset://edge/blocked lacks 1 declared entry (192.0.2.0/24): this up restores it.",
  );
  const lacked = all.map(since);
  await stack.must("up", "--yes", "--skip-preview");
  expect(lacked.map((mutations) => mutations())).toEqual([["insert 1", "commit"], [], ["insert 1", "commit"]]);
  expect(applied()).toEqual([second, second, second]);
  await stack.must("preview", "--expect-no-changes");

  // Drift on one node is lines of that node, and is repaired there.
  nodes.ams1.change(BLOCKED, { insert: { "203.0.113.9/32": 7 }, delete: ["192.0.2.0/24"] });
  const drift = await stack.preview("--refresh", "--diff", "--expect-no-changes");
  expect(drift.code).not.toBe(0);
  const lines = drift.text.slice(drift.text.lastIndexOf(tokenOf("PrefixSetGroup")));
  expect(lines).toMatch(/differs\s*: \{\s*- ams1\s*: \{\s*- 203\.0\.113\.9\/32\s*: 7\s*\}/);
  expect(lines).toContain('+ restores: "ams1: 1 missing entry: 192.0.2.0/24"');
  // The refresh names both, and the preview says what an up does about each, once.
  expect(lines.match(/on ams1: found 1 entry .*: 203\.0\.113\.9\/32\./g)).toHaveLength(1);
  expect(
    lines.match(/ams1 prefixset:\/\/edge\/blocked lacked 1 declared entry.* \(192\.0\.2\.0\/24\)\./g),
  ).toHaveLength(1);
  expect(lines.match(/up removes .*/g)).toEqual([
    "up removes 1 entry that the program does not declare: 203.0.113.9/32.",
  ]);
  expect(lines.match(/this up restores .*/g)).toEqual(["this up restores it."]);
  const repaired = all.map(since);
  await stack.must("up", "--yes", "--skip-preview", "--refresh");
  expect(repaired.map((mutations) => mutations())).toEqual([[], [], ["insert 1", "delete 1", "commit"]]);
  expect(applied()).toEqual([second, second, second]);
  await stack.must("preview", "--refresh", "--expect-no-changes");

  await stack.must("destroy", "--yes", "--skip-preview");
  expect(applied()).toEqual([{}, {}, {}]);
}, 240_000);

it("a node that comes twice in a group is refused before anything is sent, by one name or by two", async () => {
  await using w = await world({ program: "" });
  const { emulator, stack } = w;
  const { endpoint } = emulator;
  await stack.must("config", "set", "packetfilter:nodes", JSON.stringify({ fra1: { endpoint }, same: { endpoint } }));
  const refused = async (nodes: readonly string[]) => {
    await stack.program(`new pf.PrefixSetGroup("blocked",
      { arena: "edge", set: "blocked", entries: ["192.0.2.0/24"], nodes: ${JSON.stringify(nodes)} });`);
    const { code, text } = await stack.up("--skip-preview");
    expect(code).not.toBe(0);
    return text;
  };
  expect(await refused(["fra1", "fra1"])).toContain("nodes[1]: the node 'fra1' appears twice.");
  expect(await refused(["fra1", "same"])).toContain(
    'PrefixSetGroup "blocked" at same and PrefixSetGroup "blocked" at fra1 both own the whole set',
  );
  expect(emulator.journal).toEqual([]);
});

async function ended(stack: TestStack, nodes: readonly Emulator[]): Promise<void> {
  await stack[Symbol.asyncDispose]();
  await Promise.all(nodes.map((node) => node.close()));
}
