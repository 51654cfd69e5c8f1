import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ownPort } from "../../support/ports";
import { ended, run, type Server } from "./servers";

/** A message as a consumer reads it. */
export interface Consumed {
  readonly partition: number;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: string;
}

/** A broker of Kafka that is its own controller, with what its tests ask of it. */
export interface KafkaBroker extends Server {
  /** `host:port` without TLS and without a name, which may do everything. */
  readonly address: string;
  /** The same with TLS, for `forwarder` with its password; `guest` has one, too, and may do nothing. */
  readonly secureAddress: string;
  createTopic(name: string, partitions: number, configs?: Readonly<Record<string, string>>): Promise<void>;
  /** All that a topic holds, each partition in its order. */
  consume(topic: string): Promise<Consumed[]>;
  /** Starts it again, as it was when it was killed. */
  restart(): Promise<void>;
}

/** The passwords of its two users. */
export const PASSWORDS = { forwarder: "s3cret of the forwarder", guest: "s3cret of the guest" } as const;

const JAVA = [
  "-Xmx256m",
  "-XX:+UseSerialGC",
  "-XX:TieredStopAtLevel=1",
  "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
];
/** Its number, and how much is read of it at a time. */
const NODE = 1;
const FETCH = 4_194_304;
/** Any one will do: 16 bytes in base64. */
const CLUSTER_ID = "AAAAAAAAAAAAAAAAAAAAAA";

/** Starts one. `tls`: the certificate that it shows, PEM. Topics are not made by themselves. */
export async function startKafka(tls: { cert: string; key: string }): Promise<KafkaBroker> {
  const { ensureServer } = await import("../../../tools/servers/ensure.mjs");
  const jars = join(await ensureServer("kafka"), "*");
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-kafka-"));
  const [port, securePort, controllerPort] = [await ownPort(), await ownPort(), await ownPort()];
  const file = join(folder, "server.properties");
  writeFileSync(file, propertiesOf({ port, securePort, controllerPort }, join(folder, "data"), tls));
  mkdirSync(join(folder, "data"));
  const java = [...JAVA, "-cp", jars];
  await promisify(execFile)("java", [...java, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", file]);
  const start = () => run("java", [...java, "kafka.Kafka", file], () => listens(port));
  let child = await start();

  const address = `127.0.0.1:${port}`;
  const { Admin, Consumer } = await import("@platformatic/kafka");
  const client = { clientId: "test", bootstrapBrokers: [address], retries: 100, retryDelay: 100 };
  const kill = () => ended(child, "SIGKILL");
  return {
    url: `kafka://${address}`,
    port,
    address,
    secureAddress: `localhost:${securePort}`,
    createTopic: async (name, partitions, configs = {}) => {
      const admin = new Admin(client);
      const settings = Object.entries(configs).map(([key, value]) => ({ name: key, value }));
      await admin.createTopics({ topics: [name], partitions, replicas: 1, configs: settings });
      await admin.close();
    },
    consume: async (topic) => {
      const consumer = new Consumer({ ...client, groupId: "test" });
      const ends = (await consumer.listOffsets({ topics: [topic] })).get(topic) ?? [];
      const topicId = (await consumer.metadata({ topics: [topic] })).topics.get(topic)?.id ?? "";
      const found: Consumed[] = [];
      for (const [partition, end] of ends.entries()) {
        for (let fetchOffset = 0n; fetchOffset < end; ) {
          const wanted = {
            partition,
            fetchOffset,
            currentLeaderEpoch: -1,
            lastFetchedEpoch: -1,
            partitionMaxBytes: FETCH,
          };
          const { responses } = await consumer.fetch({ node: NODE, topics: [{ topicId, partitions: [wanted] }] });
          for (const { firstOffset, lastOffsetDelta, records } of responses[0]?.partitions[0]?.records ?? []) {
            fetchOffset = firstOffset + BigInt(lastOffsetDelta) + 1n;
            for (const { key, value, headers } of records) {
              const texts = headers.map(([name, content]) => [String(name), String(content)]);
              found.push({
                partition,
                key: String(key),
                value: String(value),

                headers: Object.fromEntries(texts),
              });
            }
          }
        }
      }
      await consumer.close(true);
      return found;
    },
    kill,
    restart: async () => {
      child = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function propertiesOf(
  { port, securePort, controllerPort }: { port: number; securePort: number; controllerPort: number },
  data: string,
  { cert, key }: { cert: string; key: string },
): string {
  const users = Object.entries(PASSWORDS).map(([name, password]) => `user_${name}="${password}"`);
  const listeners = `PLAIN://127.0.0.1:${port},SECURE://localhost:${securePort}`;
  const properties = {
    "process.roles": "broker,controller",
    "node.id": String(NODE),
    "controller.quorum.voters": `${NODE}@127.0.0.1:${controllerPort}`,
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "PLAIN",
    listeners: `${listeners},CONTROLLER://127.0.0.1:${controllerPort}`,
    "advertised.listeners": listeners,
    "listener.security.protocol.map": "PLAIN:PLAINTEXT,SECURE:SASL_SSL,CONTROLLER:PLAINTEXT",
    "log.dirs": data,
    "auto.create.topics.enable": "false",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS;User:forwarder",
    "sasl.enabled.mechanisms": "PLAIN",
    "listener.name.secure.plain.sasl.jaas.config": `org.apache.kafka.common.security.plain.PlainLoginModule required ${users.join(" ")};`,
    "listener.name.secure.ssl.keystore.type": "PEM",
    "listener.name.secure.ssl.keystore.certificate.chain": cert,
    "listener.name.secure.ssl.keystore.key": key,
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value.trim().replaceAll("\n", "\\n")}\n`)
    .join("");
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } finally {
    socket.destroy();
  }
}
