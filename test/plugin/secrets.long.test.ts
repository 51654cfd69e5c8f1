import type { ServiceError } from "@grpc/grpc-js";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { FakeEngine, struct } from "./support/fake-engine";
import { inTheClear, secret } from "./support/secrets";
import { held, made, Subject } from "./support/subject";

const CANARY = "canary-7c1f09";
const BLOCKED = "prefixset://edge/blocked";
const SET = { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } };
const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;

let emulator: Emulator;
let engine: FakeEngine;
const blocked = new Subject(() => engine, "PrefixSet", "blocked");
const attack = new Subject(() => engine, "CloudSignaling", "attack");

beforeEach(async () => {
  emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
  engine = await FakeEngine.start({ PACKETFILTER_SECRET_KEY: CANARY });
});
afterEach(async () => {
  await engine[Symbol.asyncDispose]();
  await emulator.close();
});

const configure = (config: object = {}) =>
  engine.call("configure", made(messages.ConfigureRequest, { Args: struct(config) }));

/** Properties that generated SDKs pass in the clear, since they mark only what stands at the top. */
const WITH_CREDENTIALS: [string, object][] = [
  ["headers of a node", { node: { endpoint: "http://192.0.2.10", headers: { Authorization: CANARY } } }],
  ["the key of a node's certificate", { node: { endpoint: "https://192.0.2.10", tls: { key: CANARY, cert: "c" } } }],
  ["the same as JSON", { node: { endpoint: "https://192.0.2.10", tls: JSON.stringify({ key: CANARY, cert: "c" }) } }],
  ["a password in an address", { node: { endpoint: `http://admin:${CANARY}@192.0.2.10` } }],
];

