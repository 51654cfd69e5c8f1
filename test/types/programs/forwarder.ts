// What a program says to a forwarder, right and wrong. The compiler is the test.
import {
  EVENTS,
  type ForwarderConfig,
  type ForwarderWorld,
  type ForwardRecord,
  type Log,
  type MarkEvent,
  type RunningForwarder,
  type SinkConfig,
  type StartOptions,
  StoreError,
  startForwarder,
} from "../../../provider/forwarder";

const place = { nodes: { fra1: { endpoint: "http://192.0.2.10" } }, watch: [{ arena: "edge" }] };

export const config: ForwarderConfig = {
  nodes: {
    fra1: { endpoint: "http://192.0.2.10", headers: { authorization: { file: "fra1-token" } }, timeoutMs: 5_000 },
  },
  watch: [{ arena: "edge", types: ["shost"], profiles: ["web*"] }],
  everyMs: "5s",
  reserveBytes: "1GiB",
  records: "all",
  listen: { address: "127.0.0.1:9464" },
};

export const sinks: SinkConfig[] = [
  { name: "out", type: "stdout" },
  { name: "file", type: "file", path: "marks.ndjson", rotateBytes: "100MiB", keep: 3 },
  { name: "web", type: "http", url: "https://logs.example.net", gzip: true },
  { name: "search", type: "elasticsearch", url: "https://logs.example.net", index: "marks" },
  { name: "otel", type: "otlp", url: "https://otel.example.net" },
  { name: "splunk", type: "splunk", url: "https://splunk.example.net", token: { file: "token" } },
  { name: "loki", type: "loki", url: "https://loki.example.net", labels: { site: "fra" } },
  { name: "siem", type: "syslog", host: "siem.example.net", message: "cef", tls: true },
  { name: "bus", type: "nats", servers: ["nats://192.0.2.30:4222"], stream: "marks" },
  { name: "topic", type: "kafka", brokers: ["192.0.2.40:9092"], topic: "marks" },
];

// @ts-expect-error there is no such member of this type of sink
export const broken: ForwarderConfig = { ...place, sinks: [{ name: "topic", type: "kafka", brokerz: 7 }] };
// @ts-expect-error a topic is missing
sinks.push({ name: "topic", type: "kafka", brokers: ["192.0.2.40:9092"] });
// @ts-expect-error there is no such type
sinks.push({ name: "web", type: "htpp", url: "https://logs.example.net" });
// @ts-expect-error a member of another type
sinks.push({ name: "web", type: "http", url: "https://logs.example.net", index: "marks" });
// @ts-expect-error a sink has a name
sinks.push({ type: "stdout" });
// @ts-expect-error a unit that there is not
export const weeks: ForwarderConfig = { ...place, everyMs: "5w" };
// @ts-expect-error a size is no time
export const sized: ForwarderConfig = { ...place, reserveBytes: "1s" };
// @ts-expect-error a node has an address
export const nowhere: ForwarderConfig = { ...place, nodes: { fra1: { timeoutMs: 5_000 } } };
// @ts-expect-error an unknown member of a node
export const unknown: ForwarderConfig = { ...place, nodes: { fra1: { endpoint: "http://192.0.2.10", maxTries: 3 } } };
// @ts-expect-error at least one arena is watched
export const idle: ForwarderConfig = { nodes: place.nodes };
// @ts-expect-error there is no such table
export const tables: ForwarderConfig = { ...place, watch: [{ arena: "edge", types: ["host"] }] };

const log: Log = { info: () => {}, warn: () => {}, error: console.error };
// @ts-expect-error what needs an operator is said, too
export const noLog: Log = { info: () => {}, warn: () => {} };
export const options: StartOptions = {
  log,
  onRecord: ({ node, message }) => console.log(node, message),
  env: process.env,
};
// @ts-expect-error a record has no host
export const noOptions: StartOptions = { onRecord: ({ host }) => console.log(host) };
export const world = {} as ForwarderWorld;
export const now: number = world.random();
// @ts-expect-error its randomness is a function
world.random = 0.5;

export async function run(): Promise<MarkEvent[]> {
  const events: MarkEvent[] = [...EVENTS];
  // @ts-expect-error one of the events
  events.push("vanished");
  try {
    await using forwarder: RunningForwarder = await startForwarder(config, options);
    forwarder.metrics();
    // @ts-expect-error it says nothing of its sinks
    forwarder.sinks;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // @ts-expect-error a store has no status
    error.status;
  }
  return events;
}

export const idOf = ({ id, rule }: ForwardRecord): number | string | undefined => rule?.id ?? id;
// @ts-expect-error beyond ±(2⁵³−1) it is a text
export const numberOf = ({ id }: ForwardRecord): number | undefined => id;
