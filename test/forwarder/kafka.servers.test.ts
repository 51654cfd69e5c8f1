import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import type { ForwarderConfig } from "../../provider/forwarder/config/types";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { until } from "./support/clock";
import {
  configOf,
  forwardOnce,
  lettersIn,
  marksOf,
  startForwarding,
  stateWith,
  temporaryFolder,
} from "./support/forward";
import { type Consumed, type KafkaBroker, PASSWORDS, startKafka } from "./support/kafka-broker";
import { BUILD_TIMEOUT } from "./support/servers";

const COUNT = 1_200;
const MANY = 20_000;
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

const into = (sink: Own, more: Partial<ForwarderConfig> = {}) =>
  configOf(emulator, [{ name: "bus", type: "kafka", brokers: [broker.address], ...sink }], more);

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
  const config = into({ topic: "marks" }, { nodes, watch: [{ arena: "edge", types: ["shost", "conn"] }] });
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
  const shost = marksOf(1, COUNT).map((mark, id) => ({ ...mark, id }));
  const web = { rules: [{ id: 77, name: "long".repeat(10_000) }], marks: { shost } };
  await using named = await startEmulator({ state: { arenas: { edge: { profiles: { web } } } } });
  await broker.createTopic("small", 1, { "max.message.bytes": "20000" });
  const config = into({ topic: "small" }, { nodes: { fra1: { endpoint: named.endpoint } } });
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
  expect(lettersIn(join(folder.path, "forwarder-state/rejected/bus"))).toMatchObject([
    { reason: words, record: { id: 77, sequence: 78 } },
  ]);
  const sequences = (await broker.consume("small")).map((message) => recordOf(message).sequence);
  expect(sequences).toEqual(
    Array.from({ length: COUNT }, (_, index) => index + 1).filter((sequence) => sequence !== 78),
  );
});

test("a topic that is not there is waited for", async () => {
  using folder = temporaryFolder();
  const { forwarder, told } = await startForwarding(into({ topic: "later" }), folder.path);
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
  const { forwarder, told } = await startForwarding(into(secure("forwarder", { file: secret })), folder.path);
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
    const started = await startForwarding(into(sink), other.path);
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
});

test("a broker that is killed and started again in the midst has every record once, in its order", {
  timeout: BUILD_TIMEOUT,
}, async () => {
  using folder = temporaryFolder();
  await using many = await startEmulator({ state: stateWith(MANY) });
  await broker.createTopic("restarted", 1);
  const config = into({ topic: "restarted", timeoutMs: 100_000 }, { nodes: { fra1: { endpoint: many.endpoint } } });
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
