import { expect, test } from "vitest";
import { Upstream } from "../../provider/emulator/recording/upstream";
import { serveRaw } from "../support/raw-server";

const MEBIBYTE = 1_048_576;

/** A node that answers with so many bytes, and says how many of them it could send. */
async function nodeWith(bytes: number) {
  const chunk = Buffer.alloc(16_384, "x");
  let sent = 0;
  const server = await serveRaw(async (_, response) => {
    const closed = new Promise((go) => response.once("close", go));
    while (sent < bytes && !response.destroyed) {
      sent += chunk.length;
      if (!response.write(chunk)) await Promise.race([closed, new Promise((go) => response.once("drain", go))]);
    }
    response.end();
  });
  return { ...server, sent: () => sent };
}

/** Passes a request on to a node. */
async function send({ url }: { url: string }, deadlineMs = 30_000) {
  const upstream = new Upstream(new URL(url), "", new AbortController().signal, { maxBytes: MEBIBYTE, deadlineMs });
  return upstream.send({ method: "POST", target: "/fapi", headers: {}, body: Buffer.from("{}") });
}

test("an answer is passed on whole up to the limit", async () => {
  using node = await nodeWith(MEBIBYTE);
  expect((await send(node)).body).toEqual(Buffer.alloc(MEBIBYTE, "x"));
});

test("an answer that comes a byte at a time is refused with its deadline", async () => {
  using node = await serveRaw((_, response) => {
    const timer = setInterval(() => response.write("x"), 10);
    response.once("close", () => clearInterval(timer));
  });
  await expect(send(node, 300)).rejects.toThrow("no whole answer within 0.3 s");
});

test("an answer beyond the limit is refused with the limit, and no more of it is read", async () => {
  using node = await nodeWith(1_000 * MEBIBYTE);
  await expect(send(node)).rejects.toThrow("the answer is larger than 1048576 bytes");
  expect(node.sent()).toBeLessThan(100 * MEBIBYTE);
});