describe("credentials that a program hands over in the clear", () => {
  it.each(WITH_CREDENTIALS)("are secret in the inputs: %s", async (_, connection) => {
    await configure({ detectDrift: "off" });
    const inputs = await blocked.checked({ ...SET, ...connection });
    expect(inTheClear(inputs)).not.toContain(CANARY);
    expect(inputs.node).toEqual(secret(expect.anything()));
    expect(inputs.entries).toEqual(SET.entries);
  });

  it("are secret in what a preview foresees, in the state, after a read and in a look-up by id", async () => {
    await configure();
    const node = { endpoint: emulator.endpoint, headers: { "X-Canary": CANARY } };
    const inputs = await blocked.checked({ ...SET, node });
    const foreseen = await blocked.create(inputs, true);
    const created = held((await blocked.create(inputs)).getProperties());
    const found = await blocked.read(BLOCKED, created, inputs);
    const known = await blocked.read(BLOCKED, { ...SET, entries: {}, node });
    expect(held(known.getInputs())).toMatchObject({ node: secret(node), entries: SET.entries });
    for (const properties of [foreseen, found, known].map((answer) => held(answer.getProperties())).concat(created)) {
      expect(properties.node).toEqual(secret(node));
      expect(inTheClear(properties)).not.toContain(CANARY);
    }
    for (const answer of [found, known]) expect(inTheClear(held(answer.getInputs()))).not.toContain(CANARY);
  });

  it("are secret in a rollout's check and in the settings of a provider", async () => {
    const group = new Subject(() => engine, "PrefixSetGroup", "everywhere");
    await configure({ detectDrift: "off" });
    const check = { url: "https://health.example/{node}", headers: { Authorization: CANARY } };
    const inputs = await group.checked({ ...SET, nodes: ["fra1"], rollout: { waves: [1], check } });
    expect(inTheClear(inputs)).not.toContain(CANARY);

    const settings = {
      headers: { Authorization: CANARY },
      secretKey: CANARY,
      node: JSON.stringify({ headers: { Authorization: CANARY } }),
      receiver: { secretKey: CANARY },
      nodes: JSON.stringify({ fra1: { endpoint: "http://192.0.2.10", headers: { Authorization: CANARY } } }),
      receivers: { main: { url: "http://192.0.2.11", clientId: "a", secretKey: CANARY } },
      signalingUrl: `https://user:${CANARY}@192.0.2.12`,
    };
    const checkConfig = (News: object) =>
      engine.call<messages.CheckResponse>("checkConfig", made(messages.CheckRequest, { News: struct(News) }));
    const checked = await checkConfig({ endpoint: "http://192.0.2.10", ...settings });
    // What an SDK writes as JSON is answered as what it says.
    const said = { ...settings, node: JSON.parse(settings.node), nodes: JSON.parse(settings.nodes) };
    const kept = Object.fromEntries(Object.entries(said).map(([name, value]) => [name, secret(value)]));
    expect(held(checked.getInputs())).toEqual({ endpoint: "http://192.0.2.10", ...kept });
    // The engine prints the whole value of a property that a failure names.
    for (const address of [`https://user:${CANARY}#@192.0.2.10`, `ftp://user:${CANARY}@192.0.2.10`])
      for (const name of ["endpoint", "signalingUrl"]) {
        const failures = (await checkConfig({ [name]: address })).getFailuresList();
        expect(failures.map((failure) => [failure.getProperty(), failure.getReason()])).toEqual([
          ["", expect.not.stringContaining(CANARY)],
        ]);
      }
  });

  it("that an earlier version left in the state make an update of it, which sends nothing", async () => {
    await configure();
    const node = { endpoint: emulator.endpoint, headers: { "X-Canary": CANARY } };
    const inputs = await blocked.checked({ ...SET, node });
    const state = held((await blocked.create(inputs)).getProperties());
    const of = { id: BLOCKED, inputs, news: inputs };
    expect((await blocked.diff({ ...of, state })).getChanges()).toBe(DIFF_NONE);
    const differs = await blocked.diff({ ...of, state: { ...state, node } });
    expect([differs.getChanges(), differs.getDiffsList()]).toEqual([DIFF_SOME, ["node"]]);

    emulator.clearJournal();
    const updated = await blocked.update({ ...of, state: { ...state, node } });
    expect(held(updated.getProperties()).node).toEqual(secret(node));
    expect(emulator.requests({ cmd: "insert" })).toEqual([]);
  });

  it("is not asked of the environment by an SDK, which would keep it, nor is an address: the plugin reads both itself", async () => {
    const schema = await engine.call<messages.GetSchemaResponse>("getSchema", new messages.GetSchemaRequest());
    expect(schema.getSchema()).not.toContain("defaultInfo");
    await engine[Symbol.asyncDispose]();
    const [client] = emulator.clients;
    engine = await FakeEngine.start({
      PACKETFILTER_ENDPOINT: emulator.endpoint,
      PACKETFILTER_SIGNALING_URL: emulator.signalingUrl,
      PACKETFILTER_CLIENT_ID: client?.clientId ?? "",
      PACKETFILTER_SECRET_KEY: client?.secretKey ?? "",
    });
    await configure();
    await blocked.create(await blocked.checked({ ...SET, entries: { "198.51.100.9": 1 } }));
    expect(emulator.requests({ cmd: "commit" })).not.toEqual([]);
    await attack.create(await attack.checked({ prefixes: ["198.51.100.7"] }));
    expect(Object.values(emulator.signalings).flat()).toEqual(["198.51.100.7/32"]);
  });
});

it("prefixes of a signaling that are secret are so in the state of one that failed half-way", async () => {
  const nextRun = async () => {
    await engine[Symbol.asyncDispose]();
    engine = await FakeEngine.start();
    const [client] = emulator.clients;
    await configure({ signalingUrl: emulator.signalingUrl, clientId: client?.clientId, secretKey: client?.secretKey });
  };
  const given = (prefix: string) => attack.checked({ prefixes: secret([prefix]) });
  await nextRun();
  const inputs = await given("198.51.100.7");
  const created = await attack.create(inputs);
  await nextRun();
  emulator.fail({ op: "stop", times: 40, status: 400 });
  const of = { id: created.getId(), state: held(created.getProperties()), inputs, news: await given("198.51.100.8") };
  const error = (await attack.update(of).catch((failed) => failed)) as ServiceError;
  const [packed] = error.metadata.get("grpc-status-details-bin");
  const [detail] = Status.deserializeBinary(packed as Buffer).getDetailsList();
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array());
  const state = held(failed.getProperties());
  expect(state.started).toEqual(secret(["198.51.100.7/32", "198.51.100.8/32"]));
  expect(inTheClear(state) + error.details).not.toContain("198.51.100.");
});

