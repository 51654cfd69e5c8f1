import { describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { type Declared, MiniEngine } from "../failures/support/engine";

const URL = "prefixset://edge/blocked";
const [A, B, C] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"] as const;

/** Nodes with empty sets, by name, and an engine with an empty state whose configuration has them. */
async function bench(...names: string[]) {
  const pairs = await Promise.all(names.map(async (name) => [name, await emptyNode()] as const));
  const nodes = Object.fromEntries(pairs) as Record<string, Emulator>;
  const engine = new MiniEngine({ nodes: configured(nodes) });
  return {
    nodes,
    engine,
    held: () => Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, node.prefixSet(URL).applied])),
    /** What each node was asked since the last call, without those that were asked nothing. */
    asked: () => {
      const all = Object.entries(nodes).map(([name, node]) => [name, node.journal.map(({ cmd }) => cmd)] as const);
      for (const [, node] of pairs) node.clearJournal();
      return Object.fromEntries(all.filter(([, commands]) => commands.length > 0));
    },
    outputs: () => engine.state.find(({ type }) => type === "PrefixSetGroup")?.outputs ?? {},
    [Symbol.asyncDispose]: async () => void (await Promise.all(Object.values(nodes).map((node) => node.close()))),
  };
}

function emptyNode() {
  return startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
}

function configured(nodes: Record<string, Pick<Emulator, "endpoint">>) {
  return Object.fromEntries(Object.entries(nodes).map(([name, { endpoint }]) => [name, { endpoint, maxTries: 1 }]));
}

function group(entries: object, nodes: unknown, more: object = {}): Declared {
  return { type: "PrefixSetGroup", name: "blocked", args: { arena: "edge", set: "blocked", entries, nodes, ...more } };
}

const fine = { errors: [] };
const ALL = ["n1", "n2", "n3"];

describe("a group of three nodes", () => {
  it("is filled, compared, changed, refreshed, repaired and cleared with the least requests", async () => {
    await using stack = await bench(...ALL);
    const { engine, asked, held } = stack;
    const change = ["list", "insert", "commit", "list"];

    expect(await engine.up([group({ [A]: 1, [B]: 1 }, ALL)])).toMatchObject(fine);
    expect(held()).toEqual({ n1: { [A]: 1, [B]: 1 }, n2: { [A]: 1, [B]: 1 }, n3: { [A]: 1, [B]: 1 } });
    expect(asked()).toEqual({ n1: change, n2: change, n3: change });
    expect(stack.outputs()).toMatchObject({
      entries: { [A]: 1, [B]: 1 },
      nodes: { n1: {}, n2: {}, n3: {} },
      url: URL,
      count: 2,
    });
    expect(Object.keys(stack.outputs().endpoints as object)).toEqual(ALL);
    expect(stack.outputs()).not.toHaveProperty("differs");

    expect(await engine.up([group({ [A]: 1, [B]: 1 }, ALL)])).toMatchObject({ ...fine, steps: [] });
    expect(asked()).toEqual({});

    expect(await engine.up([group({ [A]: 1, [B]: 2 }, ALL)])).toMatchObject({ ...fine, steps: ["update blocked"] });
    expect(asked()).toEqual({ n1: change, n2: change, n3: change });

    stack.nodes.n2?.change(URL, { insert: { [C]: 7 }, delete: [A] });
    asked();
    const drift = await engine.preview([group({ [A]: 1, [B]: 2 }, ALL)], { refresh: true });
    expect(drift).toMatchObject({ ...fine, steps: ["update blocked"] });
    expect(asked()).toEqual({ n1: ["list"], n2: ["list"], n3: ["list"] });
    expect(await engine.up([group({ [A]: 1, [B]: 2 }, ALL)], { refresh: true })).toMatchObject(fine);
    expect(asked()).toEqual({ n1: ["list"], n2: ["list", "list", "insert", "delete", "commit", "list"], n3: ["list"] });
    expect(held()).toEqual({ n1: { [A]: 1, [B]: 2 }, n2: { [A]: 1, [B]: 2 }, n3: { [A]: 1, [B]: 2 } });

    expect(await engine.destroy()).toMatchObject(fine);
    expect(held()).toEqual({ n1: {}, n2: {}, n3: {} });
  });

  it("has the drift of one node as lines of that node", async () => {
    await using stack = await bench(...ALL);
    const { engine, outputs } = stack;
    await engine.up([group({ [A]: 1, [B]: 1 }, ALL)]);
    stack.nodes.n2?.change(URL, { insert: { [C]: 7, [B]: 3 }, delete: [A] });
    const before = engine.state[0]?.inputs;
    await engine.refresh();
    const differs = { n2: { [A]: null, [B]: 3, [C]: 7 } };
    expect(engine.state[0]?.inputs).toEqual({ ...before, differs });
    expect(outputs()).toMatchObject({ entries: { [A]: 1, [B]: 1 }, differs, found: { n2: [C] } });
  });
});
