import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { shareOut } from "../../provider/forwarder/cluster/rendezvous";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { ForwardProcess } from "./support/child";
import { openForwarder, pausesOf, temporaryFolder } from "./support/forward";
import { BUILD_TIMEOUT, startNats } from "./support/servers";

describe("nodes are spread", () => {
  const nodes = Array.from({ length: 10 }, (_, n) => `node${n}`);
  const sizes = (owners: Map<string, string>) => {
    const counts: Record<string, number> = {};
    for (const owner of owners.values()) counts[owner] = (counts[owner] ?? 0) + 1;
    return Object.values(counts).sort();
  };

  test("evenly over any number of members, the same wherever it is reckoned", () => {
    expect(sizes(shareOut(nodes, ["a"]))).toEqual([10]);
    expect(sizes(shareOut(nodes, ["a", "b"]))).toEqual([5, 5]);
    expect(sizes(shareOut(nodes, ["a", "b", "c"]))).toEqual([3, 3, 4]);
    expect(shareOut([...nodes].reverse(), ["c", "a", "b"])).toEqual(shareOut(nodes, ["a", "b", "c"]));
    expect(shareOut(nodes, []).size).toBe(0);
  });
});

const NODES = 10;
let nats: Awaited<ReturnType<typeof startNats>>;
let emulators: Emulator[];

beforeAll(async () => {
  nats = await startNats();
  const state = {
    arenas: {
      edge: {
        profiles: { web: { marks: { shost: [{ address: "203.0.113.45", id: 1, value: 1, lifetime: 3_600 }] } } },
      },
    },
  };
  emulators = await Promise.all(Array.from({ length: NODES }, () => startEmulator({ state })));
}, BUILD_TIMEOUT);
afterAll(async () => {
  await nats?.[Symbol.asyncDispose]();
  await Promise.all((emulators ?? []).map((emulator) => emulator.close()));
});

/** Looks now and then, in real time: leases are about it. */
async function eventually(look: () => boolean): Promise<number> {
  const began = performance.now();
  while (!look()) await new Promise((resolve) => setTimeout(resolve, 25));
  return performance.now() - began;
}

test("two share ten nodes, one is killed, the other has all within 15 s; no node is polled twice or too soon", {
  timeout: 90_000,
}, async () => {
  using folder = temporaryFolder();
  const nodes = Object.fromEntries(emulators.map(({ endpoint }, index) => [`node${index}`, { endpoint }]));
  const config = {
    nodes,
    watch: [{ arena: "edge", types: ["shost" as const] }],
    cluster: { servers: [nats.url], bucket: "ten", leaseMs: 3_000 },
  };
  const file = join(folder.path, "forwarder.yaml");
  writeFileSync(
    file,
    JSON.stringify({ ...config, state: "other", sinks: [{ name: "disk", type: "file", path: "other.ndjson" }] }),
  );
  const records: ForwardRecord[] = [];
  const { forwarder } = await openForwarder({ ...config, state: "mine" }, folder.path, {
    onRecord: (record) => void records.push(record),
  });
  const held = () => forwarder.nodes.length;
  const lists = () =>
    emulators.map((emulator) => emulator.requests({ cmd: "list" }).filter(({ type }) => type === "shost").length);
  forwarder.start();
  try {
    await eventually(() => held() === NODES);
    const other = ForwardProcess.start(file);
    await eventually(() => held() === NODES / 2);
    const before = lists();
    await eventually(() => lists().every((count, index) => count > (before[index] ?? 0)));
    const mine = new Set(forwarder.nodes.map(({ name }) => name));

    await other.end("SIGKILL");
    const took = await eventually(() => held() === NODES);
    expect(took).toBeLessThan(15_000);
    const killed = lists();
    await eventually(() => lists().every((count, index) => count > (killed[index] ?? 0)));
    await eventually(() => records.filter(({ event }) => event === "reset").length === NODES / 2);

    // What was taken over begins with a reset; what was never given away goes on without one.
    const resets = records.filter(({ event }) => event === "reset").map(({ node }) => node);
    expect(resets.sort()).toEqual(
      Object.keys(nodes)
        .filter((name) => !mine.has(name))
        .sort(),
    );
    for (const node of resets) {
      const [first, second] = records.filter((record) => record.node === node).slice(-2);
      expect([first?.event, second?.event, second?.epoch === first?.epoch]).toEqual(["reset", "added", true]);
    }
    expect(emulators.flatMap(pausesOf).filter((ms) => ms < 3_000)).toEqual([]);

    // NATS away for longer than a lease: polling stops by itself, and goes on when NATS is back.
    await nats.kill();
    await eventually(() => held() === 0);
    expect(forwarder.metrics.get("lease_lost_total", { node: "node0" })).toBe(1);
    const { port, folder: store } = nats;
    nats = await startNats({ port, folder: store });
    await eventually(() => held() === NODES);
    expect(forwarder.metrics.get("lease_held", { node: "node0" })).toBe(1);
  } finally {
    await forwarder.stop(0);
  }
});
