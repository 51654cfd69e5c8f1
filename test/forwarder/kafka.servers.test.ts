import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { pick, seededRandom } from "../../provider/emulator/time/random";
import type { ForwarderConfig, SinkConfig } from "../../provider/forwarder/config/types";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { ForwardProcess } from "./support/child";
import { until } from "./support/clock";
import { fastWall } from "./support/fast-clock.cjs";
import { forwardOnce, startForwarding, stateWith, temporaryFolder } from "./support/forward";
import { type Consumed, type KafkaBroker, PASSWORDS, startKafka } from "./support/kafka-broker";
import { BUILD_TIMEOUT } from "./support/servers";
import { takenOver } from "./support/taken-over";

const COUNT = 1_200;
const MANY = 20_000;
const KILLS = 4;
/** Speed of the clocks of forwarders that are killed: 3 s of the pace are 150 ms. */
const TIMES = 20;
const authority = new CertificateAuthority("test authority", Date.now());
let broker: KafkaBroker;
let emulator: Emulator;

beforeAll(async () => {
  broker = await startKafka(authority.issueServer("localhost"));
  emulator = await startEmulator({ state: stateWith(COUNT) });
}, BUILD_TIMEOUT);
afterAll(async () => {
  await Promise.all([broker?.[Symbol.asyncDispose](), emulator?.close()]);
});

/** Own members of a sink; some are wrong on purpose. */
type Own = Readonly<Record<string, unknown>> & { readonly topic: string };

const configOf = (sink: Own, more: Partial<ForwarderConfig> = {}): ForwarderConfig => ({
  nodes: { fra1: { endpoint: emulator.endpoint } },
  watch: [{ arena: "edge", types: ["shost"] }],
  sinks: [{ name: "bus", type: "kafka", brokers: [broker.address], ...sink } as SinkConfig],
  ...more,
});

const recordOf = ({ value }: Consumed): ForwardRecord => JSON.parse(value);

test("the jars that are fetched are of the version that is named", async () => {
  const { SERVERS } = await import("../../tools/servers/ensure.mjs");
  const { pinnedJars } = await import("../../tools/servers/maven.mjs");
  const versions = pinnedJars("kafka").flatMap(
    ({ path }) => /^org\/apache\/kafka\/[^/]+\/([^/]+)\//.exec(path)?.[1] ?? [],
  );
  expect(new Set(versions)).toEqual(new Set([SERVERS.kafka.version]));
});

test("every record arrives once, in its order, in the partition of its table, with what it is about in headers", async () => {
  using folder = temporaryFolder();
  await broker.createTopic("marks", 3);
  const nodes = Object.fromEntries(["fra1", "fra2", "ams1"].map((name) => [name, { endpoint: emulator.endpoint }]));
  const config = configOf({ topic: "marks" }, { nodes, watch: [{ arena: "edge", types: ["shost", "conn"] }] });
  expect(await forwardOnce(config, folder.path)).toMatchObject({ ok: true, told: [] });

  const tables = new Map<string, Consumed[]>();
  for (const message of await broker.consume("marks")) {
    tables.set(message.key, [...(tables.get(message.key) ?? []), message]);
  }
  const keys = Object.keys(nodes).flatMap((node) => [`${node}/edge/web/shost`, `${node}/edge/web/conn`]);
  expect([...tables.keys()].sort()).toEqual(keys.sort());
  const partitions = [...tables.values()].map((messages) => new Set(messages.map(({ partition }) => partition)));
  expect(partitions.map(({ size }) => size)).toEqual(keys.map(() => 1));
  expect(new Set(partitions.flatMap((ones) => [...ones])).size).toBeGreaterThan(1);
  for (const [key, messages] of tables) {
    const sequences = messages.map((message) => recordOf(message).sequence);
    expect(sequences).toEqual(Array.from({ length: key.endsWith("conn") ? 1 : COUNT }, (_, index) => index + 1));
  }
  const [first] = tables.get("ams1/edge/web/conn") ?? [];
  const record = first && recordOf(first);
  expect(record).toMatchObject({
    node: "ams1",
    source: "203.0.113.9",
    sourcePort: 1_024,
    lifetime: expect.any(Number),
  });
  expect(first).toEqual({
    partition: expect.any(Number),
    key: "ams1/edge/web/conn",
    headers: {
      recordId: record?.recordId,
      timestamp: record?.timestamp,
      event: "added",
      node: "ams1",
      arena: "edge",
      profile: "web",
      type: "conn",
      format: "plain",
    },
    value: expect.any(String),
  });
});

