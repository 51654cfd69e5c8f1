import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { until } from "./support/clock";
import { configOf, roundInto, startForwarding, stateWith, temporaryFolder } from "./support/forward";
import { BUILD_TIMEOUT, startNats } from "./support/servers";

const COUNT = 3;
const authority = new CertificateAuthority("test authority", Date.now());
const ca = authority.cert;
/** No address is in it, so that only its name is right. */
const server = authority.issueServer("sink.example");
const client = authority.issueClient("forwarder.example");
const whole = { ca, ...client, serverName: "sink.example" };

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ state: stateWith(COUNT) });
});
afterAll(() => emulator.close());

type Own = Readonly<Record<string, unknown>>;

/** One round: all of it arrives. */
async function arrivesAt(sink: Own): Promise<void> {
  expect(await roundInto([{ name: "siem", ...sink }], stateWith(COUNT))).toMatchObject({ ok: true, told: [] });
}

/** The first thing that is told. */
async function toldOf(sink: Own): Promise<string | undefined> {
  using folder = temporaryFolder();
  const { forwarder, told } = await startForwarding(configOf(emulator, [{ name: "siem", ...sink }]), folder.path);
  await until(() => told.lines.length > 0);
  await forwarder.stop(0);
  return told.lines[0];
}

/** The answer of each receiver's protocol: items of Elasticsearch, one a document; nothing of a collector; any of a plain server. */
function acknowledgement(path: string | undefined, body: Buffer): string {
  if (path?.endsWith("/v1/logs")) return "";
  if (!path?.endsWith("/_bulk")) return "{}";
  const documents = body.toString("utf8").trim().split("\n").length / 2;
  return JSON.stringify({
    errors: false,
    items: Array.from({ length: documents }, () => ({ create: { status: 201 } })),
  });
}

test("sinks of HTTP keep to the authority, the name and the certificate that their configuration says", async () => {
  const seen: unknown[] = [];
  const web = createServer({ ...server, ca, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    seen.push([request.url, ...whoIn(request)]);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => response.end(acknowledgement(request.url, Buffer.concat(chunks))));
  }).listen(0, "127.0.0.1");
  await once(web, "listening");
  const url = `https://127.0.0.1:${(web.address() as AddressInfo).port}/in`;
  try {
    for (const more of [{ type: "http" }, { type: "elasticsearch", index: "marks" }, { type: "otlp", gzip: true }]) {
      await arrivesAt({ url, tls: whole, ...more });
    }
    const who = ["sink.example", "forwarder.example"];
    expect(seen.splice(0)).toEqual([
      ["/in", ...who],
      ["/in/_bulk", ...who],
      ["/in/v1/logs", ...who],
    ]);
    const { ca: _, ...distrusting } = whole;
    const { serverName: __, ...unnamed } = whole;
    const wrong = (tls: object) => toldOf({ type: "http", url, tls });
    expect(await wrong(distrusting)).toMatch(/accepts no records: .*self-signed certificate in certificate chain/);
    expect(await wrong(unnamed)).toMatch(/accepts no records: .*IP: 127\.0\.0\.1 is not in the cert's list/);
    // By TLS 1.3 a client learns that its certificate was wanted, or that the connection is gone, whichever comes first.
    expect(await wrong({ ca, serverName: "sink.example" })).toMatch(/accepts no records: /);
    expect(seen).toEqual([]);
  } finally {
    web.closeAllConnections();
    web.close();
  }
});

test("so do sinks of NATS, which send nothing where TLS is not to be had", { timeout: BUILD_TIMEOUT }, async () => {
  await using nats = await startNats({ tls: { ca, ...server } });
  const sink = { type: "nats", servers: [nats.url], stream: "MARKS", timeoutMs: 2_000 };
  await arrivesAt({ ...sink, tls: whole });
  const { connect } = await import("@nats-io/transport-node");
  const { jetstreamManager } = await import("@nats-io/jetstream");
  const tls = { ca, ...client, servername: "sink.example" };
  const connection = await connect({ servers: nats.url, tls });
  const { state } = await (await jetstreamManager(connection)).streams.info("MARKS");
  expect(state.messages).toBe(COUNT);
  await connection.close();
  const { ca: _, ...distrusting } = whole;
  expect(await toldOf({ ...sink, tls: distrusting })).toMatch(
    /accepts no records: .*unable to verify the first certificate/,
  );
  await using plain = await startNats();
  expect(await toldOf({ ...sink, servers: [plain.url], tls: whole })).toMatch(/accepts no records: .*tls/);
});

/** The name that was asked for, and whose certificate was shown. */
function whoIn({ socket }: IncomingMessage): unknown[] {
  if (!(socket instanceof TLSSocket)) throw new TypeError("No TLS.");
  return [Reflect.get(socket, "servername"), socket.getPeerCertificate().subject.CN];
}
