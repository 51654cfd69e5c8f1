import { Metadata, Server, ServerCredentials, status } from "@grpc/grpc-js";
import { afterEach, expect, test } from "vitest";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { roundInto, stateOf } from "./support/forward";

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

/** An answer by what is in a request: its records, and the names of its headers. */
type Answer = (records: string[], metadata: Metadata) => { code: number; details: string } | undefined;

/** One round of some marks into a collector that answers so. */
async function sent(answer: Answer, own: object = {}, marks = 3, isSecure = false) {
  server = new Server();
  server.addService(
    { Export: METHOD },
    {
      Export: (call: { request: Buffer; metadata: Metadata }, done: (error: object | null, value?: Buffer) => void) => {
        const records = call.request.toString("latin1").match(/198\.18\.0\.\d+ added/g) ?? [];
        const failure = answer(records, call.metadata);
        if (failure) done({ ...failure, metadata: new Metadata() });
        else done(null, Buffer.alloc(0));
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
  const url = `${isSecure ? "https" : "http"}://127.0.0.1:${port}`;
  const tls = isSecure && { tls: { ca: authority.cert } };
  const otel = { name: "otel", type: "otlp", protocol: "grpc", url, ...tls, ...own };
  const { ok, told, letters } = await roundInto([otel], stateOf(1, marks));
  return { ok, told, rejected: letters.length };
}

test.each([false, true])("a collector gets the records as one message of the service; TLS: %s", async (isSecure) => {
  const got: unknown[] = [];
  const answer: Answer = (records, metadata) => void got.push([metadata.get("x-tenant"), records.length]);
  const round = await sent(answer, { headers: { "X-Tenant": "edge" }, gzip: true }, 3, isSecure);
  expect([round, got]).toEqual([{ ok: true, told: [], rejected: 0 }, [[["edge"], 3]]]);
});

test("a message beyond the server's limit, or with a record that it refuses, is halved until all others are taken", async () => {
  let largest = 0;
  const answer: Answer = (records) => {
    if (records.length > 2)
      return { code: status.RESOURCE_EXHAUSTED, details: "grpc: received message larger than max (9 vs. 4)" };
    if (records.includes("198.18.0.1 added")) return { code: status.INVALID_ARGUMENT, details: "no such field" };
    largest = Math.max(largest, records.length);
    return undefined;
  };
  const { ok, rejected } = await sent(answer, {}, 8);
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
  const round = await sent(() => (++tries === 1 ? { code, details } : undefined));
  expect([round.ok, round.rejected, tries]).toEqual([true, 0, 2]);
});

test("zstd is not for gRPC", async () => {
  await expect(sent(() => undefined, { zstd: true })).rejects.toThrow("is not for gRPC: use `gzip`");
});
