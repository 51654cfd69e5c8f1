import { expect, it } from "vitest";
import { startShapedNode } from "../support/shaped-node";
import { startShapedReceiver } from "../support/shaped-receiver";
import { NODES } from "../support/shapes/nodes";
import { PLACES } from "../support/shapes/places";
import { RECEIVERS } from "../support/shapes/receivers";
import { SET, shapeOf } from "../support/shapes/shape";
import { TestStack } from "./support/stack";

const [A, B, C, D] = ["192.0.2.0/24", "198.51.100.7/32", "203.0.113.0/24", "198.51.100.128/25"] as const;
const NAMES = Object.keys(NODES);

/** Each node of the matrix, empty, with the members by which it is reached. */
async function startNodes(all: AsyncDisposableStack) {
  const started = NAMES.map(async (name) => {
    const { settings, vanishes } = NODES[name] ?? {};
    const node = all.use(await startShapedNode(vanishes ? {} : { [SET]: {} }, shapeOf(NODES[name] ?? {})));
    return { node, options: { endpoint: node.endpoint, ...settings } };
  });
  return Promise.all(started);
}

/** Each receiver of the matrix, with the members by which it is reached. */
async function startReceivers(all: AsyncDisposableStack) {
  const started = Object.values(RECEIVERS).map(async (shape) => {
    const receiver = all.use(await startShapedReceiver(shape));
    const options = { url: receiver.url, clientId: "c1", secretKey: "k3y", answers: shape.settings };
    return { receiver, options, prefixes: shape.isSingle ? [B] : [B, D] };
  });
  return Promise.all(started);
}

it("every node and receiver of the matrix: up, no change, drift, repair, destroy", async () => {
  await using all = new AsyncDisposableStack();
  const nodes = await startNodes(all);
  const receivers = await startReceivers(all);
  const sets = () =>
    Object.fromEntries(nodes.map(({ node }, at) => [NAMES[at], Object.fromEntries(node.sets.get(SET) ?? [])]));
  const active = () => receivers.map(({ receiver }) => [...receiver.active].toSorted());
  // A node that keeps no values has only ones.
  const declared = (value: number) => NAMES.map((name) => ({ [A]: NODES[name]?.isFlat ? 1 : value, [B]: 1 }));
  const everywhere = (value: number) => Object.fromEntries(declared(value).map((entries, at) => [NAMES[at], entries]));
  const program = (value: number) => `
    const entries = ${JSON.stringify(declared(value))};
    entries.forEach((each, at) => new pf.PrefixSet(\`set-\${at}\`, { node: \`n\${at}\`, arena: "edge", set: "blocked", entries: each }));
    ${JSON.stringify(receivers.map(({ prefixes }) => prefixes))}
      .forEach((prefixes, at) => new pf.CloudSignaling(\`signaling-\${at}\`, { receiver: \`r\${at}\`, prefixes }));`;
  const named = (prefix: string, each: readonly { readonly options: object }[]) =>
    Object.fromEntries(each.map(({ options }, at) => [`${prefix}${at}`, options]));
  const config = { nodes: named("n", nodes) };
  const secrets = { receivers: JSON.stringify(named("r", receivers)) };
  const stack = all.use(await TestStack.create({ config, secrets, program: program(7) }));

  const up = await stack.up("--skip-preview");
  expect(up.code, up.text).toBe(0);
  expect(sets()).toEqual(everywhere(7));
  const wanted = receivers.map(({ prefixes }) => [...prefixes].toSorted());
  expect(active()).toEqual(wanted);
  const still = await stack.preview("--refresh", "--expect-no-changes");
  expect(still.code, still.text).toBe(0);

  // Others write, also what we would not where the form has room for it, and end what runs.
  nodes.forEach(({ node }, at) => {
    const isAnything = (NAMES[at] ?? "") in PLACES;
    node.sets
      .get(SET)
      ?.set(C, isAnything ? "drop" : 1)
      .set(B, isAnything ? 1.5 : 1)
      .delete(A);
  });
  for (const { receiver } of receivers) receiver.active.clear();
  const drift = await stack.preview("--refresh", "--expect-no-changes");
  expect(drift.code, drift.text).not.toBe(0);
  await stack.program(program(9));
  const repaired = await stack.up("--refresh", "--skip-preview");
  expect(repaired.code, repaired.text).toBe(0);
  expect(sets()).toEqual(everywhere(9));
  expect(active()).toEqual(wanted);

  for (const [at, { node }] of nodes.entries()) if ((NAMES[at] ?? "") in PLACES) node.sets.get(SET)?.set(A, "drop");
  const destroyed = await stack.destroy("--refresh");
  expect(destroyed.code, destroyed.text).toBe(0);
  expect(sets()).toEqual(Object.fromEntries(NAMES.map((name) => [name, {}])));
  expect(active()).toEqual(receivers.map(() => []));
}, 600_000);

it("an unknown answer of a node names the setting that reads it", async () => {
  const pairs = (held: ReadonlyMap<string, unknown>) => ({ payload: [...held] });
  await using node = await startShapedNode({ [SET]: { [A]: 1 } }, { list: pairs });
  await using stack = await TestStack.create({
    config: { endpoint: node.endpoint },
    program: `new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: { "${A}": 1 } });`,
  });
  const failed = await stack.up("--skip-preview");
  expect(failed.code).not.toBe(0);
  expect(failed.text).toContain('If the list is there, set answers.path: "payload".');
  expect(node.asked).toEqual(["list"]);
  await stack.must("config", "set", "--path", "packetfilter:answers.path", "payload");
  const up = await stack.up();
  expect(up.code, up.text).toBe(0);
  // What is listed as declared may be staged only, by a run that was killed: a commit makes sure.
  expect(node.asked.filter((cmd) => cmd !== "list")).toEqual(["commit"]);
});

it("a module of one's own is looked for beside the program, and what it fails with is told with its line", async () => {
  await using node = await startShapedNode({ [SET]: { [A]: 1 } }, { list: (held) => [...held.keys()].join("|") });
  await using stack = await TestStack.create({
    config: { endpoint: node.endpoint, answers: { read: "./own.cjs" } },
    program: `new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: { "${A}": 1 }, onExisting: "adopt" });`,
  });
  await stack.write("own.cjs", "module.exports = (body) => {\n  return body.no.such;\n};\n");
  const failed = await stack.up("--skip-preview");
  expect(failed.code).not.toBe(0);
  expect(failed.text).toContain("answers.read (./own.cjs:2) failed: Cannot read properties of undefined");
  await stack.write("own.cjs", 'module.exports = (body) => body.split("|").map((p) => ({ p }));\n');
  const up = await stack.up("--skip-preview");
  expect(up.code, up.text).toBe(0);
  // A program in a folder of its own has it there.
  await stack.write("program/own.cjs", await stack.read("own.cjs"));
  await stack.write("program/index.js", await stack.read("index.js"));
  await stack.write("program/package.json", await stack.read("package.json"));
  await stack.write("Pulumi.yaml", "name: journey\nruntime: nodejs\nmain: program/\n");
  await stack.write("own.cjs", "throw new Error('this one is not meant');\n");
  const gate = await stack.preview("--refresh", "--expect-no-changes");
  expect(gate.code, gate.text).toBe(0);
});