test("a topic that takes only little at a time gets all of it; what it never takes is kept with the broker's reason", async () => {
  using folder = temporaryFolder();
  // One rule has a name that makes its mark's record larger than the topic takes.
  const shost = Array.from({ length: COUNT }, (_, n) => ({
    address: `198.18.${n >> 8}.${n & 255}`,
    id: n,
    value: 1,
    lifetime: 60,
  }));
  const web = { rules: [{ id: 77, name: "long".repeat(10_000) }], marks: { shost } };
  await using named = await startEmulator({ state: { arenas: { edge: { profiles: { web } } } } });
  await broker.createTopic("small", 1, { "max.message.bytes": "20000" });
  const config = configOf({ topic: "small" }, { nodes: { fra1: { endpoint: named.endpoint } } });
  const { ok, told } = await forwardOnce(config, folder.path);
  const words = "The request included a message larger than the max message size the server will accept";
  expect({ ok, told }).toEqual({
    ok: false,
    told: [
      expect.stringMatching(
        `^warn Sink "bus" refuses records for good, first: ${words}\\. They are kept as rejected\\.$`,
      ),
    ],
  });
  const [file = ""] = readdirSync(join(folder.path, "forwarder-state/rejected/bus"));
  const letters = readFileSync(join(folder.path, "forwarder-state/rejected/bus", file), "utf8")
    .trim()
    .split("\n");
  expect(letters.map((letter) => JSON.parse(letter))).toMatchObject([
    { reason: words, record: { id: 77, sequence: 78 } },
  ]);
  const sequences = (await broker.consume("small")).map((message) => recordOf(message).sequence);
  expect(sequences).toEqual(
    Array.from({ length: COUNT }, (_, index) => index + 1).filter((sequence) => sequence !== 78),
  );
});

test("a topic that is not there is waited for", async () => {
  using folder = temporaryFolder();
  const { forwarder, told } = await startForwarding(configOf({ topic: "later" }), folder.path);
  await until(() => told.lines.length > 0);
  expect(told.lines).toEqual([
    `warn Sink "bus" accepts no records: Kafka at ${broker.address}: Unknown topic later. They are sent again.`,
  ]);
  await broker.createTopic("later", 1);
  await until(() => forwarder.metrics.get("sent_records_total", { sink: "bus" }) === COUNT);
  expect(told.lines.slice(1)).toEqual(['info Sink "bus" accepts records again.']);
  expect(await broker.consume("later")).toHaveLength(COUNT);
});

test("TLS and SASL: a password that is wrong is told without it, and read again from its file", async () => {
  using folder = temporaryFolder();
  await broker.createTopic("secure", 1);
  const secret = join(folder.path, "password");
  writeFileSync(secret, "not this one\n");
  const secure = (username: string, password: unknown, tls: unknown = { ca: authority.cert }) => ({
    topic: "secure",
    brokers: [broker.secureAddress],
    tls,
    sasl: { mechanism: "PLAIN", username, password },
  });
  const { forwarder, told } = await startForwarding(configOf(secure("forwarder", { file: secret })), folder.path);
  await until(() => told.lines.length > 0);
  writeFileSync(secret, `${PASSWORDS.forwarder}\n`);
  await until(() => forwarder.metrics.get("sent_records_total", { sink: "bus" }) === COUNT);
  expect(told.lines).toEqual([
    `warn Sink "bus" accepts no records: Kafka at ${broker.secureAddress}: Authentication failed: Invalid username or password. They are sent again.`,
    "info Secrets were read again from their files.",
    'info Sink "bus" accepts records again.',
  ]);

  const toldOf = async (sink: Own): Promise<string | undefined> => {
    using other = temporaryFolder();
    const started = await startForwarding(configOf(sink), other.path);
    await until(() => started.told.lines.length > 0);
    await started.forwarder.stop(0);
    return started.told.lines[0];
  };
  expect(await toldOf(secure("guest", PASSWORDS.guest))).toMatch(
    /accepts no records: Kafka at .*Topic authorization failed\. They are sent again\.$/,
  );
  expect(await toldOf(secure("guest", PASSWORDS.guest, true))).toMatch(
    /accepts no records: .*unable to verify|self-signed/,
  );
  expect(await toldOf({ topic: "secure", brokers: [broker.secureAddress] })).toMatch(/accepts no records: .*TLS/);
  expect(await toldOf({ topic: "secure", tls: { ca: authority.cert } })).toMatch(
    /accepts no records: .*TLS|SSL|wrong version/,
  );
});

