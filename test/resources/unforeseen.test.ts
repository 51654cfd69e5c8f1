import { describe, expect, it } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import { type DialectSettings, startEmulator } from "../../provider/emulator";
import { dynamicProvider } from "../../provider/engine/dynamic-provider";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";
import { PrefixSetEntryHandler } from "../../provider/resources/prefix-set-entry/handler";
import { PrefixSetGroupHandler } from "../../provider/resources/prefix-set-group/handler";
import { type Shape, type ShapedNode, startShapedNode } from "../support/shaped-node";

const BLOCKED = "prefixset://edge/blocked";
const [A, B, C] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"];

/** A deployment against a node that answers in its own way. */
async function bench(entries: Record<string, unknown> | undefined, shape: Shape = {}, options: object = {}) {
  const node = await startShapedNode(entries ? { [BLOCKED]: entries } : {}, shape);
  const printed: string[] = [];
  const runtime = () => {
    const print = (line: string) => void printed.push(line.replaceAll(node.endpoint, "NODE"));
    const fresh = new Runtime({ env: {}, print, world: { maxTries: 1 } });
    const timing = { commitCoalesceMs: 0, timeoutMs: 2_000, deadlineMs: 2_500 };
    const config = { endpoint: node.endpoint, node: { ...timing, ...options } };
    fresh.configure((key) => config[key as keyof typeof config]);
    return fresh;
  };
  const args = (entries: Record<string, unknown>, more: object = {}) => ({
    arena: "edge",
    set: "blocked",
    entries,
    ...more,
  });
  const told = (error: unknown) =>
    error instanceof Error ? error.message.replaceAll(/127\.0\.0\.1:\d+/g, "NODE") : "";
  return { node, printed, runtime, args, told, [Symbol.asyncDispose]: () => node[Symbol.asyncDispose]() };
}

const held = (node: ShapedNode) => Object.fromEntries(node.sets.get(BLOCKED) ?? []);

/** Checked inputs of a program, as the engine hands them on. */
function checked(runtime: Runtime, olds: object, news: object) {
  const { inputs, problems } = new PrefixSetHandler(runtime).check(olds as never, news as never);
  expect(problems).toEqual([]);
  return inputs;
}

describe("values that we would not write", () => {
  const FOREIGN = { [B]: 1.5, [C]: "drop", "192.0.2.128/25": -1, "192.0.2.0/25": 2 ** 32, "2001:db8::/32": "" };

  it("are in the state after a refresh, do not stop updates, and go on request", async () => {
    await using provider = await bench({});
    const create = checked(provider.runtime(), {}, provider.args({ [A]: 7 }));
    const { id, outs } = await new PrefixSetHandler(provider.runtime()).create(create);
    for (const [prefix, value] of Object.entries(FOREIGN)) provider.node.sets.get(BLOCKED)?.set(prefix, value);

    const read = await new PrefixSetHandler(provider.runtime()).read(id, outs);
    expect(read?.props).toMatchObject({ entries: { [A]: 7, ...FOREIGN }, count: 6 });
    expect(read?.inputs).toMatchObject({ entries: { [A]: 7, ...FOREIGN } });

    const wanted = provider.args({ [A]: 8, [B]: 2, "192.0.2.0/25": 3 });
    const deployment = provider.runtime();
    const news = checked(deployment, read?.inputs ?? {}, wanted);
    const { outs: after } = await new PrefixSetHandler(deployment).update(id, read?.props ?? {}, news);
    expect(held(provider.node)).toEqual(wanted.entries);

    await new PrefixSetHandler(provider.runtime()).delete(id, after);
    expect(held(provider.node)).toEqual({});
  });

  it("may stay where they are: with ignoreChanges the engine hands in what the state holds", async () => {
    await using provider = await bench({ [A]: 1, [B]: 1.5 });
    const state = provider.args({ [A]: 1, [B]: 1.5 });
    const deployment = provider.runtime();
    const news = checked(deployment, state, state);
    const outs = { ...state, url: BLOCKED, count: 2, endpoint: provider.node.endpoint };
    expect(new PrefixSetHandler(deployment).diff(outs, news)).toEqual({ changes: false });
    const strict = new PrefixSetHandler(provider.runtime()).check({}, state);
    expect(strict.problems).toEqual([
      expect.stringContaining('entries["198.51.100.0/24"]: the value is not an integer'),
    ]);
  });

  it("of one entry are drift as any other value", async () => {
    await using provider = await bench({ [A]: "drop" });
    const state = {
      arena: "edge",
      set: "blocked",
      prefix: A,
      value: 5,
      url: BLOCKED,
      endpoint: provider.node.endpoint,
    };
    const handler = new PrefixSetEntryHandler(provider.runtime());
    const read = await handler.read(`${BLOCKED}#${A}`, state);
    expect(read?.props).toMatchObject({ value: "drop" });
    const ignored = handler.check(read?.inputs ?? {}, read?.inputs ?? {});
    expect(ignored).toEqual({ inputs: read?.inputs, problems: [] });
    expect(handler.check({}, read?.inputs ?? {}).problems).toEqual(["value: is not a number."]);
    expect(handler.diff(read?.props ?? {}, { ...state, value: 5 })).not.toEqual({ changes: false });
    await handler.update("", read?.props ?? {}, { arena: "edge", set: "blocked", prefix: A, value: 5 });
    expect(held(provider.node)).toEqual({ [A]: 5 });
  });
});

