import { expect, it } from "vitest";
import { type Held, type Shape, type ShapedNode, startShapedNode } from "../support/shaped-node";
import { TestStack } from "./support/stack";

const SET = "prefixset://edge/blocked";
const [A, B, C] = ["192.0.2.0/24", "198.51.100.7/32", "2001:db8::/32"];

const split = (prefix: string) => prefix.split("/");
const pairs = (held: Held) => [...held].map(([prefix, value]) => [prefix, value]);

/** Six nodes that answer in ways of their own, each with the settings by which its answers are read. */
const NODES: Record<string, { readonly shape: Shape; readonly settings?: object }> = {
  keyed: {
    shape: { list: (held) => Object.fromEntries(held), success: () => "" },
    settings: { answers: { empty: "{}" } },
  },
  pairs: { shape: { list: (held) => ({ response: { items: pairs(held) } }), success: () => "ok" } },
  apart: {
    shape: {
      list: (held) => ({
        code: 0,
        msg: "ok",
        data: pairs(held).map(([prefix, v]) => ({
          Net: split(String(prefix))[0],
          Len: Number(split(String(prefix))[1]),
          V: v,
        })),
      }),
      success: () => ({ code: 0, msg: "ok" }),
      unknown: [200, { code: 1, msg: "no such set" }],
    },
  },
  elsewhere: {
    shape: {
      list: (held) => ({
        payload: { "v1.rows": pairs(held).map(([p, v]) => ({ p, v })), staged: [{ p: "0.0.0.0/0" }] },
      }),
    },
    settings: { answers: { path: "payload.v1.rows" } },
  },
  renamed: {
    shape: { list: (held) => pairs(held).map(([subnet, weight]) => ({ subnet, weight, value: "?" })) },
    settings: { answers: { names: { prefix: "subnet", value: "weight" } } },
  },
  made: {
    shape: { makesSets: true, list: (held) => ({ rows: held.size ? pairs(held) : null }) },
    settings: { absentSet: "empty" },
  },
};

it("six nodes with shapes of their own: up, no change, drift, repair, destroy", async () => {
  await using all = new AsyncDisposableStack();
  const nodes: Record<string, ShapedNode> = {};
  for (const [name, { shape }] of Object.entries(NODES)) {
    nodes[name] = all.use(await startShapedNode(name === "made" ? {} : { [SET]: {} }, shape));
  }
  const held = () =>
    Object.fromEntries(
      Object.entries(nodes).map(([name, node]) => [name, Object.fromEntries(node.sets.get(SET) ?? [])]),
    );
  const everywhere = (entries: object) => Object.fromEntries(Object.keys(NODES).map((name) => [name, entries]));
  const program = (entries: object) => `
    for (const node of ${JSON.stringify(Object.keys(NODES))}) {
      new pf.PrefixSet(node, { node, arena: "edge", set: "blocked", entries: ${JSON.stringify(entries)} });
    }`;
  const config = Object.fromEntries(
    Object.entries(NODES).map(([name, { settings }]) => [name, { endpoint: nodes[name]?.endpoint, ...settings }]),
  );
  const stack = all.use(await TestStack.create({ config: { nodes: config }, program: program({ [A]: 1, [B]: 7 }) }));

  const up = await stack.up();
  expect(up.code, up.text).toBe(0);
  expect(held()).toEqual(everywhere({ [A]: 1, [B]: 7 }));
  const still = await stack.preview("--refresh", "--expect-no-changes");
  expect(still.code, still.text).toBe(0);

  // Others write what we would not.
  for (const node of Object.values(nodes)) node.sets.get(SET)?.set(B, 1.5).set(C, "drop");
  const drift = await stack.preview("--refresh", "--expect-no-changes");
  expect(drift.code, drift.text).not.toBe(0);
  await stack.program(program({ [A]: 2, [B]: 7 }));
  const repaired = await stack.up("--refresh", "--skip-preview");
  expect(repaired.code, repaired.text).toBe(0);
  expect(held()).toEqual(everywhere({ [A]: 2, [B]: 7 }));

  for (const node of Object.values(nodes)) node.sets.get(SET)?.set(A, "drop");
  const destroyed = await stack.destroy("--refresh");
  expect(destroyed.code, destroyed.text).toBe(0);
  expect(held()).toEqual(everywhere({}));
});

it("an unknown answer of a node names the setting that reads it", async () => {
  await using node = await startShapedNode({ [SET]: { [A]: 1 } }, { list: (held) => ({ payload: pairs(held) }) });
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