test("a broker that is killed and started again in the midst has every record once, in its order", {
  timeout: BUILD_TIMEOUT,
}, async () => {
  using folder = temporaryFolder();
  await using many = await startEmulator({ state: stateWith(MANY) });
  await broker.createTopic("restarted", 1);
  const config = configOf({ topic: "restarted", timeoutMs: 100_000 }, { nodes: { fra1: { endpoint: many.endpoint } } });
  const { forwarder } = await startForwarding(config, folder.path);
  const sent = () => forwarder.metrics.get("sent_records_total", { sink: "bus" });
  await until(() => sent() > 0);
  await broker.kill();
  expect(sent()).toBeLessThan(MANY);
  await broker.restart();
  await until(() => sent() === MANY);
  const sequences = (await broker.consume("restarted")).map((message) => recordOf(message).sequence);
  expect(sequences).toEqual(Array.from({ length: MANY }, (_, index) => index + 1));
});

test("killed while it delivers, a forwarder loses nothing, and what comes twice has the same id", {
  timeout: BUILD_TIMEOUT,
}, async () => {
  using folder = temporaryFolder();
  await broker.createTopic("killed", 1);
  const random = seededRandom(1);
  let round = 0;
  let strike = (): void => {};
  // Every list finds all marks with another value: what it was is in the records, or is lost.
  const marksOf = (value: number) => {
    const shost = Array.from({ length: 3_000 }, (_, n) => ({
      address: `198.18.${n >> 8}.${n & 255}`,
      id: 1,
      value,
      lifetime: 3_600,
    }));
    return { arenas: { edge: { profiles: { web: { marks: { shost } } } } } };
  };
  await using changing: Emulator = await startEmulator({
    state: marksOf(0),
    wall: fastWall(TIMES),
    onRequest: ({ type }) => {
      if (type !== "shost") return;
      changing.seed(marksOf(++round));
      strike();
    },
  });
  const file = join(folder.path, "forwarder.json");
  writeFileSync(
    file,
    JSON.stringify(configOf({ topic: "killed" }, { nodes: { fra1: { endpoint: changing.endpoint } } })),
  );
  const given = new Map<number, number>();
  const noteTaken = () => {
    for (const [epoch, records] of takenOver(folder.path)) given.set(epoch, records);
  };
  for (let kill = 0; kill < KILLS; kill++) {
    const victim = ForwardProcess.startFast(file, TIMES);
    let lists = pick(random, [2, 3, 4]);
    strike = () => {
      if (--lists === 0) setTimeout(() => victim.child.kill("SIGKILL"), Math.floor(random() * 150));
    };
    expect(await victim.exited()).toBe(null);
    noteTaken();
  }
  strike = () => {};
  const last = ForwardProcess.startFast(file, TIMES);
  const before = round;
  await until(() => round > before + 2);
  expect(await last.end("SIGTERM"), last.lines.join("\n")).toBe(0);
  noteTaken();

  const byId = new Map<string, string>();
  const messages = await broker.consume("killed");
  const others = messages.filter(({ headers, value }) => {
    const first = byId.get(headers.recordId ?? "") ?? value;
    byId.set(headers.recordId ?? "", first);
    return first !== value;
  });
  expect(others).toEqual([]);
  // In the order in which each came first: every number that was given out at each start, none left out. The last start may end before all is sent.
  const first = [...byId.values()].map((value): ForwardRecord => JSON.parse(value));
  const numbers = [...given]
    .sort(([one], [other]) => one - other)
    .flatMap(([epoch, count]) => Array.from({ length: count }, (_, index) => `${epoch} ${index + 1}`));
  expect(first.map(({ epoch, sequence }) => `${epoch} ${sequence}`)).toEqual(numbers.slice(0, first.length));
  expect(new Set(first.map(({ epoch }) => epoch)).size).toBeGreaterThan(1);
  expect(first.length).toBeGreaterThan(3_000);
});