describe("the node's own words", () => {
  it("are quoted when what it acknowledged does not show", async () => {
    const success = (cmd: string) => (cmd === "insert" ? { inserted: 0, skipped: 1 } : "queued for review");
    await using provider = await bench({}, { obeys: false, success }, { deadlineMs: 200 });
    const handler = new PrefixSetHandler(provider.runtime());
    const failure = await handler.create(provider.args({ [A]: 1 })).catch(provider.told);
    expect(String(failure).replace(/after \d+ ms/, "after N ms")).toBe(
      `Set prefixset://edge/blocked on http://NODE: committed, but after N ms the node's list does not show 1 entry: ${A}. The node answered insert with {"inserted":0,"skipped":1}, commit with queued for review. Run "pulumi up --refresh" again.`,
    );
  });

  it("are quoted of a refused delete too, which is no failure by itself", async () => {
    const success = (cmd: string) => (cmd === "delete" ? "Error: table is locked" : "ok");
    await using provider = await bench({ [A]: 1 }, { obeys: false, success }, { deadlineMs: 200 });
    const state = { ...provider.args({ [A]: 1 }), url: BLOCKED, count: 1, endpoint: provider.node.endpoint };
    const failure = await new PrefixSetHandler(provider.runtime()).delete(BLOCKED, state).catch(provider.told);
    expect(failure).toContain("the node's list still shows 1 entry: 192.0.2.0/24. ");
    expect(failure).toContain("The node answered delete with Error: table is locked, commit with ok.");
  });

  it("are an error at once, at whatever status", async () => {
    await using provider = await bench(undefined, { unknown: [200, { code: 1, msg: "no such set" }] });
    const failure = await new PrefixSetHandler(provider.runtime())
      .create(provider.args({ [A]: 1 }))
      .catch(provider.told);
    expect(failure).toContain("list failed (HTTP 200): no such set. If the node has no such set: create it there.");
    expect(provider.node.asked).toEqual(["list"]);
  });
});

