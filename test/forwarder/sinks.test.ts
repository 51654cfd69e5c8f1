import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../../provider/commands/program";
import { startEmulator } from "../../provider/emulator";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import type { ForwarderConfig } from "../../provider/forwarder/config/schema";
import { blocksOf } from "../support/markdown";
import { until } from "./support/clock";
import { forwardOnce, stateWith, temporaryFolder } from "./support/forward";
import { BUILD_TIMEOUT, pinned, type Server, startNats, startVictoriaLogs, type VictoriaLogs } from "./support/servers";

const COUNT = 1_200;
const authority = new CertificateAuthority("test authority", Date.now());
let logs: VictoriaLogs;
let nats: Server;
let emulator: Awaited<ReturnType<typeof startEmulator>>;

beforeAll(async () => {
  logs = await startVictoriaLogs(authority.issueServer("localhost"));
  nats = await startNats();
  emulator = await startEmulator({ state: stateWith(COUNT) });
}, BUILD_TIMEOUT);
afterAll(async () => {
  await Promise.all([logs?.[Symbol.asyncDispose](), nats?.[Symbol.asyncDispose](), emulator?.close()]);
});

const config = (sinks: ForwarderConfig["sinks"], more: Partial<ForwarderConfig> = {}): ForwarderConfig => ({
  nodes: { fra1: { endpoint: emulator.endpoint } },
  watch: [{ arena: "edge", types: ["shost", "conn"] }],
  sinks,
  ...more,
});

test("the versions that are built are those that are pinned", async () => {
  const { SERVERS } = await import("../../tools/servers/ensure.mjs");
  expect(pinned("nats", "github.com/nats-io/nats-server/v2")).toBe(SERVERS.nats.version);
  expect(pinned("victoria-logs", "github.com/VictoriaMetrics/VictoriaMetrics")).toBe(SERVERS["victoria-logs"].version);
});

