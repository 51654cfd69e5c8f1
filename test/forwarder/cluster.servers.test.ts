import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { ForwardProcess } from "./support/child";
import { fastClock, fastWall } from "./support/fast-clock.cjs";
import { openForwarder, recordsIn, stateOf, temporaryFolder } from "./support/forward";
import { BUILD_TIMEOUT, startNats } from "./support/servers";

const NODES = 10;
const NAMES = Array.from({ length: NODES }, (_, n) => `node${n}`);
/** Speed of the clocks of forwarders and nodes. Leases end by the real clock of the server. */
const TIMES = 2;
const LEASE_MS = 2_000;

let nats: Awaited<ReturnType<typeof startNats>>;
let emulators: Emulator[];

beforeAll(async () => {
  nats = await startNats();
  emulators = await Promise.all(
    NAMES.map(async () => {
      let value = 0;
      const emulator: Emulator = await startEmulator({
        state: stateOf(value),
        wall: fastWall(TIMES),
        // Each list finds a mark that changed, so that each reading is a record.
        onRequest: ({ type }) => void (type === "shost" && emulator.seed(stateOf(++value))),
      });
      return emulator;
    }),
  );
}, BUILD_TIMEOUT);
afterAll(async () => {
  await nats?.[Symbol.asyncDispose]();
  await Promise.all((emulators ?? []).map((emulator) => emulator.close()));
});

/** Looks now and then, in real time: leases are about it. */
async function eventually(look: () => boolean): Promise<void> {
  while (!look()) await new Promise((resolve) => setTimeout(resolve, 25));
}

/** Lists of marks of each node: who asked, by the name that each forwarder calls itself, and when. */
const lists = () =>
  emulators.map((emulator) =>
    emulator
      .requests({ cmd: "list", type: "shost" })
      .map(({ headers, time }) => ({ who: headers["user-agent"] ?? "", at: Date.parse(time) })),
  );

/** Number of nodes of each forwarder, by the last list of each node. */
function shares(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const node of lists()) {
    const who = node.at(-1)?.who;
    if (who) counts[who] = (counts[who] ?? 0) + 1;
  }
  return counts;
}

test("three, two, then one share ten nodes, by kill -9 and without NATS: evenly, in order, lossless", {
  timeout: 90_000,
}, async () => {
  using folder = temporaryFolder();
  const configOf = (who: string) => ({
    nodes: Object.fromEntries(
      emulators.map(({ endpoint }, n) => [`node${n}`, { endpoint, headers: { "user-agent": who } }]),
    ),
    watch: [{ arena: "edge", types: ["shost" as const] }],
    cluster: { servers: [nats.url], bucket: "ten", leaseMs: LEASE_MS },
    state: `state-${who}`,
  });
  /** A forwarder in a process of its own, whose date is wrong. */
  const startOther = (who: string, ahead: number) => {
    const file = join(folder.path, `${who}.json`);
    writeFileSync(
      file,
      JSON.stringify({ ...configOf(who), sinks: [{ name: "disk", type: "file", path: `${who}.ndjson` }] }),
    );
    return ForwardProcess.startFast(file, TIMES, ahead);
  };
  const DAY = 86_400_000;
  const mine: ForwardRecord[] = [];
  const { forwarder } = await openForwarder(configOf("a"), folder.path, {
    world: fastClock(TIMES),
    onRecord: (record) => void mine.push(record),
  });
  const metric = (name: Parameters<typeof forwarder.metrics.get>[0]) =>
    NAMES.map((node) => forwarder.metrics.get(name, { node }));
  const held = () => metric("lease_held").reduce((sum, one) => sum + one, 0);
  forwarder.start();
  try {
    let b = startOther("b", DAY);
    let c = startOther("c", -DAY);
    await eventually(
      () => Object.values(shares()).sort().join() === "3,3,4" && existsSync(join(folder.path, "c.ndjson")),
    );

    await c.end("SIGKILL");
    await eventually(() => shares().a === NODES / 2 && shares().b === NODES / 2);
    // Between two lists of a node: less than 15 s, less what a lease of the usual 6 s would have lasted longer.
    const gaps = lists().flatMap((node) => node.slice(1).map(({ at }, index) => at - (node[index]?.at ?? 0)));
    expect(gaps.filter((ms) => ms / TIMES > 15_000 - (6_000 - LEASE_MS))).toEqual([]);

    // NATS is away for longer than a lease: polling stops by itself, and goes on when NATS is back. Meanwhile another one died.
    const [holds, lost] = [metric("lease_held"), metric("lease_lost_total")];
    await nats.kill();
    await eventually(() => held() === 0 && forwarder.nodes.length === 0);
    expect(metric("lease_lost_total")).toEqual(lost.map((count, node) => count + (holds[node] ?? 0)));
    await b.end("SIGKILL");
    const { port, folder: store } = nats;
    nats = await startNats({ port, folder: store });
    await eventually(() => shares().a === NODES && held() === NODES);
    expect(forwarder.nodes).toHaveLength(NODES);

    // Those that were killed come back, take their share in the midst of the pace, deliver what they had not, and give their
    // nodes back when they end.
    [b, c] = [startOther("b", DAY), startOther("c", -DAY)];
    await eventually(() => Object.keys(shares()).length === 3);
    expect([await b.end("SIGTERM"), await c.end("SIGTERM")]).toEqual([0, 0]);
    await eventually(() => held() === NODES);
  } finally {
    await forwarder.stop();
  }

  expect(emulators.flatMap(({ journal }) => journal.filter(({ tooSoon }) => tooSoon))).toEqual([]);
  const told = new Map<string, ForwardRecord>();
  const from = {
    a: mine,
    b: recordsIn(readFileSync(join(folder.path, "b.ndjson"), "utf8")),
    c: recordsIn(readFileSync(join(folder.path, "c.ndjson"), "utf8")),
  };
  const pollers = new Map<number, string>();
  for (const [who, records] of Object.entries(from)) {
    for (const record of records) {
      told.set(record.recordId, record);
      pollers.set(record.epoch, who);
    }
  }
  for (const node of NAMES) {
    const records = [...told.values()]
      .filter((record) => record.node === node)
      .sort((one, other) => one.epoch - other.epoch || one.sequence - other.sequence);
    const epochs = [...new Set(records.map(({ epoch }) => epoch))];
    for (const [index, epoch] of epochs.entries()) {
      const turn = records.filter((record) => record.epoch === epoch);
      // No number is missing: what any member has taken over has arrived, in spite of kill -9.
      expect(turn.map(({ sequence }) => sequence)).toEqual(turn.map((_, place) => place + 1));
      const [first, second] = turn.map(({ event }) => event);
      const before = epochs[index - 1];
      const isTakeover = before !== undefined && pollers.get(before) !== pollers.get(epoch);
      if (isTakeover) expect([first, second]).toEqual(["reset", "added"]);
    }
    // Whichever member forwarded them, and whatever their clocks say: by epoch and sequence they are in the order in which things happened.
    const values = records.flatMap(({ value }) => (value === undefined ? [] : [Number(value)]));
    expect(values).toEqual([...new Set(values)].sort((one, other) => one - other));
    expect(epochs.length).toBeGreaterThan(1);
  }
});
