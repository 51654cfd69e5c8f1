import { describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { failureOf, type Properties, ProviderServer, providerText } from "./support/provider-server";

const BLOCKED = "prefixset://edge/blocked";
const SECRET = "canary-4f1c9b";
const TIMING = { timeoutMs: 1_000, deadlineMs: 1_200 };
const IMPATIENT = { node: { ...TIMING, commitCoalesceMs: 5 }, receiver: TIMING };

function node(entries: Record<string, number> = {}): Promise<Emulator> {
  return startEmulator({ state: { arenas: { edge: { sets: { blocked: entries, partners: {} } } } } });
}

const set = (entries: unknown, more: Properties = {}): Properties => ({
  __provider: providerText("PrefixSet"),
  arena: "edge",
  set: "blocked",
  entries,
  ...more,
});

const entry = (prefix: string, more: Properties = {}): Properties => ({
  __provider: providerText("PrefixSetEntry"),
  arena: "edge",
  set: "partners",
  prefix,
  ...more,
});

const signaling = (prefixes: unknown, more: Properties = {}): Properties => ({
  __provider: providerText("CloudSignaling"),
  prefixes,
  ...more,
});

describe("the server's first calls", () => {
  it("find the configuration although they come before configure has ended", async () => {
    await using emulator = await node();
    await using server = await ProviderServer.start({ endpoint: emulator.endpoint, ...IMPATIENT });
    const prefixes = Array.from({ length: 30 }, (_, i) => `203.0.113.${i}/32`);
    const created = await Promise.all(prefixes.map((prefix) => server.create(entry(prefix))));
    expect(created.map(({ id }) => id)).toEqual(prefixes.map((prefix) => `prefixset://edge/partners#${prefix}`));
    expect(Object.keys(emulator.prefixSet("prefixset://edge/partners").applied)).toHaveLength(30);
    expect(emulator.requests({ cmd: "commit" })).toHaveLength(1);
  });

  it("all fail with the same sentence when the configuration makes no sense, later ones too", async () => {
    await using server = await ProviderServer.start({ endpoint: "ftp://192.0.2.1", secretKey: SECRET });
    const checks = await Promise.all([1, 2, 3].map(() => server.check(set(["192.0.2.0/24"]))));
    const later = await server.check(set(["192.0.2.0/24"]));
    for (const { failures } of [...checks, later]) {
      expect(failures).toEqual([{ property: "", reason: expect.stringMatching(/^packetfilter:endpoint: /) }]);
    }
    expect(server.printed).not.toContain(SECRET);
  });

  it("of a type that this version does not know name the type and the remedy", async () => {
    await using server = await ProviderServer.start();
    const failure = await failureOf(server.check({ __provider: providerText("PrefixSett") }));
    expect(failure.error.details).toMatch(/knows no resource type "PrefixSett": install the version/);
  });
});

describe("errors over the wire", () => {
  it("carry a sentence and nothing else: no code, no details, no stack of ours, no secret", async () => {
    await using emulator = await node({ "192.0.2.0/24": 1 });
    const headers = { authorization: `Bearer ${SECRET}` };
    await using server = await ProviderServer.start({ endpoint: emulator.endpoint, headers, ...IMPATIENT });
    const { outputs, id } = await server.create(set({ "192.0.2.0/24": 1 }));
    await using failing = await ProviderServer.start({ endpoint: emulator.endpoint, headers, ...IMPATIENT });
    emulator.fail({ kind: "error", status: 503, message: `down, and I saw ${SECRET}`, times: 1_000 });
    const failures = [
      await failureOf(failing.read(id, outputs)),
      await failureOf(failing.delete(id, outputs)),
      await failureOf(failing.update(id, outputs, set({ "192.0.2.0/24": 2 }))),
      await failureOf(failing.create(set({ "203.0.113.0/24": 1 }))),
    ];
    for (const { error, partial } of failures) {
      expect(error.code).toBe(2);
      expect(error.details).toMatch(
        /^(Set|Signaling) .*prefixset:\/\/edge\/blocked on 127\.0\.0\.1:\d+: list failed \(HTTP 503/,
      );
      expect(partial).toBeUndefined();
    }
    expect(failures[0]?.error.details).toMatch(/--exclude/);
    expect(
      JSON.stringify(failures.map(({ error }) => [error.details, error.metadata.getMap()])) + failing.printed,
    ).not.toContain(SECRET);
    expect(failing.stderr).not.toMatch(/\n\s+at /);
    expect(failing.stderr.match(/list failed/g)).toHaveLength(2);
  });

  it("of a partial failure carry id, reasons and properties with the provider text", async () => {
    await using emulator = await node();
    const { endpoint, signalingUrl } = emulator;
    const { clientId, secretKey } = emulator.clients[0] ?? {};
    await using server = await ProviderServer.start({ endpoint, signalingUrl, clientId, secretKey, ...IMPATIENT });
    emulator.fail({ cmd: "commit", status: 503, times: 1_000 });
    const created = await failureOf(server.create(set({ "192.0.2.0/24": 1 })));
    expect(created.partial).toEqual({
      id: BLOCKED,
      reasons: [created.error.details],
      properties: {
        ...set({}),
        url: BLOCKED,
        count: 0,
        endpoint: emulator.endpoint,
        unsettled: ["192.0.2.0/24"],
      },
    });
    const single = await failureOf(server.create(entry("203.0.113.4/32")));
    expect(single.partial?.properties).toMatchObject({ __provider: providerText("PrefixSetEntry"), absent: true });
    emulator.fail({ op: "start", kind: "lost-answer" });
    emulator.fail({ op: "status", status: 503, nth: 2, times: 1_000 });
    const started = await failureOf(server.create(signaling(["198.51.100.7/32"])));
    expect(started.partial).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      reasons: [started.error.details],
      properties: {
        ...signaling([]),
        started: [],
        unsettled: ["198.51.100.7/32"],
        endpoint: emulator.signalingUrl,
      },
    });
    expect(created.error.details).toMatch(
      /Set prefixset:\/\/edge\/blocked on 127\.0\.0\.1:\d+: commit failed.*"pulumi up" settles that/,
    );
  });
});

