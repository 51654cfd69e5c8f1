import { expect, it } from "vitest";
import { clingingNode } from "../failures/support/clinging-node";
import { TestStack } from "./support/stack";
import { BLOCKED, blockedSet, since, world } from "./support/world";

const ONE = { "192.0.2.0/24": 1 };
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

it("a list that may be an error, a part or unreadable is never an empty set", async () => {
  await using w = await world({ program: blockedSet(ONE) });
  const { emulator, stack } = w;
  await stack.must("up", "--yes", "--skip-preview");

  // An unknown verdict beside an empty list: nothing is taken for gone, and nothing is forgotten.
  const lying = emulator.fail({ cmd: "list", status: 200, body: '{"success":0,"data":[]}', every: 1 });
  const destroyed = await stack.destroy();
  expect(destroyed.code).not.toBe(0);
  expect(oneLine(destroyed.text)).toContain('nothing is listed, and beside it stands "success": "0"');
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(ONE);
  expect(Object.keys(await stack.state())).toEqual(["blocked"]);
  lying.remove();

  // Part of a list is none.
  const partial = emulator.fail({ cmd: "list", status: 206, body: '{"data":[]}', every: 1 });
  const gate = await stack.preview("--refresh", "--expect-no-changes");
  expect(gate.code).not.toBe(0);
  expect(oneLine(gate.text)).toContain("the status 206 says that this is a part of the list");
  partial.remove();

  // The list before the change is read, the one after it is not.
  await stack.program(blockedSet({ ...ONE, "203.0.113.0/24": 2 }));
  emulator.fail({ cmd: "list", nth: 2, times: 99, status: 200, body: '{"payload":[{"net":"192.0.2.0/24"}]}' });
  const sent = since(emulator);
  const up = await stack.up("--skip-preview");
  expect(up.code).not.toBe(0);
  expect(oneLine(up.text)).toContain('set answers.path: "payload"');
  expect(up.text).not.toContain("does not show");
  expect(sent()).toEqual(["insert 1", "commit"]);
});

it("a stop goes out whatever the status says, and a state with unknown words changes nothing", async () => {
  await using w = await world({
    program: `${blockedSet(ONE)}new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7"] });`,
  });
  const { emulator, stack } = w;
  await stack.must("up", "--yes", "--skip-preview");
  const active = () => emulator.signalings["client-a"];
  expect(active()).toEqual(["198.51.100.7/32"]);

  const { stdout } = await stack.must("stack", "export");
  const unknown = JSON.parse(stdout);
  for (const { outputs, urn } of unknown.deployment.resources) {
    if (urn.endsWith("::blocked")) outputs.onDestroy = "detach";
  }
  await stack.write("unknown.json", JSON.stringify(unknown));
  await stack.write("known.json", stdout);
  await stack.must("stack", "import", "--file", `${stack.folder}/unknown.json`);
  const sent = since(emulator);
  const refused = await stack.destroy("--target", "**blocked");
  expect(refused.code).not.toBe(0);
  expect(oneLine(refused.text)).toMatch(/onDestroy.*"detach"/);
  expect(sent()).toEqual([]);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(ONE);

  await stack.must("stack", "import", "--file", `${stack.folder}/known.json`);
  emulator.fail({ op: "status", status: 200, body: '{"IP_prefix":[]}', every: 1 });
  await stack.destroy();
  expect(sent()).toContain("stop 1");
  expect(active()).toEqual([]);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
});

it("a node that clings to what is staged converges after a refused value", async () => {
  await using node = await clingingNode("applied");
  const entries = (third: number) =>
    Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`192.0.2.${index}/32`, index === 2 ? third : 1]));
  const program = (third: number) =>
    `new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: ${JSON.stringify(entries(third))}, node: { endpoint: ${JSON.stringify(node.endpoint)}, maxEntriesPerRequest: 4 } });`;
  await using stack = await TestStack.create({ program: program(300) });
  const refused = await stack.up("--skip-preview");
  expect(refused.code).not.toBe(0);
  expect(refused.text).toContain("value out of range");
  await stack.program(program(1));
  const up = await stack.up("--skip-preview");
  expect(up.code, up.text).toBe(0);
  expect(node.applied()).toEqual(entries(1));
  const gate = await stack.preview("--refresh", "--expect-no-changes");
  expect(gate.code, gate.text).toBe(0);
});
