import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../../provider/commands/program";
import { startEmulator } from "../../provider/emulator";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import type { ForwarderConfig } from "../../provider/forwarder/config/types";
import { blocksOf } from "../support/markdown";
import { until } from "./support/clock";
import { configOf, forwardOnce, recordsIn, stateWith, temporaryFolder } from "./support/forward";
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

const config = (sinks: readonly object[], more: Partial<ForwarderConfig> = {}) =>
  configOf(emulator, sinks, { watch: [{ arena: "edge", types: ["shost", "conn"] }], ...more });

test("the versions that are built are those that are pinned", async () => {
  const { SERVERS } = await import("../../tools/servers/ensure.mjs");
  expect(pinned("nats", "github.com/nats-io/nats-server/v2")).toBe(SERVERS.nats.version);
  expect(pinned("victoria-logs", "github.com/VictoriaMetrics/VictoriaMetrics")).toBe(SERVERS["victoria-logs"].version);
});

describe("every record arrives once at the real server", () => {
  test("elasticsearch: _bulk into VictoriaLogs, and a plain file beside it", async () => {
    using folder = temporaryFolder();
    const url = `${logs.url}/insert/elasticsearch/?_time_field=timestamp&_msg_field=message&_stream_fields=node,type`;
    const sinks = [
      { name: "search", type: "elasticsearch", url, index: "bulk" },
      { name: "disk", type: "file", path: "marks.ndjson" },
    ];
    const { ok, told } = await forwardOnce(config(sinks), folder.path);
    expect({ ok, told }).toEqual({ ok: true, told: [] });
    const found = await logs.query("* | filter event:added recordId:* | fields recordId, address, rule.name, value");
    const lines = recordsIn(readFileSync(join(folder.path, "marks.ndjson"), "utf8"));
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
    const url = `${logs.url}/insert/opentelemetry`;
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

  test("loki: lines of JSON into VictoriaLogs, a stream a table", async () => {
    using folder = temporaryFolder();
    const sink = {
      name: "loki",
      type: "loki",
      url: `${logs.url}/insert`,
      gzip: true,
      labels: { site: "fra" },
    };
    expect(await forwardOnce(config([sink]), folder.path)).toMatchObject({ ok: true, told: [] });
    // It gathers them for a second before a query finds them.
    let found: Record<string, string>[] = [];
    const look = async () => {
      found = await logs.query('{site="fra"} | fields _msg, type');
      return found.length;
    };
    await expect.poll(look, { timeout: 20_000 }).toBe(COUNT + 1);
    const records = found.map(({ _msg = "" }) => JSON.parse(_msg));
    expect(new Set(records.map(({ recordId }) => recordId)).size).toBe(COUNT + 1);
    expect(found.map(({ type }) => type).sort()).toEqual(records.map(({ type }) => type).sort());
  });

  test("syslog: CEF over TLS and JSON over TCP, in frames by length", async () => {
    using folder = temporaryFolder();
    const ca = authority.cert;
    const sinks = [
      {
        name: "siem",
        type: "syslog",
        host: "localhost",
        port: logs.syslogTlsPort,
        tls: { ca },
        message: "cef",
      },
      { name: "plain", type: "syslog", host: "127.0.0.1", port: logs.syslogPort },
    ];
    expect(await forwardOnce(config(sinks), folder.path)).toMatchObject({ ok: true, told: [] });
    // Syslog has no acknowledgements: the server takes what it was sent when it comes to it.
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
    await forwardOnce(config([sink], { records: "all" }), again.path);
    const { messages } = await info();
    expect(messages).toBe(2 * (COUNT + 1));
    await connection.close();
  });

  test("nats: the guide's cluster and stream work as written; without `create` no stream is made", {
    timeout: 60_000,
  }, async () => {
    using folder = temporaryFolder();
    const guide = blocksOf("docs/guides/forwarding-marks.md").filter(({ tag }) => tag === "forwarder.yaml");
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
    const watch = [{ arena: "edge", types: ["conn" as const] }];
    expect(await forwardOnce(config([none], { watch, onceDeadlineMs: 300 }), other.path)).toMatchObject({
      ok: false,
      told: [
        expect.stringContaining('warn Sink "bus" accepts no records: JetStream did not acknowledge: '),
        expect.stringContaining('error After 300 ms these sinks have not taken everything: "bus" (1 records).'),
      ],
    });
    await expect(streams.info("NONE")).rejects.toThrow("stream not found");
    await connection.close();
  });
});