describe("values over the wire", () => {
  it("are plain JSON through a whole life: every answer arrives, a deleted resource reads empty", async () => {
    await using emulator = await node();
    await using server = await ProviderServer.start({ endpoint: emulator.endpoint, node: { commitCoalesceMs: 0 } });
    const args = set({ "192.0.2.0/24": { reason: "SYN flood", value: 2 }, "2001:DB8::/32": 1 });
    const { inputs, failures } = await server.check(args);
    expect(failures).toEqual([]);
    expect(inputs).toEqual({ ...args, endpoint: emulator.endpoint });
    const { id, outputs } = await server.create(inputs);
    expect(outputs).toEqual({
      ...inputs,
      entries: { "192.0.2.0/24": 2, "2001:db8::/32": 1 },
      notes: { "192.0.2.0/24": '{"reason":"SYN flood"}' },
      __given: { entries: args.entries },
      url: BLOCKED,
      count: 2,
      endpoint: emulator.endpoint,
    });
    expect(await server.diff(id, outputs, inputs)).toEqual({ changes: "none", replaces: [] });
    // Without inputs the engine keeps those of the state.
    expect(await server.read(id, outputs)).toEqual({ id, outputs, inputs: {} });
    await using next = await ProviderServer.start({ endpoint: emulator.endpoint, node: { commitCoalesceMs: 0 } });
    const { inputs: changed } = await next.check(set({ "192.0.2.0/24": 3 }), inputs);
    expect(await next.diff(id, outputs, changed)).toEqual({ changes: "unknown", replaces: [] });
    const updated = await next.update(id, outputs, changed);
    expect(updated).toEqual({ ...changed, url: BLOCKED, count: 1, endpoint: emulator.endpoint });
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 3 });
    await using last = await ProviderServer.start({ endpoint: emulator.endpoint, ...IMPATIENT });
    await last.delete(id, updated);
    const emptied = await last.read(id, updated);
    expect(emptied.id).toBe(BLOCKED);
    // A refresh notes what the node holds, and leaves what the program declares.
    expect([emptied.outputs.entries, emptied.outputs.count, emptied.inputs]).toEqual([{}, 0, {}]);
    expect(await last.read("gone", entry("192.0.2.9/32"))).toMatchObject({ id: "" });

    const single = await server.create(entry("203.0.113.4/32"));
    expect((await server.read(single.id, single.outputs)).inputs).toEqual({});
    emulator.change("prefixset://edge/partners", { delete: ["203.0.113.4/32"] });
    await using later = await ProviderServer.start({ endpoint: emulator.endpoint, ...IMPATIENT });
    expect((await later.read(single.id, single.outputs)).id).toBe("");
    emulator.fail({ cmd: "list", kind: "unknown-shape", times: 100 });
    await using failing = await ProviderServer.start({ endpoint: emulator.endpoint, ...IMPATIENT });
    expect((await failureOf(failing.read(single.id, single.outputs))).error.details).toMatch(/list failed/);
  });
});