it("what a resource or an argument keeps as a secret stands in no failure of a read function", async () => {
  await configure({ endpoint: emulator.endpoint, detectDrift: "off" });
  await blocked.checked({ ...SET, entries: secret({ "198.51.100.77": 1 }) });
  const why = `no list of 198.51.100.77 for ${CANARY}, skip it`;
  emulator.fail({ cmd: "list", kind: "error", status: 400, message: why, times: 3 });
  const failureOf = async (set: unknown, node?: object) => {
    const args = struct({ arena: "edge", set, ...(node && { node }) });
    const request = made(messages.InvokeRequest, { Tok: "packetfilter:index:getPrefixSet", Args: args });
    const failure = await engine.call("invoke", request).catch((error: ServiceError) => error);
    return (failure as ServiceError).details;
  };
  expect(await failureOf("blocked")).toMatch(/no list of \[secret\] for/);
  // Of a node with a secret header, the other words are none.
  const headers = { "X-Canary": secret(CANARY) };
  const node = { endpoint: emulator.endpoint, onUnreachable: "skip", headers };
  expect(await failureOf("blocked", node)).toMatch(/no list of \[secret\] for \[secret\], skip it/);
  const hidden = await failureOf(secret(CANARY));
  expect(hidden).toContain("[secret]");
  expect(hidden).not.toContain(CANARY);
});

const [KEPT, LEFT, CAME, HOST] = ["192.0.2.55", "192.0.2.56", "192.0.2.57", "192.0.2.58/24"];
/** Secret arguments in the forms in which programs give them: nothing of them is named anywhere. */
const SECRET_FORMS: [string, (...prefixes: string[]) => object][] = [
  ["a secret map", (...prefixes) => ({ entries: secret(Object.fromEntries(prefixes.map((prefix) => [prefix, 1]))) })],
  ["a secret list", (...prefixes) => ({ entries: secret(prefixes) })],
  ["secret elements", (...prefixes) => ({ entries: prefixes.map(secret) })],
];

it.each(SECRET_FORMS)("no prefix of %s is in a line, an error, a path or a state", async (_, form) => {
  const nextRun = async () => {
    await engine[Symbol.asyncDispose]();
    engine = await FakeEngine.start();
    await configure({ endpoint: emulator.endpoint });
  };
  const args = (...prefixes: string[]) => ({ arena: "edge", set: "blocked", ...form(...prefixes) });
  const texts: unknown[] = [];
  await nextRun();
  const refused = await blocked.check(args(HOST, "https://192.0.2.55/"));
  texts.push(refused.getFailuresList().map((failure) => failure.getReason()));
  expect(texts.flat()).toHaveLength(2);
  const inputs = await blocked.checked(args(KEPT, LEFT));
  texts.push(inputs, held((await blocked.create(inputs, true)).getProperties()));
  const created = held((await blocked.create(inputs)).getProperties());
  texts.push(created, engine.logged);
  emulator.change(BLOCKED, { delete: [`${KEPT}/32`], insert: { "192.0.2.59/32": 1 } });
  await nextRun();
  const found = await blocked.read(BLOCKED, created, inputs);
  texts.push(held(found.getProperties()), held(found.getInputs()));
  const of = { id: BLOCKED, state: held(found.getProperties()), inputs: held(found.getInputs()) };
  const news = await blocked.checked(args(KEPT, CAME), inputs);
  const differs = await blocked.diff({ ...of, news });
  expect(differs.getDiffsList()).toContain("entries");
  texts.push(differs.toObject(), held((await blocked.update({ ...of, news })).getProperties()), engine.logged);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ [`${KEPT}/32`]: 1, [`${CAME}/32`]: 1 });
  expect(inTheClear(texts)).not.toMatch(/192\.0\.2\.5/);
});

it.each(["arena", "set", "prefix"])(
  "a PrefixSetEntry is refused whose %s is a secret, since its id shows it",
  async (name) => {
    await configure({ endpoint: emulator.endpoint });
    const entry = new Subject(() => engine, "PrefixSetEntry", "scanner");
    const args = { arena: "edge", set: "blocked", prefix: "203.0.113.4" };
    const answer = await entry.check({ ...args, [name]: secret(args[name as keyof typeof args]) });
    expect(answer.getFailuresList().map((failure) => failure.getReason())).toEqual([
      expect.stringContaining(`${name} is a secret, but stands in the id and the url of the resource`),
    ]);
  },
);
