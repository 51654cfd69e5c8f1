import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { paceKey } from "../../provider/client/mark-pace";
import { NodeMemories } from "../../provider/client/world";
import { startEmulator } from "../../provider/emulator";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { Spool } from "../../provider/forwarder/ledger/spool";
import { LedgerThread } from "../../provider/forwarder/ledger/thread";
import { MarkSource } from "../../provider/forwarder/polling/mark-source";
import type { NodePollers } from "../../provider/forwarder/polling/node-poller";
import { asking } from "./support/asking";
import { passUntil, TestClock, until } from "./support/clock";
import {
  configOf,
  openForwarder,
  scene,
  startForwarding,
  stateOf,
  stateWith,
  temporaryFolder,
  withAwaySink,
} from "./support/forward";

const FINE = { ok: true, reasons: [] };
const bad = (reason: unknown) => ({ ok: false, reasons: [reason] });

test.each([
  ["that is away from the start", "http://127.0.0.1:1", /ECONNREFUSED/],
  ["that cannot be asked at all", "192.0.2.10", /`endpoint`/],
])("a node %s counts as lists that fail, and holds up no readiness", async (_, endpoint, words) => {
  const node = vi.spyOn(LiveConfig.prototype, "node").mockReturnValue({ endpoint });
  onTestFinished(() => node.mockRestore());
  const { forwarder, clock, told } = await scene({});
  const failed = () => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "failed" });
  await passUntil(() => failed() === 1, clock);
  expect(told.lines[0]).toMatch(words);
  expect((await (await asking(forwarder))("/readyz"))[0]).toBe(200);
  await passUntil(() => failed() === 2, clock);
  expect(forwarder.metrics.get("last_list_timestamp_seconds", { node: "fra1" })).toBe(0);
});

test("a state that answers no more makes the service unhealthy: its thread has ended, or hangs", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(10) });
  const clock = new TestClock();
  const open = vi.spyOn(LedgerThread, "open");
  const parts = { world: clock, thread: true, onRecord: () => {} };
  const { forwarder } = await openForwarder(configOf(emulator), folder.path, parts);
  // Its state cannot be closed any more then.
  onTestFinished(() => expect(forwarder.stop()).rejects.toThrow("The thread of the forwarder's state has ended."));
  forwarder.start();
  const ask = await asking(forwarder);
  await until(() => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "taken" }) === 1);
  expect(await ask("/healthz")).toEqual([200, { ok: true, checks: { polling: FINE, state: FINE } }]);

  const [opened] = open.mock.results;
  if (opened?.type !== "return") throw new Error("No thread was opened.");
  const { ledger } = await opened.value;
  const worker = Reflect.get(ledger, "worker") as Worker;
  const status = vi.spyOn(ledger, "status");
  // It hangs: what it is asked is never answered.
  let answer = (): void => {};
  const hang = new Promise<void>((resolve) => {
    answer = resolve;
  });
  status.mockImplementation(async () => {
    await hang;
    return { sinks: [], bytes: 0, lost: [], freeBytes: 0, setAside: 0 };
  });
  await passUntil(() => forwarder.health.alive.state?.ok === false, clock);
  expect(await ask("/healthz")).toEqual([
    503,
    { ok: false, checks: { polling: FINE, state: bad("The state has not answered for 60 s.") } },
  ]);
  status.mockRestore();
  answer();
  await passUntil(() => forwarder.health.alive.state?.ok === true, clock);

  await Promise.all([once(worker, "exit"), worker.terminate()]);
  await passUntil(() => forwarder.health.alive.state?.ok === false, clock);
  expect((await ask("/healthz"))[0]).toBe(503);
  expect(forwarder.ended.reason).toMatchObject({ message: "The thread of the forwarder's state has ended." });
});

test("an acknowledgement that breaks the state ends no delivery: it is reported, and what comes then arrives", async () => {
  const malformed = Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
  const broken = vi.spyOn(Spool.prototype, "acknowledge").mockImplementationOnce(() => {
    throw malformed;
  });
  onTestFinished(() => broken.mockRestore());
  const { told, clock, emulator, records } = await scene(stateOf(0));
  await passUntil(() => told.lines.length > 0, clock);
  emulator.seed(stateOf(1));
  await passUntil(() => records.some(({ value }) => value === 1), clock);
  const words =
    'Records that sink "on record" has taken cannot be removed from the spool: database disk image is malformed.';
  expect(told.lines).toContain(`warn ${words}`);
  await passUntil(() => told.lines.includes('info The spool of sink "on record" can be used again.'), clock);
});

test("an acknowledgement that fails is repeated, though no further record comes", async () => {
  const failed = Object.assign(new Error("disk I/O error"), { errcode: 10 });
  const failing = vi.spyOn(Spool.prototype, "acknowledge").mockImplementationOnce(() => {
    throw failed;
  });
  onTestFinished(() => failing.mockRestore());
  const { told, clock, records, forwarder } = await scene(stateOf(0));
  await passUntil(() => told.lines.length > 0, clock);
  const later = clock.monotonic() + 30_000;
  await passUntil(() => clock.monotonic() > later, clock);
  expect(told.lines).toContain('info The spool of sink "on record" can be used again.');
  expect(forwarder.status.sinks.map(({ name, records }) => [name, records])).toEqual([["on record", 0]]);
  expect(forwarder.unready).toEqual([]);
  expect(records).toHaveLength(1);
});

