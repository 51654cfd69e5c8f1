import { once } from "node:events";
import { cpSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { NodeClient, type NodeOptions } from "../../provider/client";
import { NodeMemories } from "../../provider/client/world";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { TestClock, until } from "./support/clock";
import { configOf, forwardOnce, startForwarding, stateOf, stateWith, temporaryFolder } from "./support/forward";

const STATE = { arenas: { edge: { profiles: { web: { marks: {} } } } } };

/** A forwarder of two tables, and a client of the same node in the same process. */
async function bench(emulator: Emulator, folder: string, node: Partial<NodeOptions>, everyMs = 3_000) {
  const clock = new TestClock();
  const memories = new NodeMemories();
  const options = { endpoint: emulator.endpoint, ...node };
  const watch = [{ arena: "edge", types: ["shost" as const, "dhost" as const] }];
  const config = configOf(emulator, [], { nodes: { fra1: options }, watch, everyMs, structureEveryMs: 3_600_000 });
  const { forwarder } = await startForwarding(config, folder, { world: clock, memories, onRecord: () => {} });
  const client = new NodeClient(options, { ...clock, memories });
  let answered = 0;
  const ask = async () => {
    await client.listMarks("edge", "web", "shost");
    answered++;
  };
  const lists = (type: string) => emulator.requests({ cmd: "list" }).filter((one) => one.type === type).length;
  const polls = (outcome: string) => forwarder.metrics.get("polls_total", { node: "fra1", outcome });
  /** Lets time pass until so many lists of both tables have come and are over, and no more. */
  const after = async (ms: number, expected: number) => {
    clock.advance(ms);
    const total = () => lists("shost") + lists("dhost");
    await until(() => total() >= expected && polls("taken") + polls("failed") + answered === total());
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(total()).toBe(expected);
    return [lists("shost"), lists("dhost")];
  };
  return { ask, after, [Symbol.asyncDispose]: () => client.close() };
}

test("every list in the process counts: forwarder and client take turns at a table", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: STATE });
  await using forwarding = await bench(emulator, folder.path, {}, 6_000);
  await forwarding.after(0, 2);
  void forwarding.ask();
  await forwarding.after(2_999, 2);
  expect(await forwarding.after(1, 3)).toEqual([2, 1]);
  // Both are due at 6 s, but the client has listed one of them at 3 s: six seconds are for the forwarder from there.
  expect(await forwarding.after(3_000, 4)).toEqual([2, 2]);
  await forwarding.after(2_999, 4);
  expect(await forwarding.after(1, 5)).toEqual([3, 2]);
});

test("by node: one list at a time with a pause between, failed tries included", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: STATE });
  emulator.fail({ cmd: "list", url: "mark://edge/web", status: 503, times: 1 });
  await using forwarding = await bench(emulator, folder.path, { markPace: "node", markPauseMs: 4_000 });
  await forwarding.after(0, 1);
  for (let count = 1; count < 5; count++) {
    await forwarding.after(3_999, count);
    const [shost = 0, dhost = 0] = await forwarding.after(1, count + 1);
    expect(Math.abs(shost - dhost)).toBeLessThanOrEqual(1);
  }
});

test("off: no table waits for another, and a table is polled as often as everyMs says", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: STATE });
  await using forwarding = await bench(emulator, folder.path, { markPace: "off", markPauseMs: 60_000 });
  await forwarding.after(0, 2);
  await forwarding.ask();
  expect(await forwarding.after(0, 3)).toEqual([2, 1]);
  await forwarding.after(2_999, 3);
  expect(await forwarding.after(1, 5)).toEqual([3, 2]);
});

test("a node that refuses connections delays no other, also right after a kill", async () => {
  using folder = temporaryFolder();
  await using up = await startEmulator({ state: stateOf(0) });
  const clock = new TestClock();
  const down = { endpoint: "http://127.0.0.1:1" };
  const config = configOf(up, [], { nodes: { down, up: { endpoint: up.endpoint } } });
  const lists = () => up.requests({ cmd: "list", type: "shost" }).length;
  const first = await startForwarding(config, folder.path, { world: clock, onRecord: () => {} });
  await until(() => first.forwarder.metrics.get("polls_total", { node: "up", outcome: "taken" }) === 1);
  // What a kill -9 leaves.
  cpSync(join(folder.path, "forwarder-state"), join(folder.path, "killed"), { recursive: true });
  const { forwarder } = await startForwarding({ ...config, state: "killed" }, folder.path, {
    world: clock,
    onRecord: () => {},
  });
  await first.forwarder.stop(0);
  const taken = () => forwarder.metrics.get("polls_total", { node: "up", outcome: "taken" });
  const before = lists();
  // It is not known when the killed one listed last: a whole pause, and no more.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
  for (let round = 1; round <= 4; round++) {
    clock.advance(2_999);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([lists() - before, taken()]).toEqual([round - 1, round - 1]);
    clock.advance(1);
    await until(() => taken() === round);
  }
});

test.each([false, "mutual"] as const)(
  "a node gets all requests of a round over one connection (TLS: %s)",
  async (tls) => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: stateWith(2), tls });
    let connections = 0;
    const relay = createServer((socket) => {
      connections++;
      socket.pipe(connect(Number(new URL(emulator.endpoint).port), "127.0.0.1")).pipe(socket);
    }).listen(0, "127.0.0.1");
    await once(relay, "listening");
    onTestFinished(() => void relay.close());
    const endpoint = `${tls ? "https" : "http"}://127.0.0.1:${(relay.address() as AddressInfo).port}`;
    const node = { endpoint, ...(emulator.tls && { tls: emulator.tls }) };
    const { ok } = await forwardOnce(configOf(emulator, [], { nodes: { fra1: node } }), folder.path, {
      onRecord: () => {},
    });
    expect([ok, connections, emulator.requests().length]).toEqual([true, 1, 3]);
  },
);
