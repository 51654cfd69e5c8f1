import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Metadata, Server, ServerCredentials, status } from "@grpc/grpc-js";
import { afterEach, expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { forwardOnce, stateWith, temporaryFolder } from "./support/forward";

/** The service of opentelemetry/proto/collector/logs/v1/logs_service.proto, with messages as bytes. */
const METHOD = {
  path: "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
  requestStream: false,
  responseStream: false,
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (bytes: Buffer) => bytes,
  responseDeserialize: (bytes: Buffer) => bytes,
};
const authority = new CertificateAuthority("test authority", Date.now());
let server: Server | undefined;
afterEach(() => server?.forceShutdown());

/** A collector that answers each request, by what is in it. */
async function collector(
  answer: (request: Buffer, metadata: Metadata) => Buffer | { code: number; details: string },
  isSecure = false,
) {
  server = new Server();
  server.addService(
    { Export: METHOD },
    {
      Export: (call: { request: Buffer; metadata: Metadata }, done: (error: object | null, value?: Buffer) => void) => {
        const given = answer(call.request, call.metadata);
        if (Buffer.isBuffer(given)) done(null, given);
        else done({ ...given, metadata: new Metadata() });
      },
    },
  );
  const { cert, key } = authority.issueServer("127.0.0.1");
  const credentials = isSecure
    ? ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }])
    : ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) =>
    server?.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  return `${isSecure ? "https" : "http"}://127.0.0.1:${port}`;
}

/** One round of some marks into a collector. */
async function sent(url: string, more: object, marks = 3, onceDeadlineMs = 30_000) {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(marks) });
  const config = {
    nodes: { fra1: { endpoint: emulator.endpoint } },
    watch: [{ arena: "edge", types: ["shost" as const] }],
    sinks: [{ name: "otel", type: "otlp" as const, protocol: "grpc" as const, url, ...more }],
    onceDeadlineMs,
  };
  const { ok, told } = await forwardOnce(config, folder.path);
  const kept = (): string => {
    try {
      return readFileSync(join(folder.path, "forwarder-state/rejected/otel/00000001.ndjson"), "utf8");
    } catch {
      return "";
    }
  };
  return {
    ok,
    told,
    rejected: kept()
      .split("\n")
      .filter((line) => line !== "").length,
  };
}

const NOTHING = Buffer.alloc(0);

test.each([false, true])(
  "a collector gets the records as one message of the published service; TLS: %s",
  async (isSecure) => {
    const got: string[] = [];
    const url = await collector((request, metadata) => {
      got.push(`${metadata.get("x-tenant")} ${request.toString("latin1").match(/packetfilter\.mark\.added/g)?.length}`);
      return NOTHING;
    }, isSecure);
    const tls = isSecure ? { tls: { ca: authority.cert } } : {};
    expect(await sent(url, { headers: { "X-Tenant": "edge" }, gzip: true, ...tls })).toEqual({
      ok: true,
      told: [],
      rejected: 0,
    });
    expect(got).toEqual(["edge 3"]);
  },
);

test("a message beyond the server's limit, or with a record that it refuses, is halved until all others are taken", async () => {
  let largest = 0;
  const url = await collector((request) => {
    const text = request.toString("latin1");
    const count = text.match(/packetfilter\.mark\.added/g)?.length ?? 0;
    if (count > 2)
      return { code: status.RESOURCE_EXHAUSTED, details: "grpc: received message larger than max (9 vs. 4)" };
    if (text.includes("198.18.0.1 ")) return { code: status.INVALID_ARGUMENT, details: "no such field" };
    largest = Math.max(largest, count);
    return NOTHING;
  });
  const { ok, rejected } = await sent(url, {}, 8);
  expect({ ok, rejected, largest }).toEqual({ ok: false, rejected: 1, largest: 2 });
});

test.each([
  [status.UNAVAILABLE, "starting"],
  [status.RESOURCE_EXHAUSTED, "quota"],
  [status.INTERNAL, "broken"],
  [status.UNIMPLEMENTED, "unknown service"],
  [status.UNAUTHENTICATED, "no token"],
  [status.PERMISSION_DENIED, "not you"],
])("an answer with code %s is an outage, after which all is sent again", async (code, details) => {
  let tries = 0;
  const url = await collector(() => (++tries === 1 ? { code, details } : NOTHING));
  expect(await sent(url, {})).toMatchObject({ ok: true, rejected: 0 });
  expect(tries).toBe(2);
});

test("zstd is not for gRPC", async () => {
  await expect(sent("http://127.0.0.1:1", { zstd: true })).rejects.toThrow("is not for gRPC: use `gzip`");
});