test.each(["disk", "full", "stuck", "cluster"])(
  "a node of the name %s that is away holds up no readiness",
  async (name) => {
    const nodes = { [name]: { endpoint: "http://127.0.0.1:1" } };
    const watch = [{ arena: "edge", profiles: ["web"], types: ["shost" as const] }];
    const { forwarder, told, clock } = await scene({}, { nodes, watch });
    await passUntil(
      () => told.lines.some((line) => line.startsWith(`warn Marks (shost) of mark://edge/web on ${name} `)),
      clock,
    );
    await passUntil(() => !forwarder.unready.some((reason) => reason.endsWith("was not tried yet.")), clock);
    expect(forwarder.unready).toEqual([]);
  },
);

test("a node whose turn never comes makes the service unhealthy; one that is down or slow does not", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(10) });
  const clock = new TestClock();
  const memories = new NodeMemories();
  // Another client of this process lists the same table, and never ends.
  const key = paceKey({ kind: "mark", arena: "edge", profile: "web" }, "shost");
  const { marks } = memories.of(emulator.endpoint);
  const leave = await marks.enter(key, { pauseMs: 3_000, by: "table" }, clock);
  const nodes = { fra1: { endpoint: emulator.endpoint }, fra2: { endpoint: "http://127.0.0.1:1" } };
  const config = configOf(emulator, [], { nodes });
  const { forwarder } = await startForwarding(config, folder.path, { world: clock, memories, onRecord: () => {} });
  const ask = await asking(forwarder);
  await passUntil(() => forwarder.health.alive.polling?.ok === false, clock);
  expect(await ask("/healthz")).toEqual([
    503,
    { ok: false, checks: { polling: bad("Node fra1 was due 60 s ago."), state: FINE } },
  ]);
  leave();
  await passUntil(() => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "taken" }) > 0, clock);
  expect(await ask("/healthz")).toEqual([200, { ok: true, checks: { polling: FINE, state: FINE } }]);

  // A node that asks for two minutes is given them.
  emulator.fail({ cmd: "list", url: "mark://edge/web", status: 503, retryAfter: 120, times: 1 });
  const failed = () => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "failed" });
  await passUntil(() => failed() === 1, clock);
  const until100 = clock.monotonic() + 100_000;
  await passUntil(() => clock.monotonic() > until100, clock);
  expect(await ask("/healthz")).toEqual([200, { ok: true, checks: { polling: FINE, state: FINE } }]);
});

test("readiness names each check, and how full the spool of each sink is", async () => {
  const { forwarder, clock } = await scene(stateWith(500), withAwaySink(65_536));
  const ask = await asking(forwarder);
  expect(await ask("/readyz")).toEqual([
    503,
    {
      ok: false,
      checks: { nodes: bad("Node fra1 was not tried yet."), sinks: FINE, disk: FINE, cluster: FINE },
      notes: [],
      sinks: expect.any(Array),
    },
  ]);
  const isFull = () => forwarder.metrics.get("spool_full_in_seconds", { sink: "away" }) === 0;
  const isDelivered = () => forwarder.metrics.get("lag_records", { sink: "disk" }) === 0;
  await passUntil(() => isFull() && isDelivered(), clock);
  const rejected = { records: 0, bytes: 0 };
  const sink = { ...rejected, dropped: 0, fullInSeconds: null, pausedTables: [], behind: [], rejected };
  expect(await ask("/readyz")).toEqual([
    503,
    {
      ok: false,
      checks: {
        nodes: FINE,
        sinks: bad(expect.stringContaining('The spool is full for sink "away"')),
        disk: FINE,
        cluster: FINE,
      },
      notes: [],
      sinks: [
        { ...sink, name: "disk", limitBytes: 1_073_741_824 },
        {
          name: "away",
          records: forwarder.metrics.get("lag_records", { sink: "away" }),
          bytes: forwarder.metrics.get("lag_bytes", { sink: "away" }),
          oldest: expect.any(Number),
          dropped: 0,
          limitBytes: 65_536,
          fullInSeconds: 0,
          pausedTables: [],
          behind: ["fra1/edge/web/shost"],
          rejected,
        },
      ],
    },
  ]);
});

test("a silent node that a reload polls anew stays untried", async () => {
  const { forwarder, emulator, config, folder } = await scene({});
  emulator.fail({ kind: "silence", times: 1_000 });
  const { endpoint } = emulator;
  const next = { ...config, nodes: { fra1: { endpoint, timeoutMs: 5_000 } } };
  await until(() => emulator.requests().length > 0);
  // The end of its connections takes a moment.
  const closing = vi.spyOn(MarkSource.prototype, "close").mockImplementationOnce(() => sleep(50));
  onTestFinished(() => closing.mockRestore());
  await forwarder.reload(await LiveConfig.ofObject(next, {}, folder));
  await until(() => {
    expect(forwarder.unready).toEqual(["Node fra1 was not tried yet."]);
    return emulator.requests().length > 1;
  });
});

test("a member of a cluster whose share was no node stays ready when it takes one over", async () => {
  using folder = temporaryFolder();
  const config = configOf({ endpoint: "http://127.0.0.1:1" });
  const { forwarder } = await openForwarder(config, folder.path, { world: new TestClock(), onRecord: () => {} });
  onTestFinished(() => forwarder.stop(0));
  const leases = { hasShared: false, run: async () => {} };
  Reflect.set(forwarder, "leases", leases);
  forwarder.start();
  expect(forwarder.unready).toEqual(["This forwarder has not had all its nodes yet since it started."]);
  leases.hasShared = true;
  const takeover = new AbortController();
  const polled = (Reflect.get(forwarder, "pollers") as NodePollers).run("fra1", takeover.signal, {
    epoch: 1,
    since: 1,
  });
  expect([forwarder.nodes.length, forwarder.unready]).toEqual([1, []]);
  takeover.abort();
  await polled;
});
