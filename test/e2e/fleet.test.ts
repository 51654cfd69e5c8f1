import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { TestStack } from "./support/stack";
import { BLOCKED, emptyNode, since } from "./support/world";

it("a fleet changes wave by wave, stops at a failure, resumes, and reports drift without a dead node", async () => {
  const nodes = { lab1: await emptyNode(), fra1: await emptyNode(), ams1: await emptyNode() };
  const stack = await TestStack.create({
    program: "",
    config: {
      nodes: Object.fromEntries(
        Object.entries(nodes).map(([name, { endpoint }]) => [name, { endpoint, onUnreachable: "skip", maxTries: 1 }]),
      ),
    },
  });
  await using _ = { [Symbol.asyncDispose]: () => ended(stack, Object.values(nodes)) };
  const program = (entries: object, own: object, more = "") =>
    stack.program(`
      const { appendFileSync } = require("node:fs");
      const fleet = new pf.PrefixSetFleet("blocked", {
        arena: "edge", set: "blocked", entries: ${JSON.stringify(entries)},
        nodes: ${JSON.stringify(own)},
        waves: { canary: ["lab1"], size: 1 },
        check: (names) => { appendFileSync(__dirname + "/checked", names + "\\n"); ${more} },
      });
      exports.sets = fleet.sets; exports.count = fleet.count;`);
  const checked = () => {
    const file = join(stack.folder, "checked");
    const text = readFileSync(file, "utf8");
    rmSync(file);
    return text;
  };
  const applied = () => Object.values(nodes).map((node) => node.prefixSet(BLOCKED).applied);

  // The second wave fails: the third is not touched, and the next up begins where it stopped.
  const own = { lab1: {}, fra1: {}, ams1: { entries: { "203.0.113.9": 2 } } };
  await program({ "192.0.2.0/24": 1 }, own);
  nodes.fra1.fail({ cmd: "commit", every: 1, status: 500 });
  const untouched = since(nodes.ams1);
  const failed = await stack.up("--skip-preview");
  expect(failed.code).not.toBe(0);
  expect(failed.text).toContain("fra1 prefixset://edge/blocked");
  expect(untouched()).toEqual([]);
  expect(checked()).toBe("lab1\n");
  nodes.fra1.clearFaults();
  const [first, second] = [since(nodes.lab1), since(nodes.ams1)];
  await stack.must("up", "--yes", "--skip-preview");
  expect(first()).toEqual([]);
  expect(second()).toEqual(["insert 2", "commit"]);
  expect(checked()).toBe("fra1\nams1\n");
  expect(applied()).toEqual([{ "192.0.2.0/24": 1 }, { "192.0.2.0/24": 1 }, { "192.0.2.0/24": 1, "203.0.113.9/32": 2 }]);
  const { stdout } = await stack.must("stack", "output", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ count: 4, sets: { ams1: { url: BLOCKED, count: 2 } } });

  // A check that fails stops what follows; nothing is checked where nothing was changed.
  await program({ "192.0.2.0/24": 1, "198.51.100.0/24": 1 }, own, 'throw new Error("the canary is ill")');
  const ill = await stack.up("--skip-preview");
  expect(ill.code).not.toBe(0);
  expect(ill.text).toContain("blocked: wave 1 (lab1) is through, and its check failed: the canary is ill");
  expect(applied().map((held) => Object.keys(held).length)).toEqual([2, 1, 2]);
  expect(checked()).toBe("lab1\n");

  // One node is dead, another has drifted: the drift is seen, and the dead node is said.
  const port = Number(new URL(nodes.ams1.endpoint).port);
  await nodes.ams1.close();
  nodes.fra1.change(BLOCKED, { insert: { "203.0.113.66/32": 1 } });
  await program({ "192.0.2.0/24": 1, "198.51.100.0/24": 1 }, own);
  const drift = await stack.preview("--refresh", "--diff");
  expect(drift.code, drift.text).toBe(0);
  expect(drift.text).toContain("203.0.113.66/32");
  expect(drift.text).toContain(
    "Set prefixset://edge/blocked on ams1: not refreshed, since the node does not answer; its state is kept",
  );

  // A node gets another name: nothing that is wanted there goes, not for a moment.
  nodes.ams1 = await startEmulator({
    port,
    state: { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1, "203.0.113.9/32": 2 } } } } },
  });
  const named = { lab1: nodes.lab1, fra1: nodes.fra1, par1: nodes.ams1 };
  const renamed = Object.fromEntries(Object.entries(named).map(([name, { endpoint }]) => [name, { endpoint }]));
  await stack.must("config", "set", "packetfilter:nodes", JSON.stringify(renamed));
  await program({ "192.0.2.0/24": 1 }, { lab1: {}, fra1: {}, par1: own.ams1 });
  const moved = since(nodes.ams1);
  await stack.must("up", "--yes", "--skip-preview");
  expect(moved().filter((one) => one !== "commit")).toEqual([]);
  expect(applied().at(2)).toEqual({ "192.0.2.0/24": 1, "203.0.113.9/32": 2 });

  // A destroy goes backwards through the waves.
  const destroyed = await stack.destroy();
  expect(destroyed.code, destroyed.text).toBe(0);
  expect(applied()).toEqual([{}, { "203.0.113.66/32": 1 }, {}]);
  const cleared = Object.entries(nodes).map(
    ([name, node]) => [name, node.requests({ cmd: "commit" }).at(-1)?.time ?? ""] as const,
  );
  expect(cleared.toSorted(([, a], [, b]) => a.localeCompare(b)).map(([name]) => name)).toEqual([
    "ams1",
    "fra1",
    "lab1",
  ]);
}, 240_000);

