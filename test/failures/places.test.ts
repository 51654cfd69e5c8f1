import { describe, expect, it } from "vitest";
import type { Emulator, EmulatorOptions } from "../../provider/emulator";
import { startOnOwnPort } from "../support/ports";
import { type Declared, MiniEngine } from "./support/engine";
import { HurriedWorld } from "./support/hurried-world";
import { type Config, ProviderProcess } from "./support/provider-process";
import { BLOCKED, entry, NODE, PARTNERS, set, signaling } from "./support/scenarios";

const [P, Q] = ["192.0.2.0/24", "203.0.113.0/24", "2001:db8::/32"];
const QUICK = { commitCoalesceMs: 0, deadlineMs: 2_000, timeoutMs: 500 };
const node = (options: EmulatorOptions = {}) => startOnOwnPort({ state: NODE, ...options });
const named = (nodes: Record<string, { endpoint: string; headers?: Record<string, string> }>, more = {}) => ({
  ...more,
  nodes: Object.fromEntries(
    Object.entries(nodes).map(([name, { endpoint, headers }]) => [name, { ...QUICK, endpoint, headers }]),
  ),
});
const alias = ({ endpoint }: Emulator) => endpoint.replace("127.0.0.1", "localhost");
const blocked = (emulator: Emulator) => emulator.prefixSet(BLOCKED).applied;
const texts = (errors: readonly Error[]) => errors.map(({ message }) => message).join("\n");

/** A stack after its first `up`. */
async function begun(program: readonly Declared[], config: Record<string, unknown>): Promise<MiniEngine> {
  const engine = new MiniEngine(config);
  expect(texts((await engine.up(program)).errors)).toBe("");
  return engine;
}

/** The same stack with another configuration. */
function later(engine: MiniEngine, config: Record<string, unknown>): MiniEngine {
  const next = new MiniEngine(config);
  next.state = engine.state;
  return next;
}

const on = (name: string, entries: unknown = [P, Q], more = {}) => [set(entries, { node: name, ...more })];

describe("an address that is another than that of the state", () => {
  it("gets no credentials of the other: nothing is sent, the error has the remedies", async () => {
    await using old = await node({ auth: { bearer: "old-token" } });
    await using young = await node({ auth: { bearer: "young-token" } });
    const engine = await begun(
      on("fra1"),
      named({ fra1: { endpoint: old.endpoint, headers: { authorization: "Bearer old-token" } } }),
    );
    const moved = later(
      engine,
      named({ fra1: { endpoint: young.endpoint, headers: { authorization: "Bearer young-token" } } }),
    );
    const before = old.journal.length;
    for (const run of [await moved.destroy(), await moved.up([]), await moved.preview([], { refresh: true })]) {
      expect(texts(run.errors)).toContain(`is at ${old.endpoint} according to the state`);
      expect(texts(run.errors)).toContain(`names ${young.endpoint}: nothing was sent`);
      expect(texts(run.errors)).toContain(
        `pulumi config set --path 'packetfilter:nodes.fra1.endpoint' ${old.endpoint}`,
      );
      expect(texts(run.errors)).toContain("pulumi state delete '<urn>'");
      expect(texts(run.errors)).not.toContain("-token");
    }
    // A replacement would end in that delete: it fails before anything is made.
    const both = later(engine, {
      nodes: {
        fra1: { ...QUICK, endpoint: young.endpoint, headers: { authorization: "Bearer young-token" } },
        fra9: { ...QUICK, endpoint: alias(young), headers: { authorization: "Bearer young-token" } },
      },
    });
    expect(texts((await both.up(on("fra9"))).errors)).toContain("nothing was sent");
    expect(old.journal).toHaveLength(before);
    // The look at the place of the replacement, with the credentials of that place.
    expect(young.journal.map(({ cmd, status }) => [cmd, status])).toEqual([["list", 200]]);
    // Another name for the old address has the credentials for it.
    const renamed = later(
      engine,
      named({ edge1: { endpoint: old.endpoint, headers: { authorization: "Bearer old-token" } } }),
    );
    expect(texts((await renamed.destroy()).errors)).toBe("");
    expect(blocked(old)).toEqual({});
  });

  it("and is in no configuration any more, needs credentials, or is dead: the error has the remedy, and new entries stay", async () => {
    const old = await node({ auth: { bearer: "old-token" } });
    await using young = await node();
    const headers = { authorization: "Bearer old-token" };
    const engine = await begun(on("fra1"), named({ fra1: { endpoint: old.endpoint, headers } }));
    const retired = later(engine, named({ fra9: young }));
    const refused = await retired.up(on("fra9"));
    expect(texts(refused.errors)).toMatch(/HTTP 401/);
    await old.close();
    const dead = await retired.up(on("fra9"));
    for (const { errors } of [refused, dead]) {
      expect(texts(errors)).toContain('node "fra1" is not in the configuration any more');
      expect(texts(errors)).toContain(`pulumi config set --path 'packetfilter:nodes.fra1.endpoint' ${old.endpoint}`);
      expect(texts(errors)).toContain("pulumi state delete '<urn>'");
    }
    expect(blocked(young)).toEqual({ [P]: 1, [Q]: 1 });
  });
});