it.each<DialectSettings>([{ capStatus: 422, tooLargeForm: "html" }, { tooLargeForm: "text-200" }])(
  "a request that is too large is split, however the node says so: %j",
  async (form) => {
    const state = { arenas: { edge: { sets: { blocked: {} } } } };
    await using emulator = await startEmulator({ state, dialect: { maxEntriesPerRequest: 100, ...form } });
    const runtime = new Runtime({ env: {}, print: () => {}, world: { maxTries: 1 } });
    runtime.configure((key: string) => ({ endpoint: emulator.endpoint, node: { commitCoalesceMs: 0 } })[key]);
    const entries = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`10.0.${i >> 8}.${i & 255}/32`, 7]));
    const handler = new PrefixSetHandler(runtime);
    const { id, outs } = await handler.create({ arena: "edge", set: "blocked", entries });
    expect(emulator.prefixSet(BLOCKED).applied).toEqual(entries);
    await handler.delete(id, outs);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
    expect(emulator.requests({ cmd: "commit" })).toHaveLength(2);
  },
);

describe("a set that the node does not know", () => {
  const state = (it: { node: ShapedNode; args: (entries: Record<string, unknown>) => object }) => ({
    ...it.args({ [A]: 1 }),
    url: BLOCKED,
    count: 1,
    endpoint: it.node.endpoint,
  });

  it("is not taken for an empty one where the node says so in words alone", async () => {
    await using provider = await bench(undefined, { unknown: [200, { msg: "no such set", data: [] }] });
    const handler = new PrefixSetHandler(provider.runtime());
    const words =
      'nothing is listed, and beside it stands "no such set". If this is how the node answers an empty list, set answers.success.list: { member: "msg", values: ["no such set"] }.';
    expect(await handler.read(BLOCKED, state(provider)).catch(provider.told)).toContain(words);
    expect(await handler.delete(BLOCKED, state(provider)).catch(provider.told)).toContain(words);
  });

  it.each([{ success: 0 }, { code: 5 }, { status: "denied" }, { detail: "table locked" }])(
    "is not told by an empty list beside %j: a destroy fails, the entries stay its own",
    async (verdict) => {
      await using provider = await bench({ [A]: 1 });
      provider.node.shape = { list: () => ({ ...verdict, data: [] }) };
      const handler = new PrefixSetHandler(provider.runtime());
      const told = await handler.delete(BLOCKED, state(provider)).catch(provider.told);
      expect(told).toMatch(/nothing is listed, and beside it stands .* set answers\.success\.list: /);
      expect(held(provider.node)).toEqual({ [A]: 1 });
      provider.node.shape = {};
      await new PrefixSetHandler(provider.runtime()).delete(BLOCKED, state(provider));
      expect(held(provider.node)).toEqual({});
    },
  );

  it("fails refresh and destroy with the ways out, and a create with fewer", async () => {
    await using provider = await bench(undefined);
    const handler = new PrefixSetHandler(provider.runtime());
    const ways =
      "If the node has no such set any more: create it there; or set answers.absent: \"empty\" of the node, so that the set counts as empty and the first insert creates it, and run the same command with --run-program; or remove the resource from the state with pulumi state delete '<urn>' (pulumi stack --show-urns lists them).";
    expect(await handler.read(BLOCKED, state(provider)).catch(provider.told)).toBe(
      `Set prefixset://edge/blocked on NODE: list failed (HTTP 404): no such set. ${ways}`,
    );
    expect(await handler.delete(BLOCKED, state(provider)).catch(provider.told)).toContain(ways);
    const fewer =
      'If the node has no such set: create it there; or set answers.absent: "empty" of the node, so that the set counts as empty and the first insert creates it.';
    const created = await handler.create(provider.args({ [A]: 1 })).catch(provider.told);
    expect(created).toContain(`${fewer} Nothing was changed`);
    // An import has no state.
    const runtime = provider.runtime();
    const imported = dynamicProvider(new PrefixSetHandler(runtime), runtime).read(BLOCKED, provider.args({}));
    expect(await imported.catch(provider.told)).toMatch(new RegExp(`${fewer.replaceAll(".", "\\.")}$`));
  });

  it("is made by its first insert where the node does that", async () => {
    await using provider = await bench(undefined, { makesSets: true }, { answers: { absent: "empty" } });
    const handler = new PrefixSetHandler(provider.runtime());
    const { id, outs } = await handler.create(provider.args({ [A]: 1, [B]: 2 }));
    expect(held(provider.node)).toEqual({ [A]: 1, [B]: 2 });
    provider.node.sets.clear();
    const read = await new PrefixSetHandler(provider.runtime()).read(id, outs);
    expect(read?.props).toMatchObject({ entries: {}, count: 0 });
    provider.node.asked.length = 0;
    await new PrefixSetHandler(provider.runtime()).delete(id, read?.props ?? {});
    expect(provider.node.asked).toEqual(["list", "delete 2", "commit", "list", "list"]);
  });
});