it("a fleet that had a set of its own for each node goes on with groups: nothing is sent, and then they keep it", async () => {
  const nodes = { lab1: await emptyNode(), fra1: await emptyNode(), ams1: await emptyNode() };
  const all = Object.values(nodes);
  const names = Object.keys(nodes);
  const stack = await TestStack.create({
    program: "",
    config: { nodes: Object.fromEntries(Object.entries(nodes).map(([name, { endpoint }]) => [name, { endpoint }])) },
  });
  await using _ = { [Symbol.asyncDispose]: () => ended(stack, all) };
  const applied = () => all.map((node) => node.prefixSet(BLOCKED).applied);
  const entries = { "192.0.2.0/24": 1, "198.51.100.0/24": 2 };
  const place = `arena: "edge", set: "blocked"`;
  await stack.program(`
    const parent = new pulumi.ComponentResource("packetfilter:index:PrefixSetFleet", "blocked");
    let dependsOn = [];
    for (const node of ${JSON.stringify(names)}) {
      const args = { ${place}, node, entries: ${JSON.stringify(entries)} };
      dependsOn = [new pf.PrefixSet("blocked-" + node, args, { parent, dependsOn })];
    }`);
  await stack.must("up", "--yes", "--skip-preview");
  const fleet = (wanted: object) =>
    stack.program(`new pf.PrefixSetFleet("blocked", { ${place}, entries: ${JSON.stringify(wanted)},
      nodes: ${JSON.stringify(names)}, waves: [1, 2] });`);
  await fleet(entries);
  const sent = all.map(since);
  await stack.must("up", "--yes", "--skip-preview");
  expect(sent.map((mutations) => mutations().filter((one) => one !== "commit"))).toEqual([[], [], []]);
  expect(applied()).toEqual([entries, entries, entries]);
  expect(Object.keys(await stack.state()).sort()).toEqual(["blocked-1", "blocked-2"]);
  await stack.must("preview", "--refresh", "--expect-no-changes");

  // An entry changes while a node goes to an earlier wave.
  const changed = { "192.0.2.0/24": 3, "203.0.113.0/24": 1 };
  await stack.program(`new pf.PrefixSetFleet("blocked", { ${place}, entries: ${JSON.stringify(changed)},
    nodes: ${JSON.stringify(names)}, waves: [2, 1] });`);
  await stack.must("up", "--yes", "--skip-preview");
  expect(applied()).toEqual([changed, changed, changed]);
  await stack.must("preview", "--refresh", "--expect-no-changes");
}, 120_000);

