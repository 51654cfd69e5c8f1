import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { Prefix } from "../../provider/model/prefix";
import { probe } from "../../provider/probe/probe";
import { atOnce } from "./at-once";

const OWN = "198.51.100.0/24";
const SECRET = "secret_key invalid";
const ACTIVE = "cloud signaling already active";
const INACTIVE = "cloud signaling is not active";

/** Number of requests that are answered with a code while the receiver is busy. */
const BUSY = 10;

/** A receiver that answers 200 to everything: `{"outcome":"done"}`, or `{"outcome":"error"}` with a text of the contract. */
async function startReceiver({
  stopsSayRefused = false,
  diesAtStart = Number.POSITIVE_INFINITY,
  busyFrom = Number.POSITIVE_INFINITY,
}) {
  const active = new Set<string>();
  let starts = 0;
  let requests = 0;
  const answerTo = (path: string, prefixes: readonly string[]) => {
    const [, , , secret, operation] = path.split("/");
    const refused = (why: string) => ({ outcome: "error", why });
    if (secret !== "s3cret") return refused(SECRET);
    if (operation === "status") return { outcome: "done", active: [...active] };
    const isStart = operation === "start";
    if (prefixes.some((prefix) => active.has(prefix) === isStart)) return refused(isStart ? ACTIVE : INACTIVE);
    for (const prefix of prefixes) isStart ? active.add(prefix) : active.delete(prefix);
    if (isStart) starts += 1;
    return !isStart && stopsSayRefused ? refused(INACTIVE) : { outcome: "done" };
  };
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => (text += part));
    request.on("end", () => {
      if (starts >= diesAtStart) return request.socket.destroy();
      requests += 1;
      if (requests >= busyFrom && requests < busyFrom + BUSY) return response.end('{"code":12,"msg":"later"}');
      const answer = answerTo(request.url ?? "", text === "" ? [] : JSON.parse(text).IP_prefix);
      if (starts >= diesAtStart) return request.socket.destroy();
      return response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    active,
    url: `http://127.0.0.1:${port}/path`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const probed = (url: string) =>
  probe({
    urls: [],
    receiver: { options: { url, clientId: "client-a", secretKey: "s3cret" }, prefix: Prefix.parse(OWN) },
    world: atOnce(),
  });

test("a stop that is answered with a refusal of the contract teaches no success, though nothing is active after it", async () => {
  await using receiver = await startReceiver({ stopsSayRefused: true });
  const { receiver: settings, left } = await probed(receiver.url);
  expect(settings).toEqual({ answers: { name: "active", success: { member: "outcome", values: ["done"] } } });
  expect({ left, active: [...receiver.active] }).toEqual({ left: [], active: [] });
});

test("a single address that was started without its length is stopped so where a receiver keeps what it was sent", async () => {
  await using receiver = await startReceiver({});
  const { left } = await probed(receiver.url);
  expect({ left, active: [...receiver.active] }).toEqual({ left: [], active: [] });
});

test("what a receiver that dies at a later start may have kept is named", async () => {
  await using receiver = await startReceiver({ diesAtStart: 2 });
  const { left } = await probed(receiver.url);
  expect(receiver.active.size).toBe(1);
  expect(left.map(({ prefixes }) => prefixes)).toEqual([[...receiver.active]]);
});

test.each([7, 8, 9, 11, 14, 20])(
  "a receiver that answers with a code alone for a while, from request %i on, is left with nothing signaled",
  async (busyFrom) => {
    await using receiver = await startReceiver({ busyFrom });
    const { left } = await probed(receiver.url);
    expect({ left, active: [...receiver.active] }).toEqual({ left: [], active: [] });
  },
);