describe("a node that does not answer", () => {
  const EARLIER = { arena: "edge", set: "blocked", entries: { [A]: 1 }, url: BLOCKED, count: 1 };
  const ENTRY = { arena: "edge", set: "blocked", prefix: A, value: 1, url: BLOCKED };

  it("keeps the state on refresh where the options say so, with one request for all", async () => {
    await using provider = await bench({}, {}, { onUnreachable: "skip" });
    const { endpoint } = provider.node;
    await provider.node[Symbol.asyncDispose]();
    const runtime = provider.runtime();
    const set = await new PrefixSetHandler(runtime).read(BLOCKED, { ...EARLIER, endpoint });
    expect(set).toEqual({
      id: BLOCKED,
      inputs: { arena: "edge", set: "blocked", entries: { [A]: 1 } },
      props: { ...EARLIER, endpoint },
    });
    const entry = await new PrefixSetEntryHandler(runtime).read(`${BLOCKED}#${A}`, { ...ENTRY, endpoint });
    expect(entry).toEqual({
      id: `${BLOCKED}#${A}`,
      inputs: { arena: "edge", set: "blocked", prefix: A, value: 1 },
      props: { ...ENTRY, endpoint },
    });
    expect(provider.printed).toEqual([
      expect.stringMatching(
        /^warning: Set prefixset:\/\/edge\/blocked on NODE: not refreshed, since the node does not answer; its state is kept \(onUnreachable: "skip"\)\. .*no connection/,
      ),
    ]);
  });

  it.each([
    ["a set", PrefixSetHandler, BLOCKED, { entries: {} }],
    ["an entry", PrefixSetEntryHandler, `${BLOCKED}#${A}`, { prefix: A }],
    ["a group", PrefixSetGroupHandler, BLOCKED, { entries: {}, nodes: { n1: {}, n2: {} }, maxUnreachable: 2 }],
  ] as const)(
    "fails an import of %s whatever the options say: there is no state to keep",
    async (_, Kind, id, args) => {
      await using provider = await bench({});
      const { endpoint } = provider.node;
      await provider.node[Symbol.asyncDispose]();
      const node = { onUnreachable: "skip" };
      const config = { endpoint, node, nodes: { n1: { endpoint, ...node }, n2: { endpoint, ...node } } };
      const runtime = provider.runtime();
      runtime.configure((key) => config[key as keyof typeof config]);
      const read = new Kind(runtime).read(id, { arena: "edge", set: "blocked", ...args });
      await expect(read).rejects.toThrow("no connection");
      expect(provider.printed).toEqual([]);
    },
  );

  it("fails a refresh otherwise, and an answer with an error always does", async () => {
    await using provider = await bench(undefined, { unknown: [401, "who are you?"] }, { onUnreachable: "skip" });
    const { endpoint } = provider.node;
    const read = (runtime: Runtime) =>
      new PrefixSetHandler(runtime).read(BLOCKED, { ...EARLIER, endpoint }).catch(provider.told);
    expect(await read(provider.runtime())).toContain("HTTP 401");
    provider.node.shape = { unknown: [503, "busy"] };
    expect(await read(provider.runtime())).toContain("HTTP 503");
    await provider.node[Symbol.asyncDispose]();
    const plain = new Runtime({ env: {}, print: () => {}, world: { maxTries: 1 } });
    plain.configure((key: string) => ({ endpoint })[key]);
    expect(await read(plain)).toContain("no connection");
  });
});
