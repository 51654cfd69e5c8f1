import { expect, it } from "vitest";
import type { NodeOptions } from "../../provider/client";
import { failureOf, reply, script, serve, TestWorld } from "./support";

const NOTHING = reply(200, { data: [] });

/** When each request came, by the clock of the world, and a world that all clients of a test share. */
async function bench(...answers: Parameters<typeof script>) {
  const world = new TestWorld(() => 0);
  const start = world.time;
  const starts: string[] = [];
  const server = await serve((request, response, count) => {
    const { url, type } = JSON.parse(request.body);
    starts.push(`${(world.time - start) / 1000} s: ${url} ${type}`);
    world.time += 500;
    return script(...answers)(request, response, count);
  });
  const client = (options: Partial<NodeOptions> = {}) => server.node({ ...options }, world);
  return { world, server, starts, client, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

it("a table is listed again three seconds after its last list by any client, other tables at once", async () => {
  await using node = await bench(NOTHING);
  const [one, other] = [
    node.client(),
    node.client({ endpoint: `${node.server.url}/fapi/`, headers: { "x-token": "t" } }),
  ];
  await one.listMarks("edge", "web", "shost");
  await one.listMarks("edge", "web", "dhost");
  await other.listMarks("edge", "web", "shost");
  await one.listMarks("edge", "web", "shost");
  expect(node.starts).toEqual([
    "0 s: mark://edge/web shost",
    "0.5 s: mark://edge/web dhost",
    "3.5 s: mark://edge/web shost",
    "7 s: mark://edge/web shost",
  ]);
});

it("lists that are asked for at the same time follow each other", async () => {
  await using node = await bench(NOTHING);
  const clients = [node.client(), node.client(), node.client()];
  await Promise.all(clients.map((client) => client.listMarks("edge", "web", "conn")));
  expect(node.starts).toEqual([
    "0 s: mark://edge/web conn",
    "3.5 s: mark://edge/web conn",
    "7 s: mark://edge/web conn",
  ]);
});

it("a try that failed counts as a list, and so does one that was refused", async () => {
  await using node = await bench(reply(503, "busy"), reply(503, "busy"), reply(400, "no such table"), NOTHING);
  const client = node.client();
  expect(await failureOf(client.listMarks("edge", "web", "shost"))).toMatchObject({ status: 400, tries: 3 });
  await client.listMarks("edge", "web", "shost");
  expect(node.starts.map((line) => line.split(":")[0])).toEqual(["0 s", "3.5 s", "7 s", "10.5 s"]);
});

it("by node, no two lists of marks come closer, and by off all do", async () => {
  await using node = await bench(NOTHING);
  const [slow, fast] = [node.client({ markPace: "node", markPauseMs: 5_000 }), node.client({ markPace: "off" })];
  await slow.listMarks("edge", "web", "shost");
  await slow.listMarks("edge", "mail", "dhost");
  await fast.listMarks("edge", "mail", "dhost");
  await slow.listMarks("core", "web", "conn");
  expect(node.starts.map((line) => line.split(":")[0])).toEqual(["0 s", "5.5 s", "6 s", "11.5 s"]);
});

it("a caller that waits for a turn can leave, and holds no slot for other requests", async () => {
  await using node = await bench(NOTHING);
  let wake: () => void = () => {};
  node.world.sleep = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      wake = resolve;
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  const client = node.client({ maxConcurrency: 1 });
  await client.listMarks("edge", "web", "shost");
  const leaving = new AbortController();
  const left = client.listMarks("edge", "web", "shost", { signal: leaving.signal });
  await client.listRules("edge", "web");
  leaving.abort();
  expect(await failureOf(left)).toMatchObject({ code: "request-cancelled", outcome: "not-sent" });
  const waits = client.listMarks("edge", "web", "shost");
  node.world.time += 3_000;
  await new Promise(setImmediate);
  wake();
  await waits;
  expect(node.starts.map((line) => line.split(" ").at(-1))).toEqual(["shost", "undefined", "shost"]);
});
