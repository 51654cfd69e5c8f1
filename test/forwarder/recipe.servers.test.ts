import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { startEmulator } from "../../provider/emulator";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { blocksOf } from "../support/markdown";
import { ownPort } from "../support/ports";
import { TestClock, until } from "./support/clock";
import { startForwarding, stateWith, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";
import { BUILD_TIMEOUT, ended, pinned, run, startVictoriaLogs } from "./support/servers";

const COUNT = 500;
const blocks = blocksOf("docs/forwarder.md");

/** Passes OTLP on to another server, or is away. */
async function gateway(origin: string) {
  const is = { away: true, asked: 0 };
  const { url } = await httpSink(async (request, _, __, body) => {
    is.asked++;
    if (is.away) return [503];
    const headers = { "content-type": String(request.headers["content-type"]) };
    const encoding = request.headers["content-encoding"];
    const more = { ...headers, ...(encoding && { "content-encoding": encoding }) };
    const answer = await fetch(`${origin}${request.url}`, {
      method: "POST",
      headers: more,
      body: new Uint8Array(body),
    });
    return [answer.status, "", { "content-type": "application/x-protobuf" }];
  });
  return Object.assign(is, { url: new URL(url).origin });
}

test("the Collector that is built is the one that is pinned", async () => {
  const { SERVERS } = await import("../../tools/servers/ensure.mjs");
  expect(pinned("collector", "go.opentelemetry.io/collector/otelcol")).toBe(SERVERS.collector.version);
});

test("the recipe with a Collector delivers every record once its destination has it, and none is lost while that is away", {
  timeout: BUILD_TIMEOUT,
}, async () => {
  using folder = temporaryFolder();
  const authority = new CertificateAuthority("test authority", Date.now());
  await using logs = await startVictoriaLogs(authority.issueServer("localhost"));
  const destination = await gateway(logs.url);
  const port = await ownPort();
  const config = join(mkdtempSync(join(tmpdir(), "packetfilter-collector-")), "collector.yaml");
  onTestFinished(() => rmSync(join(config, ".."), { recursive: true, force: true }));
  const recipe = blocks.find(({ tag }) => tag === "collector.yaml")?.text ?? "";
  const local = recipe.replace("127.0.0.1:4318", `127.0.0.1:${port}`).replace("https://198.51.100.20", destination.url);
  writeFileSync(config, `${local}\n  telemetry: { metrics: { level: none } }\n`);
  const { ensureServer } = await import("../../tools/servers/ensure.mjs");
  const url = `http://127.0.0.1:${port}`;
  const collector = await run(await ensureServer("collector"), ["--config", config], async () => {
    return (await fetch(url)).status === 404;
  });
  onTestFinished(() => ended(collector, "SIGKILL"));

  await using emulator = await startEmulator({ state: stateWith(COUNT) });
  const sink = blocks.map(({ text }) => text).find((text) => text.includes("name: collector")) ?? "";
  const forward = parse(sink.replace("https://192.0.2.10", emulator.endpoint).replace("http://127.0.0.1:4318", url));
  forward.watch[0].types = ["shost", "conn"];
  const clock = new TestClock();
  const { forwarder, told } = await startForwarding(forward, folder.path, { world: clock });
  const count = (name: "sent_records_total" | "rejected_records_total") =>
    forwarder.metrics.get(name, { sink: "collector" });
  await until(() => destination.asked > 1, clock);
  expect([count("sent_records_total"), count("rejected_records_total")]).toEqual([0, 0]);
  destination.away = false;
  await until(() => count("sent_records_total") === COUNT + 1, clock);
  const found = await logs.query('"log.record.uid":* | fields log.record.uid, packetfilter.mark.type');
  expect(new Set(found.map((one) => one["log.record.uid"])).size).toBe(COUNT + 1);
  expect(told.lines.filter((line) => !line.includes("accepts "))).toEqual([]);
  // The query of the reference is one that the server takes.
  expect(await logs.query("event:added !resent:true | stats count() as records")).toHaveLength(1);
});