describe("every record arrives once at the real server", () => {
  test("elasticsearch: _bulk into VictoriaLogs, and a plain file beside it", async () => {
    using folder = temporaryFolder();
    const url = `${logs.url}/insert/elasticsearch/?_time_field=timestamp&_msg_field=message&_stream_fields=node,type`;
    const sinks: ForwarderConfig["sinks"] = [
      { name: "search", type: "elasticsearch", url, index: "bulk" },
      { name: "disk", type: "file", path: "marks.ndjson" },
    ];
    const { ok, told } = await forwardOnce(config(sinks), folder.path);
    expect({ ok, told }).toEqual({ ok: true, told: [] });
    const found = await logs.query("* | filter event:added recordId:* | fields recordId, address, rule.name, value");
    const lines = readFileSync(join(folder.path, "marks.ndjson"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(COUNT + 1);
    expect(found.map(({ recordId }) => recordId).sort()).toEqual(lines.map(({ recordId }) => recordId).sort());
    expect(found.find(({ address }) => address === "2001:db8::5")).toMatchObject({
      "rule.name": "syn=flood|\\",
      value: "5",
    });
    expect(lines.find(({ type }) => type === "conn")).toMatchObject({
      source: "203.0.113.9",
      sourcePort: 1_024,
      protocol: 6,
      lifetime: expect.any(Number),
    });
  });

  test("otlp: protobuf logs, with the names of the semantic conventions", async () => {
    using folder = temporaryFolder();
    const url = `${logs.url}/insert/opentelemetry/v1/logs`;
    expect(await forwardOnce(config([{ name: "otel", type: "otlp", url, gzip: true }]), folder.path)).toMatchObject({
      ok: true,
      told: [],
    });
    const found = await logs.query(
      '"log.record.uid":* | fields log.record.uid, source.address, destination.port, network.transport, security_rule.name, _msg',
    );
    expect(new Set(found.map((record) => record["log.record.uid"])).size).toBe(COUNT + 1);
    expect(found.find((record) => record["destination.port"] === "443")).toMatchObject({
      "source.address": "203.0.113.9",
      "network.transport": "tcp",
      _msg: expect.stringMatching(/^fra1 edge\/web conn 6 203\.0\.113\.9:1024 -> 198\.51\.100\.7:443 added: id 70001/),
    });
  });

  test("syslog: CEF over TLS and JSON over TCP, in frames by length", async () => {
    using folder = temporaryFolder();
    const ca = authority.cert;
    const sinks: ForwarderConfig["sinks"] = [
      { name: "siem", type: "syslog", host: "localhost", port: logs.syslogTlsPort, tls: { ca }, message: "cef" },
      { name: "plain", type: "syslog", host: "127.0.0.1", port: logs.syslogPort },
    ];
    expect(await forwardOnce(config(sinks), folder.path)).toMatchObject({ ok: true, told: [] });
    // Nobody acknowledges syslog: the server takes what it was sent when it comes to it.
    const all = await until(async () => {
      const found = await logs.query("app_name:packetfilter | fields _msg, hostname, msg_id, app_name");
      return found.length >= 2 * (COUNT + 1) && found;
    });
    const cef = all.filter(({ _msg }) =>
      _msg?.startsWith("CEF:0|pulumi-packetfilter|forward|1|mark-added|Mark added|3|"),
    );
    expect([all.length, cef.length]).toEqual([2 * (COUNT + 1), COUNT + 1]);
    expect(cef.find(({ _msg }) => _msg?.includes("2001:db8"))?._msg).toMatch(
      / dvchost=fra1 act=added externalId=\S{1,40} c6a2Label=Source IPv6 Address c6a2=2001:db8::5 cs1Label=rule cs1=syn\\=flood\|\\\\ cs2Label=arena cs2=edge /,
    );
    expect(new Set(all.map(({ hostname, msg_id: id }) => `${hostname} ${id}`))).toEqual(new Set(["fra1 mark-added"]));
  });

  test("nats: JetStream stores each record once, also when all of them come twice", async () => {
    using folder = temporaryFolder();
    using again = temporaryFolder();
    const sink = {
      name: "bus",
      type: "nats",
      servers: [nats.url],
      stream: "MARKS",
      subject: "marks.{node}.{arena}.{profile}.{type}",
    };
    expect(await forwardOnce(config([sink]), folder.path)).toMatchObject({ ok: true, told: [] });
    const { connect } = await import("@nats-io/transport-node");
    const { jetstreamManager } = await import("@nats-io/jetstream");
    const connection = await connect({ servers: nats.url });
    const info = async () =>
      (await (await jetstreamManager(connection)).streams.info("MARKS", { subjects_filter: ">" })).state;
    expect(await info()).toMatchObject({
      messages: COUNT + 1,
      subjects: { "marks.fra1.edge.web.shost": COUNT, "marks.fra1.edge.web.conn": 1 },
    });
    await forwardOnce(config([{ ...sink, recordsPerMessage: 100 }], { records: "all" }), again.path);
    const { messages } = await info();
    expect(messages).toBe(COUNT + 1 + COUNT / 100 + 1);
    await connection.close();
  });

  test("nats: the guide's cluster and stream work as written; without `create` no stream is made", {
    timeout: 60_000,
  }, async () => {
    using folder = temporaryFolder();
    const guide = blocksOf("docs/guides/forwarding-marks.md").filter(({ tag }) => tag === "config");
    // One node whose name has a dot, which subjects do not take; a single server has no replicas.
    const text = (guide.at(-1)?.text ?? "")
      .replace(/fra1: .*/, `fra.1: { endpoint: "${emulator.endpoint}" }`)
      .replace(/ *fra2: .*\n/, "")
      .replaceAll("nats://198.51.100.40:4222", nats.url)
      .replace("replicas: 3", "replicas: 1, bucket: guide")
      .replace("{ arena: edge }", "{ arena: edge, types: [shost, conn] }")
      .replace('"marks.', '"guide.')
      .replace("stream: MARKS", "stream: GUIDE");
    const file = join(folder.path, "forwarder.yaml");
    writeFileSync(file, text);
    const stop = new AbortController();
    const ended = main(["forward", "--config", file], { out: () => {}, err: () => {}, env: {}, stop: stop.signal });
    const { connect } = await import("@nats-io/transport-node");
    const { jetstreamManager } = await import("@nats-io/jetstream");
    const connection = await connect({ servers: nats.url });
    const { streams } = await jetstreamManager(connection);
    const info = await until(async () => {
      const found = await streams.info("GUIDE", { subjects_filter: ">" }).catch(() => undefined);
      return found?.state.messages === COUNT + 1 && found;
    });
    stop.abort();
    expect(await ended).toBe(0);
    expect(info.state.subjects).toEqual({ "guide.fra_1.edge.web.shost": COUNT, "guide.fra_1.edge.web.conn": 1 });
    expect(info.config.duplicate_window).toBe(120_000 * 1_000_000);

    using other = temporaryFolder();
    const none = {
      name: "bus",
      type: "nats",
      servers: [nats.url],
      stream: "NONE",
      subject: "none.{type}",
      create: false,
    };
    const { ok, told } = await forwardOnce(
      config([none], { watch: [{ arena: "edge", types: ["conn"] }], onceDeadlineMs: 300 }),
      other.path,
    );
    expect({ ok, told }).toEqual({
      ok: false,
      told: [
        expect.stringContaining('warn Sink "bus" takes nothing: JetStream did not acknowledge: '),
        expect.stringContaining('error After 300 ms these sinks have not taken everything: "bus" (1 records).'),
      ],
    });
    await expect(streams.info("NONE")).rejects.toThrow("stream not found");
    await connection.close();
  });
});

describe("an HTTP server", () => {
  /** A server that answers as `answer` says, and keeps what it was sent. */
  async function serve(
    answer: (request: IncomingMessage, body: string, nth: number) => [number, string?, Record<string, string>?],
  ) {
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      const [status, text = "", headers = {}] = answer(request, body, bodies.length);
      response.writeHead(status, headers).end(text);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/in`, bodies, [Symbol.dispose]: () => void server.close() };
  }

  test("gets NDJSON with the headers of the configuration, in ECS where it is asked for", async () => {
    using folder = temporaryFolder();
    const headers: unknown[] = [];
    using server = await serve((request) => {
      headers.push([request.headers.authorization, request.headers["content-type"], request.url]);
      return [204];
    });
    const url = server.url.replace("//", "//user:pass%20word@");
    const { ok } = await forwardOnce(
      config([{ name: "web", type: "http", url }], { format: "ecs", watch: [{ arena: "edge", types: ["conn"] }] }),
      folder.path,
    );
    expect(ok).toBe(true);
    expect(headers).toEqual([
      [`Basic ${Buffer.from("user:pass word").toString("base64")}`, "application/x-ndjson", "/in"],
    ]);
    expect(JSON.parse(server.bodies[0] ?? "")).toMatchObject({
      "@timestamp": expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      event: { kind: "event", category: ["intrusion_detection"], action: "mark-added", id: expect.any(String) },
      observer: { name: "fra1" },
      source: { ip: "203.0.113.9", port: 1_024 },
      destination: { ip: "198.51.100.7", port: 443 },
      network: { transport: "tcp", iana_number: "6" },
      rule: { id: "70001", name: "syn=flood|\\" },
      related: { ip: ["203.0.113.9", "198.51.100.7"] },
    });
  });

  test("that refuses one record for good gets all others, and the one is kept with the reason", async () => {
    using folder = temporaryFolder();
    using server = await serve((_, body) => (body.includes('"198.18.0.77"') ? [422, "no such field"] : [200]));
    const { ok, told } = await forwardOnce(config([{ name: "web", type: "http", url: server.url }]), folder.path);
    expect({ ok, told }).toEqual({
      ok: false,
      told: ['warn Sink "web" refuses records for good, first: HTTP 422: no such field. They are kept as rejected.'],
    });
    const kept = join(folder.path, "forwarder-state/rejected/web");
    const letters = readdirSync(kept)
      .flatMap((name) => readFileSync(join(kept, name), "utf8").trim().split("\n"))
      .map((line) => JSON.parse(line));
    expect(letters).toMatchObject([
      { reason: "HTTP 422: no such field", record: { address: "198.18.0.77", event: "added" } },
    ]);
  });

  test.each<[string, (text: string) => string]>([
    ["as it is", (text) => text],
    ["percent-encoded", encodeURIComponent],
    ["as JSON", (text) => JSON.stringify(text)],
    ["as HTML by number", (text) => text.replace(/\W/g, (sign) => `&#${sign.charCodeAt(0)};`)],
    ["as base64", (text) => Buffer.from(text).toString("base64")],
  ])("that echoes its credential %s leaves none of it in log and rejected records", async (_, echo) => {
    const token = "canary+/=\"'&%<>\\ k3y";
    using folder = temporaryFolder();
    using server = await serve((_, body) =>
      body.includes('"198.18.0.77"') ? [422, `\u001b[2Jyou sent ${echo(token)} here`] : [200],
    );
    const sink = { name: "web", type: "http", url: server.url, headers: { "x-token": token } } as const;
    const { told } = await forwardOnce(config([sink]), folder.path);
    const kept = join(folder.path, "forwarder-state/rejected/web");
    const letters = readdirSync(kept).map((name) => readFileSync(join(kept, name), "utf8"));
    expect(letters).toEqual([expect.stringMatching(/you sent .{0,4}\[secret\].{0,4} here/)]);
    for (const text of [...told, ...letters]) {
      expect(text).not.toMatch(/canary|k3y|Y2FuYXJ5/);
      expect(text).not.toContain(echo(token));
      expect(text).not.toContain("\u001b");
    }
  });

  test("that is busy is asked again, no sooner than it says", async () => {
    using folder = temporaryFolder();
    using server = await serve((_, __, nth) => (nth === 1 ? [429, "later", { "retry-after": "1" }] : [200]));
    const { ok, told, forwarder } = await forwardOnce(
      config([{ name: "web", type: "http", url: server.url }], { watch: [{ arena: "edge", types: ["conn"] }] }),
      folder.path,
    );
    expect({ ok, told }).toEqual({
      ok: true,
      told: [
        `warn Sink "web" takes nothing: ${server.url}: HTTP 429: later. It is tried again.`,
        'info Sink "web" takes records again.',
      ],
    });
    expect(new Set(server.bodies).size).toBe(1);
    expect(forwarder.metrics.get("retries_total", { sink: "web" })).toBe(1);
  });

  test("as elasticsearch: items that exist are delivered, busy ones come again alone, others are refused", async () => {
    using folder = temporaryFolder();
    const item = (status: number) => ({ create: { status, ...(status >= 400 && { error: { type: `e${status}` } }) } });
    using server = await serve((_, body, nth) => {
      const documents = body.trim().split("\n").length / 2;
      const statuses =
        nth === 1 ? [201, 409, 429, 503, 400, ...Array(documents - 5).fill(201)] : Array(documents).fill(201);
      return [200, JSON.stringify({ errors: nth === 1, items: statuses.map(item) })];
    });
    const { forwarder } = await forwardOnce(
      config([{ name: "search", type: "elasticsearch", url: `${server.url}?x=1`, index: "marks" }], {
        watch: [{ arena: "edge", types: ["shost"] }],
      }),
      folder.path,
    );
    expect(server.bodies[1]?.trim().split("\n")).toHaveLength(4);
    expect(JSON.parse(server.bodies[1]?.split("\n")[0] ?? "")).toEqual({
      create: { _index: "marks", _id: expect.stringMatching(/^[\w-]{1,40}$/) },
    });
    const count = (metric: Parameters<typeof forwarder.metrics.get>[0]) =>
      forwarder.metrics.get(metric, { sink: "search" });
    expect([count("sent_records_total"), count("rejected_records_total")]).toEqual([COUNT - 1, 1]);
  });

  test("never learns what another sink is told, and its own secrets are in no message", async () => {
    using folder = temporaryFolder();
    using server = await serve((request) => [400, `bad token ${request.headers.authorization}`]);
    const sinks = [{ name: "web", type: "http", url: server.url, headers: { authorization: "Bearer s3cret-token" } }];
    const { told } = await forwardOnce(config(sinks, { watch: [{ arena: "edge", types: ["conn"] }] }), folder.path);
    expect(told.join()).toContain("bad token");
    expect(told.join()).not.toContain("s3cret-token");
    expect(existsSync(join(folder.path, "forwarder-state/rejected/web/00000001.ndjson"))).toBe(true);
  });
});