it("an address that is another one than before is said to be one in a preview, and nothing to be lost there", async () => {
  await using machine = await node();
  await using other = await node();
  const engine = await begun(on("fra1"), named({ fra1: machine }));
  const { errors, printed } = await later(engine, named({ fra1: other })).preview(on("fra1"));
  expect(texts(errors)).toBe("");
  expect(printed.join("\n")).toContain(
    `is at ${other.endpoint} now, and was at ${machine.endpoint}: what is missing there was never lost`,
  );
  expect(printed.join("\n")).not.toContain("lacks");
});

it("an address of the environment that is another one than before fails in the preview, with both, and nothing is sent", async () => {
  await using machine = await node();
  await using other = await node();
  const program: Declared[] = [set([P]), entry("single", Q), signaling(["198.51.100.7"])];
  const { clientId = "", secretKey = "" } = machine.clients[0] ?? {};
  const at = ({ endpoint, signalingUrl }: Emulator) => ({
    start: async (config: Config) =>
      new ProviderProcess(config, new HurriedWorld(), {
        PACKETFILTER_ENDPOINT: endpoint,
        PACKETFILTER_SIGNALING_URL: signalingUrl,
        PACKETFILTER_CLIENT_ID: clientId,
        PACKETFILTER_SECRET_KEY: secretKey,
      }),
  });
  const engine = new MiniEngine({ node: QUICK });
  expect(texts((await engine.up(program, at(machine))).errors)).toBe("");
  const changed = [set([P, Q]), entry("single", Q, 2), signaling(["198.51.100.7", "198.51.100.8"])];
  const states = engine.state;
  for (const [index, declared] of [...program, ...changed].entries()) {
    // One resource at a time: the first failure ends a preview.
    engine.state = states.filter(({ name }) => name === declared.name);
    const { errors } = await engine.preview([declared], at(other));
    const [was, is] =
      declared.type === "CloudSignaling"
        ? [machine.signalingUrl, other.signalingUrl]
        : [machine.endpoint, other.endpoint];
    expect(texts(errors), `${index}`).toContain(
      `is at ${was} according to the state, but the environment names ${is}: nothing was sent.`,
    );
    expect(texts((await engine.up([declared], at(other))).errors), `${index}`).toBe(texts(errors));
  }
  expect(other.journal.filter(({ cmd, op }) => cmd !== "list" && op !== "status")).toEqual([]);
  // A refresh knows no program, and asks where the state says.
  engine.state = states.filter(({ name }) => name === "blocked");
  machine.change(BLOCKED, { insert: { [Q]: 1 } });
  expect(texts((await engine.refresh(at(other))).errors)).toBe("");
  expect(engine.state[0]?.outputs.entries).toEqual({ [P]: 1, [Q]: 1 });
});

describe("a receiver", () => {
  const at = (emulator: Emulator, signalingUrl = emulator.signalingUrl) => {
    const { clientId, secretKey } = emulator.clients[0] ?? {};
    return { url: signalingUrl, clientId, secretKey };
  };
  const attack = (receiver: string): Declared[] => [
    { type: "CloudSignaling", name: "attack", args: { prefixes: ["198.51.100.7"], receiver } },
  ];
  const active = (emulator: Emulator) => emulator.signalings["client-a"] ?? [];

  it("at another address than that of the state is not asked, and the error has no secret", async () => {
    await using old = await node();
    await using young = await node();
    const engine = await begun(attack("main"), { receivers: { main: at(old) } });
    for (const config of [{ receivers: { main: at(young) } }, { receivers: {} }]) {
      const run = await later(engine, config).destroy();
      expect(texts(run.errors)).toContain(`The signaling is at ${old.signalingUrl} according to the state`);
      expect(texts(run.errors)).toContain("pulumi config set --path 'packetfilter:receivers.main.url'");
      expect(texts(run.errors)).toContain("pulumi state delete '<urn>'");
      expect(texts(run.errors)).not.toContain(at(old).secretKey);
    }
    const { clientId, secretKey } = at(old);
    const environment = {
      PACKETFILTER_SIGNALING_URL: young.signalingUrl,
      PACKETFILTER_CLIENT_ID: clientId ?? "",
      PACKETFILTER_SECRET_KEY: secretKey ?? "",
    };
    const unnamed = later(engine, {});
    unnamed.state = engine.state.map(({ inputs, outputs, ...it }) => {
      const without = <T extends Record<string, unknown>>({ receiver: _, ...rest }: T) => rest;
      return { ...it, inputs: without(inputs), outputs: without(outputs) };
    });
    const start = async (config: Config) => new ProviderProcess(config, new HurriedWorld(), environment);
    expect(texts((await unnamed.destroy({ start })).errors)).toContain(
      `is at ${old.signalingUrl} according to the state, but the environment names ${young.signalingUrl}`,
    );
    expect([active(old), young.journal]).toEqual([["198.51.100.7/32"], []]);
  });
});

