import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { UNKNOWN } from "../../provider/model/json";
import { useFolder } from "../support/folder";
import { FakeEngine, struct } from "./support/fake-engine";
import { secret } from "./support/secrets";
import { failureOf, held, made, Subject } from "./support/subject";

const BLOCKED = "prefixset://edge/blocked";
const ARGS = { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1, "203.0.113.7": 2 } };
const CANONICAL = { "192.0.2.0/24": 1, "203.0.113.7/32": 2 };
const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;

const folder = useFolder();
let emulator: Emulator;
let engine: FakeEngine;
const blocked = new Subject(() => engine, "PrefixSet", "blocked");

beforeEach(async () => {
  emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} }, profiles: { web: {} } } } } });
  engine = await FakeEngine.start();
});
afterEach(async () => {
  await engine[Symbol.asyncDispose]();
  await emulator.close();
});

/** Each run of an engine has a process of the plugin to itself. */
async function nextRun(settings: object = {}): Promise<void> {
  await engine[Symbol.asyncDispose]();
  engine = await FakeEngine.start();
  await configure(settings);
}

const configure = (more: object = {}, by = engine) =>
  by.call<messages.ConfigureResponse>(
    "configure",
    made(messages.ConfigureRequest, { Args: struct({ endpoint: emulator.endpoint, ...more }) }),
  );
