import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { pipeline } from "node:stream/promises";
import { expect, onTestFinished, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { HttpConnection } from "../../provider/forwarder/http";
import { forwarderWorld } from "../../provider/forwarder/world";
import { serveRaw } from "../support/raw-server";
import { asking } from "./support/asking";
import { until } from "./support/clock";
import { configOf, startForwarding, stateWith, temporaryFolder } from "./support/forward";

const MEBIBYTE = 1_048_576;
const CHUNK = Buffer.alloc(65_536, "x");

/** Writes as fast as it is read, until the connection ends. */
async function flood(response: ServerResponse): Promise<void> {
  const endless = function* () {
    for (;;) yield CHUNK;
  };
  await pipeline(endless, response).catch(() => {});
}

/** Writes a byte at a time, more often than any time without a byte allows. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(" "), 20);
  response.once("close", () => clearInterval(timer));
}

const head = (status: number) => (response: ServerResponse) =>
  void response.writeHead(status, { ...(status === 307 && { location: "/again" }) });

/** Answers that have no end, by status and kind. */
const ENDLESS = [200, 307, 400, 503].flatMap((status) =>
  Object.entries({ flood, drip }).map(([name, write]) => [name, status, write] as const),
);

/** A server that answers so, and counts what it could send. */
async function endless(status: number, write: (response: ServerResponse) => unknown) {
  let [requests, sent] = [0, 0];
  const server = await serveRaw((_, response) => {
    requests += 1;
    response.once("close", () => {
      sent += response.socket?.bytesWritten ?? 0;
    });
    head(status)(response);
    void write(response);
  });
  return Object.assign(server, { requests: () => requests, sent: () => sent });
}

test.each(ENDLESS)("%s with status %i ends at a limit in bytes or in time", async (_, status, write) => {
  using server = await endless(status, write);
  const connection = new HttpConnection({ connections: 1 }, forwarderWorld);
  const request = { method: "POST" as const, origin: server.url, path: "/in", headers: {}, body: "{}" };
  const limits = { timeoutMs: 10_000, deadlineMs: 500, maxBytes: MEBIBYTE, follows: true };
  await expect(connection.post({ request, ...limits })).rejects.toThrow(
    /the answer is larger than 1048576 bytes|no whole answer within 500 ms/,
  );
  await connection.close();
  // Six answers at most, of which kernels on both sides hold some megabytes each.
  expect(server.requests()).toBeLessThanOrEqual(6);
  expect(server.sent()).toBeLessThan(server.requests() * 32 * MEBIBYTE);
});

test.each([
  ["before its answer", () => {}, "no answer within 300 ms"],
  ["within its answer", (response: ServerResponse) => void response.write(" "), "no byte within 300 ms"],
] as const)("silence %s ends at the time without a byte, well before the deadline", async (_, write, words) => {
  using server = await endless(200, write);
  const connection = new HttpConnection({ connections: 1 }, forwarderWorld);
  const request = { method: "POST" as const, origin: server.url, path: "/in", headers: {}, body: "{}" };
  const limits = { timeoutMs: 300, deadlineMs: 600_000, maxBytes: MEBIBYTE, follows: false };
  await expect(connection.post({ request, ...limits })).rejects.toMatchObject({ message: words, lateMs: undefined });
  await connection.close();
});

test("a host that lets no connection come up ends by the deadline and by the signal, and holds up no close", async () => {
  // Accepts, and shakes no hands of TLS.
  const silent = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const origin = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const connection = new HttpConnection({ connections: 1 }, forwarderWorld);
  const request = { method: "POST" as const, origin, path: "/in", headers: {}, body: "{}" };
  const limits = { request, timeoutMs: 600_000, maxBytes: MEBIBYTE, follows: false };
  await expect(connection.post({ ...limits, deadlineMs: 300 })).rejects.toThrow("no whole answer within 300 ms");
  const stopped = { deadlineMs: 600_000, signal: AbortSignal.timeout(100) };
  await expect(connection.post({ ...limits, ...stopped })).rejects.toThrow("cancelled");
  await connection.close();
}, 20_000);

test.each([200, 307])("a sink that answers %i without an end is stuck: in log, metric and /readyz", async (status) => {
  using folder = temporaryFolder();
  using server = await endless(status, drip);
  await using emulator = await startEmulator({ state: stateWith(3) });
  const web = { name: "web", type: "http", url: `${server.url}/in`, deadlineMs: 300, followRedirects: true };
  // A delivery that may wait for indexers may last longer than a request of it.
  const more = { type: "splunk", token: "canary", indexerAcknowledgement: true };
  const { forwarder, told } = await startForwarding(
    configOf(emulator, [web, { ...web, name: "index", ...more }]),
    folder.path,
  );
  await until(() => told.lines.some((line) => line.startsWith('warn Sink "index" accepts no records')));
  const stuck = 'Sink "web" is stuck: a delivery has lasted 300 ms without an end.';
  await until(() => told.lines.includes(`warn ${stuck}`));
  expect(forwarder.metrics.get("stuck", { sink: "web" })).toBe(1);
  const [code, document] = await (await asking(forwarder))("/readyz");
  expect([code, document]).toEqual([
    503,
    expect.objectContaining({ checks: expect.objectContaining({ sinks: { ok: false, reasons: [stuck] } }) }),
  ]);
  await until(() => told.lines.some((line) => line.includes("no whole answer within 300 ms")));
});

test("a node that drips a list is one that fails, by its deadline", async () => {
  using folder = temporaryFolder();
  using server = await endless(200, drip);
  const nodes = { fra1: { endpoint: server.url, deadlineMs: 500 } };
  const watch = [{ arena: "edge", profiles: ["web"], types: ["shost" as const] }];
  const parts = { onRecord: () => {} };
  const { told } = await startForwarding(configOf({ endpoint: server.url }, [], { nodes, watch }), folder.path, parts);
  await until(() => told.lines.some((line) => line.startsWith("warn ")));
});