describe("packetfilter:maxRemovals", () => {
  const loop = (count: number, more: object = {}): Declared[] =>
    Array.from({ length: count }, (_, index) => ({
      type: "PrefixSetEntry",
      name: `e${index}`,
      args: { arena: "edge", set: "partners", prefix: `198.51.100.${index}`, ...more },
    }));

  it("lets twenty go always, and does not count what moves to another resource", async () => {
    await using machine = await node();
    const config = { node: QUICK, endpoint: machine.endpoint, maxRemovals: 0 };
    const engine = await begun(loop(60), config);
    expect(texts((await engine.up(loop(40))).errors)).toBe("");
    const renamed = loop(40).map((it) => ({ ...it, name: `new-${it.name}` }));
    expect(texts((await engine.up(renamed)).errors)).toBe("");
    expect(Object.keys(machine.prefixSet(PARTNERS).applied)).toHaveLength(40);
  });

  it("counts entries whose end the program puts into the past, and not those whose time has passed", async () => {
    await using machine = await node();
    const config = { node: QUICK, endpoint: machine.endpoint, maxRemovals: "50%" };
    const engine = await begun(loop(60, { expires: "2999-01-01T00:00:00Z" }), config);
    const over = loop(60, { expires: "2020-01-01T00:00:00Z" });
    expect(texts((await engine.up(over)).errors)).toContain("more than packetfilter:maxRemovals (50%, here 30) allows");
    expect(Object.keys(machine.prefixSet(PARTNERS).applied).length).toBeGreaterThanOrEqual(30);
  });
});

describe("maxChanges", () => {
  const prefixes = Array.from({ length: 60 }, (_, index) => `198.51.100.${index}/32`);
  const loop = (value: number, count = 60): Declared[] =>
    prefixes.map((prefix, index) => ({
      type: "PrefixSetEntry",
      name: `e${index}`,
      args: { arena: "edge", set: "partners", prefix, value: index < count ? value : 1 },
    }));
  const whole = (value: number, count: number): Declared[] => [
    {
      type: "PrefixSet",
      name: "partners",
      args: {
        arena: "edge",
        set: "partners",
        maxChanges: "50%",
        entries: Object.fromEntries(prefixes.map((prefix, index) => [prefix, index < count ? value : 1])),
      },
    },
  ];
  const changed = (machine: Emulator) =>
    Object.values(machine.prefixSet(PARTNERS).applied).filter((value) => value !== 1).length;

  it("of a stack stops a loop at the commit that would pass it, and counts no new entry", async () => {
    await using machine = await node();
    const config = { node: QUICK, endpoint: machine.endpoint, maxChanges: "50%" };
    const engine = await begun(loop(1), config);
    const stopped = await engine.up(loop(0));
    expect(texts(stopped.errors)).toContain("more than packetfilter:maxChanges (50%, here 30) allows");
    expect(texts(stopped.errors)).toContain(`PACKETFILTER_ALLOW=${PARTNERS}`);
    expect(changed(machine)).toBeLessThanOrEqual(30);
    expect(machine.prefixSet(PARTNERS).staged).toEqual(machine.prefixSet(PARTNERS).applied);
    const lifted = later(engine, { ...config, maxChanges: 60 });
    expect(texts((await lifted.up(loop(0))).errors)).toBe("");
    expect(changed(machine)).toBe(60);
  });

  it("of a set is judged again by the list where a node holds other values", async () => {
    await using machine = await node();
    await using other = await node();
    other.change(PARTNERS, { insert: Object.fromEntries(prefixes.map((prefix) => [prefix, 9])) });
    const engine = await begun(whole(1, 0), { node: QUICK, endpoint: machine.endpoint });
    const moved = later(engine, { node: QUICK, endpoint: other.endpoint });
    expect(texts((await moved.up(whole(1, 0))).errors)).toContain(
      "60 of 60 entries would get another value, more than maxChanges (50%, here 30)",
    );
    expect(changed(other)).toBe(60);
  });
});
