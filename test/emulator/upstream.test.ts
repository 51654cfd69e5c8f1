import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Upstream } from "../../provider/emulator/recording/upstream";

const MEBIBYTE = 1_048_576;

/** A node that answers with so many bytes, and says how many of them it could send. */
async function nodeWith(bytes: number) {
  const chunk = Buffer.alloc(16_384, "x");
  let sent = 0;
  const server = createServer(async (_request, response) => {
    while (sent < bytes && !response.destroyed) {
      sent += chunk.length;
      if (!response.write(chunk)) await new Promise((go) => response.once("drain", go).once("close", go));
    }
    response.end();
  });
  await new Promise<void>((go) => server.listen(0, "127.0.0.1", go));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { base, sent: () => sent };
}

const LIMITS = { maxBytes: MEBIBYTE, deadlineMs: 30_000 };
const request = { method: "POST", target: "/fapi", headers: {}, body: Buffer.from("{}") };

test("an answer is passed on whole up to the limit", async () => {
  const { base } = await nodeWith(MEBIBYTE);
  const upstream = new Upstream(base, "", new AbortController().signal, LIMITS);
  expect((await upstream.send(request as never)).body).toEqual(Buffer.alloc(MEBIBYTE, "x"));
});

test("an answer that comes a byte at a time is refused with its deadline", async () => {
  const server = createServer((_request, response) => {
    const timer = setInterval(() => response.write("x"), 10);
    response.once("close", () => clearInterval(timer));
  });
  await new Promise<void>((go) => server.listen(0, "127.0.0.1", go));
  onTestFinished(() => void server.close());
  const base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const upstream = new Upstream(base, "", new AbortController().signal, { ...LIMITS, deadlineMs: 300 });
  await expect(upstream.send(request as never)).rejects.toThrow("no whole answer within 0.3 s");
});

test("an answer beyond the limit is refused with the limit, and no more of it is read", async () => {
  const { base, sent } = await nodeWith(1_000 * MEBIBYTE);
  const upstream = new Upstream(base, "", new AbortController().signal, LIMITS);
  await expect(upstream.send(request as never)).rejects.toThrow("the answer is larger than 1048576 bytes");
  expect(sent()).toBeLessThan(100 * MEBIBYTE);
});
