import { expect, it } from "vitest";
import type { Emulator } from "../../provider/emulator";
import { TestStack } from "./support/stack";
import { BLOCKED, emptyNode, since, world } from "./support/world";

it("ignoreChanges leaves what a node was found with, of all entries or of one, and a lost entry is restored", async () => {
  const nodes = { fra1: await emptyNode(), fra2: await emptyNode() };
  const all = Object.values(nodes);
  const endpoints = Object.entries(nodes).map(([name, { endpoint }]) => [name, { endpoint }]);
  const stack = await TestStack.create({ program: "", config: { nodes: Object.fromEntries(endpoints) } });
  await using _ = { [Symbol.asyncDispose]: () => ended(stack, all) };
  const declare = (entries: object, ignored: string) =>
    stack.program(`new pf.PrefixSetGroup("blocked",
      { arena: "edge", set: "blocked", entries: ${JSON.stringify(entries)}, nodes: ["fra1", "fra2"] },
      { ignoreChanges: [${JSON.stringify(ignored)}] });`);
  const first = { "192.0.2.0/24": 1, "198.51.100.0/24": 1 };
  await declare(first, "entries");
  await stack.must("up", "--yes", "--skip-preview");
  nodes.fra2.change(BLOCKED, { insert: { "203.0.113.9": 7 }, delete: ["192.0.2.0/24"] });

  await declare({ "192.0.2.0/24": 9 }, "entries");
  const sent = all.map(since);
  const preview = await stack.must("preview", "--refresh", "--diff");
  expect(preview.text).not.toMatch(/up (removes|changes|inserts)/);
  expect(preview.text).toMatch(/on fra2: up keeps 1 entry as found.*: 203\.0\.113\.9\/32\./);
  expect(preview.text.match(/restores: .*/g)).toEqual(['restores: "fra2: 1 missing entry: 192.0.2.0/24"']);
  expect(preview.text.match(/.*this up restores .*/g)).toEqual([
    "warning: fra2 prefixset://edge/blocked lacks 1 declared entry (192.0.2.0/24): this up restores it.",
  ]);
  expect((await stack.preview("--refresh", "--expect-no-changes")).code).not.toBe(0);
  expect(sent.map((mutations) => mutations())).toEqual([[], []]);
  await stack.must("up", "--yes", "--refresh", "--skip-preview");
  expect(sent.map((mutations) => mutations())).toEqual([[], ["insert 1", "commit"]]);
  expect(all.map((node) => node.prefixSet(BLOCKED).applied)).toEqual([first, { ...first, "203.0.113.9/32": 7 }]);
  await stack.must("preview", "--refresh", "--expect-no-changes");

  // Of one entry alone, which must be one of the program: what it says of the others is done, and their drift is repaired.
  await declare({ "198.51.100.0/24": 2, "192.0.2.0/24": 1 }, 'entries["203.0.113.9"]');
  expect((await stack.up("--skip-preview")).text).toContain("no entry of the state has this prefix");
  await declare({ "198.51.100.0/24": 2, "192.0.2.0/24": 9 }, 'entries["192.0.2.0/24"]');
  await stack.must("up", "--yes", "--skip-preview");
  const changed = { "192.0.2.0/24": 1, "198.51.100.0/24": 2 };
  expect(all.map((node) => node.prefixSet(BLOCKED).applied)).toEqual([changed, changed]);
  await stack.must("preview", "--refresh", "--expect-no-changes");
}, 120_000);

it("what one node of a group has in secret is in no state and no output, its reason included", async () => {
  await using w = await world({ program: "" });
  const { emulator, stack } = w;
  await stack.must("config", "set", "packetfilter:nodes", JSON.stringify({ fra1: { endpoint: emulator.endpoint } }));
  const declare = (value: number) =>
    stack.program(`
      const entries = pulumi.secret({ "203.0.113.9": { value: ${value}, reason: "hushed" } });
      new pf.PrefixSetGroup("blocked", { arena: "edge", set: "blocked", entries: [], nodes: { fra1: { entries } } });`);
  const shown: string[] = [];
  for (const value of [1, 2]) {
    await declare(value);
    shown.push((await stack.must("preview", "--diff")).text, (await stack.must("up", "--yes", "--skip-preview")).text);
    shown.push(await stack.read(".backend/.pulumi/stacks/journey/test.json"));
  }
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.9/32": 2 });
  expect(shown.filter((text) => /203\.0\.113\.9|hushed/.test(text))).toEqual([]);
});

async function ended(stack: TestStack, nodes: readonly Emulator[]): Promise<void> {
  await stack[Symbol.asyncDispose]();
  await Promise.all(nodes.map((node) => node.close()));
}