it("the state of a fleet that version 0.1.0 wrote before it had groups goes on: nothing leaves a node on the way", async () => {
  const common = { "192.0.2.0/24": 1, "198.51.100.0/24": 2 };
  const held = { lab1: common, fra1: { ...common, "203.0.113.9/32": 7 }, ams1: common };
  const pairs = Object.entries(held).map(
    async ([name, blocked]) =>
      [name, await startEmulator({ state: { arenas: { edge: { sets: { blocked } } } } })] as const,
  );
  const nodes = new Map(await Promise.all(pairs));
  const all = [...nodes.values()];
  const stack = await TestStack.create({
    program: "",
    config: { nodes: Object.fromEntries([...nodes].map(([name, { endpoint }]) => [name, { endpoint }])) },
  });
  await using _ = { [Symbol.asyncDispose]: () => ended(stack, all) };
  // Exported after an up of that version, with these three addresses.
  const former = new Map([
    ["lab1", "http://192.0.2.10"],
    ["fra1", "http://192.0.2.11"],
    ["ams1", "http://192.0.2.12"],
  ]);
  let state = readFileSync(join(__dirname, "states", "0.1.0-fleet.json"), "utf8");
  for (const [name, address] of former) state = state.replaceAll(address, nodes.get(name)?.endpoint ?? "");
  await stack.write("state.json", state);
  await stack.must("stack", "import", "--file", join(stack.folder, "state.json"));
  const fleet = (first: number) =>
    stack.program(`new pf.PrefixSetFleet("blocked", { arena: "edge", set: "blocked",
      entries: { "192.0.2.0/24": ${first}, "198.51.100.0/24": { value: 2, reason: "SYN flood" } },
      nodes: { lab1: {}, fra1: { entries: { "203.0.113.9": 7 } }, ams1: {} }, waves: { canary: ["lab1"], size: 1 } });`);
  const applied = () => Object.fromEntries([...nodes].map(([name, node]) => [name, node.prefixSet(BLOCKED).applied]));

  await fleet(1);
  await stack.must("up", "--yes", "--skip-preview");
  expect(all.map((node) => node.requests({ cmd: "insert" }).length)).toEqual([0, 0, 0]);
  expect(all.map((node) => node.requests({ cmd: "delete" }).length)).toEqual([0, 0, 0]);
  expect(applied()).toEqual(held);
  expect(Object.keys(await stack.state()).sort()).toEqual(["blocked-1", "blocked-2", "blocked-3"]);
  await stack.must("preview", "--refresh", "--expect-no-changes");

  await fleet(3);
  await stack.must("up", "--yes", "--skip-preview");
  expect(all.map((node) => node.requests({ cmd: "insert" }).length)).toEqual([1, 1, 1]);
  expect(all.map((node) => node.requests({ cmd: "delete" }).length)).toEqual([0, 0, 0]);
  const changed = { ...common, "192.0.2.0/24": 3 };
  expect(applied()).toEqual({ lab1: changed, fra1: { ...changed, "203.0.113.9/32": 7 }, ams1: changed });
}, 240_000);

it("the example fills four nodes in three waves, and looks at each wave before the next one", async () => {
  const example = join(process.cwd(), "examples", "many-nodes");
  const names = ["lab1", "fra1", "fra2", "ams1"] as const;
  const nodes = await Promise.all(names.map(() => emptyNode()));
  const endpoints = nodes.map(({ endpoint }, index) => [names[index], { endpoint }]);
  const stack = await TestStack.create({ program: "", config: { nodes: Object.fromEntries(endpoints) } });
  await using _ = { [Symbol.asyncDispose]: () => ended(stack, nodes) };
  await stack.write("blocks.yaml", readFileSync(join(example, "blocks.yaml"), "utf8"));
  await stack.program(
    readFileSync(join(example, "index.ts"), "utf8")
      .replace('import { join } from "node:path";', 'const { join } = require("node:path");')
      .replace(/import \* as pf.*\n/, "")
      .replace("export const count =", "exports.count ="),
  );
  await stack.must("up", "--yes", "--skip-preview");
  expect(nodes.map((node) => Object.keys(node.prefixSet(BLOCKED).applied).length)).toEqual([2, 2, 2, 3]);
  expect(nodes.map((node) => node.requests({ type: "shost" }).length)).toEqual([1, 1, 1, 1]);
  const [lab = "", fra1 = "", fra2 = "", ams = ""] = nodes.map((node) => node.requests({ cmd: "commit" })[0]?.time);
  expect(lab < fra1 && lab < fra2 && fra1 < ams && fra2 < ams).toBe(true);
});

async function ended(stack: TestStack, nodes: readonly Emulator[]): Promise<void> {
  await stack[Symbol.asyncDispose]();
  await Promise.all(nodes.map((node) => node.close()));
}
