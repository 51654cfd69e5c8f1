import { expect, it } from "vitest";
import { capture } from "../../provider/capture/capture";
import { NodeClient, type NodeOptions } from "../../provider/client";
import { NodeMemories } from "../../provider/client/world";
import { type DialectSettings, startEmulator } from "../../provider/emulator";

const profiles = { web: { marks: { shost: [{ address: "203.0.113.9", id: 5 }] } }, mail: {}, dns: {} };

/** A node whose clock moves only by the pauses of its client, and a client of it. */
async function bench(dialect: DialectSettings, options: Partial<NodeOptions> = {}) {
  const emulator = await startEmulator({ state: { arenas: { edge: { profiles } } }, dialect });
  emulator.clock.freeze();
  const start = emulator.clock.ms;
  const world = {
    monotonic: () => emulator.clock.ms,
    sleep: async (ms: number) => emulator.clock.advance(Math.ceil(ms)),
    random: () => 0,
    memories: new NodeMemories(),
  };
  const client = new NodeClient({ endpoint: emulator.endpoint, ...options }, world);
  return {
    emulator,
    client,
    seconds: () => (emulator.clock.ms - start) / 1_000,
    /** Lists of marks: how many, how many of them too soon, and how many were refused. */
    lists: () => {
      const lists = emulator.requests().filter(({ type }) => type !== undefined);
      const tooSoon = lists.filter((list) => list.tooSoon).length;
      return { lists: lists.length, tooSoon, failed: lists.filter(({ status }) => status !== 200).length };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await emulator.close();
    },
  };
}

it("each of the twelve tables is listed once, at once on a node that keeps them apart", async () => {
  await using node = await bench({ markPace: "table" });
  await capture(node.client, { resources: ["edge"] });
  expect([node.lists(), node.seconds()]).toEqual([{ lists: 12, tooSoon: 0, failed: 0 }, 0]);
  await capture(node.client, { resources: ["edge"] });
  expect(node.lists()).toEqual({ lists: 24, tooSoon: 0, failed: 0 });
});

it("on a node that counts any two lists they are three seconds apart", async () => {
  await using node = await bench({ markPace: "node" }, { markPace: "node" });
  await capture(node.client, { resources: ["edge"] });
  expect([node.lists(), node.seconds()]).toEqual([{ lists: 12, tooSoon: 0, failed: 0 }, 33]);
});

it("a table that fails is tried again after the pause, and a missing one counts as listed", async () => {
  await using node = await bench({ missingTable: "error", markPace: "node" }, { markPace: "node" });
  node.emulator.fail({ cmd: "list", url: "mark://edge/mail", nth: 1, status: 503 });
  node.emulator.fail({ cmd: "list", url: "mark://edge/mail", nth: 2, kind: "reset" });
  const warnings: string[] = [];
  await capture(node.client, { resources: ["edge"], warn: (message) => void warnings.push(message) });
  expect(warnings).toHaveLength(11);
  expect([node.lists(), node.seconds()]).toEqual([{ lists: 14, tooSoon: 0, failed: 13 }, 39]);
});