describe("the plugin, called as an engine does,", () => {
  it("shakes hands, and says version, schema and what it makes of a configuration", async () => {
    const hands = await engine.call<messages.ProviderHandshakeResponse>(
      "handshake",
      new messages.ProviderHandshakeRequest(),
    );
    expect([hands.getAcceptSecrets(), hands.getAcceptResources()]).toEqual([true, false]);
    const info = await engine.call<PluginInfo>("getPluginInfo", new Empty());
    const schema = await engine.call<messages.GetSchemaResponse>("getSchema", new messages.GetSchemaRequest());
    expect(JSON.parse(schema.getSchema()).version).toBe(info.getVersion());

    const misspelt = made(messages.CheckRequest, { News: struct({ endpiont: "http://192.0.2.10", maxRemoval: 1 }) });
    const checked = await engine.call<messages.CheckResponse>("checkConfig", misspelt);
    expect(checked.getFailuresList().map((failure) => failure.getReason())).toEqual([
      expect.stringContaining('did you mean "packetfilter:maxRemovals"?'),
    ]);
    expect(engine.logged.map(({ message }) => message)).toEqual([
      expect.stringContaining('did you mean "packetfilter:endpoint"?'),
    ]);
    const wrong = struct({ endpoint: "192.0.2.77/32", signalingUrl: "ftp://192.0.2.10", maxRemovals: "few" });
    const refused = await engine.call<messages.CheckResponse>(
      "checkConfig",
      made(messages.CheckRequest, { News: wrong }),
    );
    expect(refused.getFailuresList().map((failure) => failure.getReason())).toEqual([
      expect.stringContaining("packetfilter:maxRemovals"),
      expect.stringMatching(/^packetfilter:endpoint: /),
      expect.stringMatching(/^packetfilter:signalingUrl: /),
    ]);
    // What is unknown in a preview, and what the environment may give, hides no mistake in another value.
    const partly = struct({
      endpoint: UNKNOWN,
      clientId: UNKNOWN,
      maxEntries: "many",
      forbiddenPrefixes: '["192.0.2.1/24"]',
      shortestPrefix: '{"ipv4": 33}',
      readOnly: "maybe",
      detectDrift: UNKNOWN,
      node: { timeoutMs: "soon" },
      receiver: { timeoutMs: -1 },
      nodes: {
        fra1: { endpoint: "ftp://192.0.2.10" },
        fra2: { endpoint: UNKNOWN },
        fra3: { endpoint: "http://192.0.2.11" },
      },
      receivers: '{"scrub": {"url": "http://192.0.2.12"}}',
    });
    const known = await engine.call<messages.CheckResponse>(
      "checkConfig",
      made(messages.CheckRequest, { News: partly }),
    );
    expect(known.getFailuresList().map((failure) => failure.getReason())).toEqual([
      expect.stringMatching(/^packetfilter:forbiddenPrefixes\[0\]: .*host bits/),
      expect.stringMatching(/^packetfilter:shortestPrefix\.ipv4: is not a length from 0 to 32/),
      expect.stringMatching(/^packetfilter:maxEntries is not a number/),
      expect.stringMatching(/^packetfilter:readOnly is neither/),
      expect.stringMatching(/^packetfilter:node\.timeoutMs: /),
      expect.stringMatching(/^packetfilter:nodes\.fra1\.endpoint: /),
      expect.stringMatching(/^packetfilter:receiver\.timeoutMs: /),
      expect.stringMatching(/^packetfilter:receivers\.scrub\.clientId is missing/),
    ]);
    // As SDKs pass all that is no text: as JSON, with the names in it as the program wrote them.
    const ofSdks = struct({
      nodes: JSON.stringify({ fra_1: { endpoint: "http://192.0.2.10", timeout_ms: 9_000 } }),
      node: JSON.stringify({ endpoint: "https://192.0.2.12", tls: { server_name: "a.example" } }),
      ...{ maxRemovals: '"20%"', detectDrift: '"off"', maxEntries: "5000.0", readOnly: "1" },
    });
    const sound = made(messages.CheckRequest, { News: ofSdks });
    const read = await engine.call<messages.CheckResponse>("checkConfig", sound);
    expect(read.getFailuresList()).toEqual([]);
    // Policies get the settings as the provider reads them.
    expect(held(read.getInputs())).toMatchObject({
      nodes: secret({ fra_1: { endpoint: "http://192.0.2.10", timeoutMs: 9_000 } }),
      maxRemovals: "20%",
    });
    const rotated = made(messages.DiffRequest, {
      OldInputs: struct({ endpoint: "http://192.0.2.10", secretKey: "former" }),
      News: struct({ endpoint: "http://192.0.2.10", secretKey: "present" }),
    });
    const differs = await engine.call<messages.DiffResponse>("diffConfig", rotated);
    expect([differs.getChanges(), differs.getReplacesList(), differs.getDiffsList()]).toEqual([
      DIFF_SOME,
      [],
      ["secretKey"],
    ]);
    const ready = await configure();
    expect([ready.getAcceptsecrets(), ready.getSupportspreview()]).toEqual([true, true]);
  });

  it("fails a preview of a create that up would fail, and sends nothing that changes", async () => {
    await configure();
    emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 9 } });
    const inputs = await blocked.checked({ ...ARGS, onExisting: "fail" });
    const foreseen = await blocked.create(inputs, true).catch((error: Error) => error);
    expect(foreseen).toBeInstanceOf(Error);
    expect(String(foreseen)).toContain("192.0.2.0/24");
    expect(emulator.requests().map(({ cmd }) => cmd)).toEqual(["list"]);
  });

  it("warns in a preview of a create in a set that is not there: another resource of the program may make it", async () => {
    await configure();
    const partners = new Subject(() => engine, "PrefixSet", "partners");
    const inputs = await partners.checked({ ...ARGS, set: "partners" });
    const foreseen = held((await partners.create(inputs, true)).getProperties());
    expect(foreseen).toMatchObject({ url: "prefixset://edge/partners", count: 2 });
    const unreadable = engine.logged.filter(({ message }) => message.includes("cannot be read"));
    expect(unreadable.map(({ about }) => about)).toEqual(["partners"]);
    // Another writer's entries there would count, too.
    const adopting = await partners.create({ ...inputs, onExisting: "adopt" }, true);
    expect(held(adopting.getProperties()).count).toBe(UNKNOWN);
  });

  it.each([
    ["refuses the credentials", { status: 403 }],
    ["lists in an unknown shape", { kind: "unknown-shape" }],
  ] as const)("fails a preview of a create where the node %s", async (_, fault) => {
    await configure();
    emulator.fail({ cmd: "list", times: 99, ...fault });
    const inputs = await blocked.checked(ARGS);
    await expect(blocked.create(inputs, true)).rejects.toThrow("up would fail.");
  });

  it("checks, foresees, creates, compares, reads, updates and deletes a set, each line at its resource", async () => {
    await configure();
    const inputs = await blocked.checked(ARGS);
    expect(inputs).toEqual(ARGS);
    const foreseen = held((await blocked.create(inputs, true)).getProperties());
    expect(foreseen).toMatchObject({ url: BLOCKED, count: 2, entries: CANONICAL });
    expect(emulator.requests({ cmd: "insert" })).toEqual([]);

    const created = await blocked.create(inputs);
    expect(created.getId()).toBe(BLOCKED);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual(CANONICAL);
    expect(engine.logged.map(({ about, message }) => `${about}: ${message}`)).toContainEqual(
      expect.stringMatching(/^blocked: .*prefixset:\/\/edge\/blocked: 2 entries declared$/),
    );

    const of = { id: BLOCKED, state: held(created.getProperties()), inputs };
    await nextRun();
    const news = await blocked.checked({ ...ARGS, entries: { ...ARGS.entries, "192.0.2.0/24": 5 } }, inputs);
    expect((await blocked.diff({ ...of, news: inputs })).getChanges()).toBe(DIFF_NONE);
    const differs = await blocked.diff({ ...of, news });
    const kinds = differs.getDetaileddiffMap().getEntryList() as unknown as [string, messages.PropertyDiff][];
    expect(kinds.map(([path]) => path)).toEqual(['entries["192.0.2.0/24"]']);
    const moved = await blocked.diff({ ...of, news: { ...inputs, set: "partners" } });
    expect(moved.getReplacesList()).toEqual(["set"]);

    const updated = held((await blocked.update({ ...of, news })).getProperties());
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ ...CANONICAL, "192.0.2.0/24": 5 });

    emulator.change(BLOCKED, { insert: { "198.51.100.0/25": 9 } });
    await nextRun();
    const found = await blocked.read(BLOCKED, updated, news);
    expect(held(found.getInputs())).toMatchObject({
      entries: { ...ARGS.entries, "192.0.2.0/24": 5, "198.51.100.0/25": 9 },
    });
    await blocked.delete(BLOCKED, held(found.getProperties()));
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
  });

  it("removes what a killed run left with a destroy of its stack, not of another one with an equal state", async () => {
    const begin = async () => {
      await engine[Symbol.asyncDispose]();
      engine = await FakeEngine.start({ PULUMI_HOME: folder });
      await configure();
    };
    await begin();
    const inputs = await blocked.checked(ARGS);
    const state = held((await blocked.create(inputs)).getProperties());
    const more = { "198.51.100.0/25": 9 };
    await begin();
    const news = await blocked.checked({ ...ARGS, entries: { ...ARGS.entries, ...more } }, inputs);
    await blocked.update({ id: BLOCKED, state, inputs, news });
    engine.kill();
    await begin();
    await new Subject(() => engine, "PrefixSet", "blocked", "other").delete(BLOCKED, state);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual(more);
    await begin();
    await blocked.delete(BLOCKED, state);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
  });

  it("names arguments in a failure as Python writes them, too, where no class of this package checked them", async () => {
    await configure();
    const told = async (more: object) =>
      (await blocked.check({ ...ARGS, onExisting: "Adopt", ...more })).getFailuresList().map((one) => one.getReason());
    const wrong = "onExisting: is neither 'fail' nor 'adopt'.";
    expect(await told({})).toEqual([`${wrong} In Python: on_existing.`]);
    expect(await told({ __said: { name: "blocked" } })).toEqual([wrong]);
  });

  it("begins anew for each engine that attaches it: another configuration, lines for that engine, and nothing declared yet", async () => {
    await configure();
    const inputs = await blocked.checked(ARGS);
    const state = held((await blocked.create(inputs)).getProperties());
    await blocked.delete(BLOCKED, state);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual(CANONICAL);

    await using next = await engine.attaching();
    await using moved = await startEmulator({ state: { arenas: { edge: { sets: { blocked: CANONICAL } } } } });
    await configure({ endpoint: moved.endpoint }, next);
    const known = engine.logged.length;
    const same = new Subject(() => next, "PrefixSet", "blocked");
    // A refresh of the next engine checks nothing: the option of the program that it may run later is not judged.
    const other = { id: BLOCKED, state, inputs, news: inputs, ignoreChanges: ['entries["198.51.100.0/24"]'] };
    expect((await same.diff({ ...other, state: { ...state, endpoint: moved.endpoint } })).getReplacesList()).toEqual(
      [],
    );
    await same.delete(BLOCKED, { ...state, endpoint: moved.endpoint });
    expect([emulator.prefixSet(BLOCKED).applied, moved.prefixSet(BLOCKED).applied]).toEqual([CANONICAL, {}]);
    expect(engine.logged.slice(known)).toEqual([]);
    expect(next.logged.map(({ message }) => message)).toEqual([
      `Set ${BLOCKED} on ${moved.endpoint}: 2 entries were removed with the resource: 192.0.2.0/24, 203.0.113.7/32.`,
    ]);
  });

  it("foresees of an update what it then answers, without what the program no longer says", async () => {
    await configure();
    const noted = { "192.0.2.0/24": { value: 1, reason: "SYN flood" }, "203.0.113.7": 2 };
    const inputs = await blocked.checked({
      ...ARGS,
      entries: noted,
      maxRemovals: 1,
      forbiddenPrefixes: ["10.0.0.0/8"],
    });
    const state = held((await blocked.create(inputs)).getProperties());
    await nextRun();
    const of = { id: BLOCKED, state, inputs, news: await blocked.checked(ARGS, inputs) };
    const foreseen = held((await blocked.update({ ...of, preview: true })).getProperties());
    const updated = held((await blocked.update(of)).getProperties());
    expect(foreseen).toEqual({ ...updated, endpoint: UNKNOWN });
  });

  it("foresees a replacement where the program names a set that is not known, and none where only the engine asks so", async () => {
    await configure({ detectDrift: "off" });
    const partners = new Subject(() => engine, "PrefixSet", "partners");
    const [inputs, others] = [await blocked.checked(ARGS), await partners.checked({ ...ARGS, set: "partners" })];
    const unknown = await blocked.checked({ ...ARGS, set: UNKNOWN }, inputs);
    const asked = await blocked.diff({ id: BLOCKED, state: inputs, inputs, news: unknown });
    expect(asked.getReplacesList()).toEqual(["set"]);
    const state = { id: "prefixset://edge/partners", state: others, inputs: others };
    const ofEngine = await partners.diff({ ...state, news: { ...others, set: UNKNOWN } });
    expect(ofEngine.getReplacesList()).toEqual([]);
  });

  it("says of what failed half-way which state is true of it", async () => {
    await configure({ node: { deadlineMs: 1_000 } });
    const inputs = await blocked.checked(ARGS);
    emulator.fail({ cmd: "commit", times: 40, status: 400 });
    const { text, partial } = await failureOf(blocked.create(inputs));
    expect(text).toContain(`Set ${BLOCKED}`);
    expect(partial?.getId()).toBe(BLOCKED);
    expect(partial?.getReasonsList()).toHaveLength(1);
    expect(held(partial?.getProperties())).toMatchObject({ arena: "edge", set: "blocked" });
  });

  it("leaves another value at a node of a group where the program ignores its changes", async () => {
    await using other = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
    const nodes = { fra1: { endpoint: emulator.endpoint }, ams1: { endpoint: other.endpoint } };
    await configure({ nodes });
    const group = new Subject(() => engine, "PrefixSetGroup", "everywhere");
    const args = { arena: "edge", set: "blocked", nodes: ["fra1", "ams1"] };
    const inputs = await group.checked({ ...args, entries: CANONICAL });
    const state = held((await group.create(inputs)).getProperties());
    const [changed] = Object.keys(CANONICAL);
    other.change(BLOCKED, { insert: { [String(changed)]: 9 } });

    await nextRun({ nodes });
    const of = { id: BLOCKED, state, inputs, ignoreChanges: [`entries["${changed}"]`] };
    const same = await group.checked({ ...args, entries: CANONICAL }, inputs);
    // The check does not know the option yet.
    expect(same.restores).toBe(
      `ams1: 1 other value: ${changed} has the value 9, not 1; values that ignoreChanges covers stay`,
    );
    expect((await group.diff({ ...of, news: same })).getChanges()).toBe(DIFF_NONE);

    await nextRun({ nodes });
    const news = await group.checked({ ...args, entries: { ...CANONICAL, "198.51.100.0/25": 1 } }, inputs);
    expect((await group.diff({ ...of, news })).getChanges()).toBe(DIFF_SOME);
    await group.update({ ...of, news });
    expect(other.prefixSet(BLOCKED).applied).toEqual({ ...CANONICAL, [String(changed)]: 9, "198.51.100.0/25": 1 });
  });

  it("shows what a run left open at the nodes of a list, and no node that leaves", async () => {
    await using other = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
    const nodes = { fra1: { endpoint: emulator.endpoint }, ams1: { endpoint: other.endpoint } };
    await configure({ nodes });
    const group = new Subject(() => engine, "PrefixSetGroup", "everywhere");
    const args = { arena: "edge", set: "blocked", entries: CANONICAL, nodes: ["fra1", "ams1"] };
    const inputs = await group.checked(args);
    const created = held((await group.create(inputs)).getProperties());
    await nextRun({ nodes });
    const of = { id: BLOCKED, inputs, news: await group.checked(args, inputs) };
    const differs = await group.diff({ ...of, state: { ...created, failed: ["ams1"] } });
    const paths = differs.getDetaileddiffMap().getEntryList() as unknown as [string][];
    expect(paths.map(([path]) => path)).toEqual(["failed"]);
  });

  it("imports a group by its url and nodes: what they hold alike stands once, the rest with its node", async () => {
    await using other = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
    emulator.change(BLOCKED, { insert: { ...CANONICAL, "198.51.100.0/25": 9 } });
    other.change(BLOCKED, { insert: CANONICAL });
    const nodes = { fra1: { endpoint: emulator.endpoint }, ams1: { endpoint: other.endpoint } };
    await configure({ nodes });
    const group = new Subject(() => engine, "PrefixSetGroup", "everywhere");
    const read = await group.read(`${BLOCKED}@fra1, ams1`);
    expect(read.getId()).toBe(BLOCKED);
    const content = { entries: CANONICAL, nodes: { ams1: {}, fra1: { entries: { "198.51.100.0/25": 9 } } } };
    expect(held(read.getInputs())).toEqual({ arena: "edge", set: "blocked", ...content });
    const state = held(read.getProperties());
    expect(state).toMatchObject({
      ...content,
      endpoints: { fra1: emulator.endpoint, ams1: other.endpoint },
    });

    const news = await group.checked({ arena: "edge", set: "blocked", ...content }, held(read.getInputs()));
    const same = await group.diff({ id: BLOCKED, state, inputs: held(read.getInputs()), news });
    expect(same.getChanges()).toBe(DIFF_NONE);
  });

  it.each([
    ["PrefixSet", BLOCKED, { node: "fra1" }, { entries: CANONICAL }],
    ["PrefixSetEntry", `${BLOCKED}#203.0.113.7`, { node: "fra1", value: 9 }, { prefix: "203.0.113.7/32", value: 2 }],
    ["PrefixSetGroup", BLOCKED, { nodes: ["fra1"] }, { entries: CANONICAL, endpoints: { fra1: expect.any(String) } }],
  ])(
    "reads in a lookup of a %s what the id names, at the node that the arguments name",
    async (type, id, at, found) => {
      await configure({ endpoint: null, nodes: { fra1: { endpoint: emulator.endpoint } } });
      emulator.change(BLOCKED, { insert: CANONICAL });
      const looked = new Subject(() => engine, type, "looked");
      const place = { arena: "edge", profile: "web", set: "other", prefix: "198.51.100.0/24" };
      for (const contrary of [{}, place])
        expect(held((await looked.read(id, { ...contrary, ...at })).getProperties())).toMatchObject({
          set: "blocked",
          ...found,
        });
    },
  );

  it("takes the names of Python in the dictionaries of a provider and of a function", async () => {
    const [client] = emulator.clients;
    const receivers = {
      main_1: { url: emulator.signalingUrl, client_id: client?.clientId, secret_key: client?.secretKey },
    };
    await configure({ receivers: JSON.stringify(receivers) });
    emulator.signal("client-a", { start: ["198.51.100.7"] });
    const invoke = async (token: string, args: object) => {
      const request = made(messages.InvokeRequest, { Tok: `packetfilter:index:${token}`, Args: struct(args) });
      return (await engine.call<messages.InvokeResponse>("invoke", request)).getReturn()?.toJavaScript();
    };
    expect(await invoke("getSignalings", { receiver: "main_1" })).toEqual({ prefixes: ["198.51.100.7/32"] });
    const file = join(folder, "networks.csv");
    writeFileSync(file, "net,size\n192.0.2.0,25\n");
    const columns = { prefix: "net", prefix_length: "size" };
    expect(await invoke("readPrefixFile", { file, columns })).toEqual({ entries: { "192.0.2.0/25": { value: 1 } } });
    // Where `block --now` put an entry, so that the next up removes it there although it has expired.
    const entry = { value: 1, expires: "2020-01-01T00:00:00Z", sent: `1 ${BLOCKED} ${emulator.endpoint}` };
    const blocks = join(folder, "blocks.json");
    writeFileSync(blocks, JSON.stringify({ "192.0.2.0/24": entry }));
    expect(await invoke("readPrefixFile", { file: blocks })).toEqual({ entries: { "192.0.2.0/24": entry } });
  });

  it("imports a signaling whose prefixes are active, and no other", async () => {
    const [client] = emulator.clients;
    await configure({ signalingUrl: emulator.signalingUrl, clientId: client?.clientId, secretKey: client?.secretKey });
    emulator.signal("client-a", { start: ["198.51.100.7"] });
    const attack = new Subject(() => engine, "CloudSignaling", "attack");
    expect((await attack.read("198.51.100.7")).getId()).toBe("198.51.100.7/32");
    const { text } = await failureOf(attack.read("198.51.100.7,198.51.100.8"));
    expect(text).toContain(`Nothing was imported: 198.51.100.8/32 is not active at ${emulator.signalingUrl}`);
  });

  it("answers read functions, and names a function that there is not", async () => {
    await configure();
    const invoke = (token: string, args: object) =>
      engine.call<messages.InvokeResponse>("invoke", made(messages.InvokeRequest, { Tok: token, Args: struct(args) }));
    emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 3 } });
    const web = { arena: "edge", profile: "web" };
    for (const [name, args, answer] of [
      ["getProfiles", { arena: "edge" }, { profiles: [{ name: "web" }] }],
      ["getRules", web, { rules: [] }],
      ["getMarks", { ...web, type: "shost" }, { marks: [] }],
      ["getPrefixSet", { arena: "edge", set: "blocked" }, { entries: { "192.0.2.0/24": 3 } }],
    ] as const) {
      const found = await invoke(`packetfilter:index:${name}`, args);
      expect(found.getReturn()?.toJavaScript()).toMatchObject(answer);
    }
    await expect(invoke("packetfilter:index:getProfiles", { arena: 7, profil: "web" })).rejects.toThrow(
      /getProfiles: arena: [^{}]+\. [^{}]*"profil"[^{}]*\.$/,
    );
    await expect(invoke("packetfilter:index:getProfile", {})).rejects.toThrow(
      "There is no function packetfilter:index:getProfile.",
    );
  });

  it("lists entries and signalings by the ids with which they are imported, and says why it lists no sets", async () => {
    const [client] = emulator.clients;
    // As `pulumi do` names what an environment could give.
    const receiver = { signalingUrl: emulator.signalingUrl, clientId: client?.clientId, secretKey: client?.secretKey };
    await configure({ ...receiver, maxEntries: null });
    emulator.change(BLOCKED, { insert: CANONICAL });
    emulator.signal("client-a", { start: ["198.51.100.7"] });
    const set = { arena: "edge", set: "blocked" };
    const entries = Object.keys(CANONICAL).map((prefix) => `${BLOCKED}#${prefix}`);
    expect(await engine.listed("packetfilter:index:PrefixSetEntry", set)).toEqual(entries);
    expect(await engine.listed("packetfilter:index:PrefixSetEntry", set, 1)).toEqual(entries.slice(0, 1));
    expect(await engine.listed("packetfilter:index:PrefixSetEntry", { ...set, set: UNKNOWN })).toEqual(["unknown"]);
    expect(await engine.listed("packetfilter:index:CloudSignaling", {})).toEqual(["198.51.100.7/32"]);
    await expect(engine.listed("packetfilter:index:PrefixSet", {})).rejects.toThrow(/name no sets/);
  });

  it("takes the engine's address from behind the flags that an engine passes on", async () => {
    await engine[Symbol.asyncDispose]();
    engine = await FakeEngine.start({}, ["--logtostderr", "-v=3", "--tracing", "http://192.0.2.9:9411/api/v1/spans"]);
    await configure();
    await blocked.create(await blocked.checked(ARGS));
    expect(engine.logged.map(({ about }) => about)).toContain("blocked");
  });

  it.each([
    ["is interrupted", async () => engine.interrupt()],
    ["loses its engine", async () => engine.die()],
  ])("answers what is under way when it is cancelled, and ends when it %s", async (_, end) => {
    await configure();
    const inputs = await blocked.checked(ARGS);
    emulator.fail({ cmd: "commit", kind: "delay", delay: "1s" });
    const created = blocked.create(inputs);
    while (emulator.requests({ cmd: "insert" }).length === 0) await new Promise((done) => setTimeout(done, 20));
    await engine.call("cancel", new Empty());
    expect((await created).getId()).toBe(BLOCKED);
    await end();
    expect(await engine.ended()).toBe(0);
  });
});
