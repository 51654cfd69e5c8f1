import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { StoredLedger } from "../../provider/forwarder/ledger/ledger";
import { Store } from "../../provider/forwarder/ledger/store";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { requeue } from "../../provider/forwarder/requeue";
import { run as runCommand } from "../commands/support";
import { ownPort } from "../support/ports";
import { passUntil, TestClock, until } from "./support/clock";
import {
  configFile,
  configOf,
  linesOf,
  openForwarder,
  recordsIn,
  roundInto,
  scene,
  startForwarding,
  stateOf,
  stateWith,
  Told,
  temporaryFolder,
} from "./support/forward";
import { httpSink } from "./support/http-sink";
import { arrived, listed, openLedger, sink } from "./support/ledger";

/** Those of the test itself and of the runner. */
const SPARE_SOCKETS = 20;
const SPARE_TIMERS = 10;

describe("polling", () => {
  test("keeps the pace by table, counts every event once, and asks for structure now and then", async () => {
    const { emulator, clock, records, forwarder } = await scene(stateOf(0), {
      watch: [{ arena: "edge", types: ["shost", "conn"] }],
    });
    const lists = (type: string) => emulator.requests({ cmd: "list" }).filter((entry) => entry.type === type).length;
    const taken = () => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "taken" });
    await until(() => taken() === 2);
    // A date that is set to and fro changes timestamps, and nothing else.
    const days = [1, -2, 365, 0, 0];
    for (let value = 1; value <= 5; value++) {
      clock.jump((days[value - 1] ?? 0) * 86_400_000);
      emulator.seed(stateOf(value));
      clock.advance(2_999);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect([lists("shost"), lists("conn")]).toEqual([value, value]);
      clock.advance(1);
      await until(() => taken() === 2 * (value + 1));
    }
    await until(() => records.length === 6);
    expect(records.map(({ event, value, sequence }) => [event, value, sequence])).toEqual([
      ["added", 0, 1],
      ["changed", 1, 2],
      ["changed", 2, 3],
      ["changed", 3, 4],
      ["changed", 4, 5],
      ["changed", 5, 6],
    ]);
    const dates = ["2026-01-01", "2026-01-02", "2025-12-31", "2026-12-31", "2026-12-31", "2026-12-31"];
    expect(records.map(({ timestamp }) => timestamp.slice(0, 10))).toEqual(dates);
    expect(emulator.requests({ cmd: "list" }).filter(({ url }) => url?.startsWith("arena:"))).toHaveLength(1);
    clock.advance(60_000);
    await until(() => emulator.requests({ cmd: "list" }).filter(({ url }) => url?.startsWith("arena:")).length === 2);
  });

  test("one forwarder holds 200 nodes: each table is listed once a round", async () => {
    using folder = temporaryFolder();
    // One emulator in all their places: tables of different arenas, which share no pace.
    const names = Array.from({ length: 200 }, (_, n) => `node${n}`);
    await using emulator = await startEmulator({
      state: { arenas: Object.fromEntries(names.map((name) => [name, stateOf(1).arenas?.edge ?? {}])) },
    });
    // Profiles and rules are asked for in real time, and once more after a time-out, which a busy machine would make.
    const node = { endpoint: emulator.endpoint, timeoutMs: 60_000 };
    const clock = new TestClock();
    const records: ForwardRecord[] = [];
    const { forwarder } = await startForwarding(
      {
        nodes: Object.fromEntries(names.map((name) => [name, node])),
        watch: names.map((name) => ({ nodes: [name], arena: name, types: ["shost" as const] })),
        state: folder.path,
      },
      folder.path,
      { world: clock, onRecord: (record) => void records.push(record) },
    );
    const taken = () => names.map((node) => forwarder.metrics.get("polls_total", { node, outcome: "taken" }));
    await until(() => records.length === 200);
    clock.advance(3_000);
    await until(() => taken().every((count) => count === 2));
    expect(records).toHaveLength(200);
    expect(new Set(records.map(({ node }) => node))).toEqual(new Set(names));
    expect(new Set(records.map(({ recordId }) => recordId)).size).toBe(200);
    const lists = emulator.requests({ cmd: "list" });
    // Profiles and rules once, marks twice.
    expect(lists).toHaveLength(200 * 4);
    // Both ends of a connection are in this process: a node has one for its marks, and one for profiles and rules.
    const sockets = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    expect(sockets).toBeLessThanOrEqual(200 * 2 * 2 + SPARE_SOCKETS);
    // Between two rounds nothing waits but the pauses: of each node for its structure, of each table for its turn, and a few.
    expect(clock.waiting).toBeLessThanOrEqual(200 * 2 + SPARE_TIMERS);
  });

  test("after a restart with the same state the pace holds, and nothing comes twice", async () => {
    const { clock, config, folder, records, lists: marks, ...first } = await scene(stateOf(1));
    await until(() => records.length === 1);
    await first.forwarder.stop(0);
    clock.advance(1_000);
    clock.jump(-86_400_000);
    const more = { world: clock, onRecord: (record: ForwardRecord) => void records.push(record) };
    const second = await startForwarding(config, folder, more);
    clock.advance(1_999);
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(marks()).toBe(1);
    await until(() => second.forwarder.metrics.get("polls_total", { node: "fra1", outcome: "taken" }) === 1, clock);
    expect([marks(), records.length]).toEqual([2, 1]);
  });
});

describe("the command", () => {
  const run = (args: string[], env: Record<string, string> = {}) => runCommand(["forward", ...args], { env });

  test("--once forwards one round; --check then says what the spool covers; secrets come from files", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: stateWith(50), auth: { bearer: "t0ken" } });
    writeFileSync(join(folder.path, "token"), "Bearer t0ken\n");
    const file = join(folder.path, "forwarder.yaml");
    writeFileSync(
      file,
      `nodes: { fra1: { endpoint: "\${NODE}", headers: { authorization: { file: token } } } }
watch: [{ arena: edge }]
sinks:
  - { name: disk, type: file, path: marks.ndjson }
  - { name: out, type: stdout }
`,
    );
    const env = { NODE: emulator.endpoint };
    expect((await run(["--config", file, "--check"], env)).out).toContain("covers an outage that only a run can show");
    const { code, out, err } = await run(["--config", file, "--once"], env);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(readFileSync(join(folder.path, "marks.ndjson"), "utf8"));
    expect(linesOf(out)).toHaveLength(51);
    expect((await run(["--config", file, "--check"], env)).out).toMatch(
      /Sink "disk" \(file\): a spool of 1073741824 bytes covers an outage of about \d+ (days|hours)\. When it is full, new records are kept for other sinks alone; tables for which no sink has room wait \(pause\)\./,
    );
    expect((await run(["--config", file, "--once", "--check"], env)).code).toBe(2);

    const before = emulator.journal.length;
    appendFileSync(file, 'cluster: { servers: ["nats://127.0.0.1:1"] }\n');
    expect(await run(["--config", file, "--once"], env)).toEqual({
      code: 2,
      out: "",
      err: expect.stringContaining(
        "--once asks for no lease, and the other forwarders of `cluster` may list the same nodes",
      ),
    });
    expect(emulator.journal).toHaveLength(before);
  });

  test("--once exits with 1 when a node does not answer, and what was read elsewhere is delivered", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: stateOf(7) });
    const nodes = { up: { endpoint: emulator.endpoint }, down: { endpoint: "http://127.0.0.1:1", deadlineMs: 50 } };
    const file = configFile(folder.path, configOf(emulator, [{ name: "out", type: "stdout" }], { nodes }));
    const { code, out, err } = await run(["--config", file, "--once"]);
    expect([code, recordsIn(out).map(({ value }) => value)]).toEqual([1, [7]]);
    expect(err).toContain("Some lists or deliveries failed");
    expect(err).toContain("127.0.0.1:1");
  });

  /** A table that the node lacks, by its dialect, or a busy node: watched types, faults, exit code, lists of marks. */
  const ROUNDS = {
    "a refused type is a failure where it is named": [["conn"], [], 1, 1],
    "and where no other table of its profile was listed": [["dhost", "conn"], [], 1, 2],
    "it is none where all four are requested and another was listed": [[], [], 0, 4],
    "a busy node is listed again": [
      ["shost"],
      [
        { status: 429, times: 2 },
        { status: 503, times: 1 },
      ],
      0,
      4,
    ],
    "until its deadline": [["shost"], [{ status: 429, retryAfter: 3_600 }], 1, 1],
  } as const;
  test.each(Object.entries(ROUNDS))("--once: %s", async (_, [types, faults, code, lists]) => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({
      state: stateOf(7),
      dialect: { missingTable: "error" },
    });
    for (const fault of faults) emulator.fail({ kind: "error", cmd: "list", url: "mark://edge/web", ...fault });
    const nodes = { fra1: { endpoint: emulator.endpoint, markPace: "off" as const } };
    const watch = [{ arena: "edge", ...(types.length > 0 && { types }) }];
    const file = configFile(folder.path, configOf(emulator, [{ name: "out", type: "stdout" }], { nodes, watch }));
    const done = await run(["--config", file, "--once"]);
    const asked = emulator.requests({ cmd: "list" }).filter(({ url }) => url === "mark://edge/web").length;
    expect([done.code, asked], done.err).toEqual([code, lists]);
  });
});

describe("--once ends", () => {
  test("while the spool of its only sink is full: its table is not taken over", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: stateWith(1_000) });
    const spool = { maxBytes: 65_536 };
    const away = { name: "away", type: "http", url: "http://127.0.0.1:1/", spool };
    const clock = new TestClock();
    const round = async () => {
      const config = configOf(emulator, [away], { records: "all" });
      const { forwarder } = await openForwarder(config, folder.path, { world: clock });
      const outcomes: boolean[] = [];
      void forwarder.once(new AbortController().signal).then((ok) => outcomes.push(ok));
      await passUntil(() => outcomes.length > 0, clock);
      await forwarder.stop(0);
      const polls = (["taken", "full"] as const).map((outcome) =>
        forwarder.metrics.get("polls_total", { node: "fra1", outcome }),
      );
      return [...outcomes, ...polls];
    };
    expect([await round(), await round()]).toEqual([
      [false, 1, 0],
      [false, 0, 1],
    ]);
  });

  test("as a failure where the state does not say what is left", async () => {
    const status = vi.spyOn(StoredLedger.prototype, "status").mockRejectedValue(new Error("disk I/O error"));
    onTestFinished(() => status.mockRestore());
    const away = { name: "away", type: "http", url: "http://127.0.0.1:1/" };
    expect(await roundInto([away], stateOf(1), { onceDeadlineMs: 200 })).toMatchObject({ ok: false });
  });

  test("when it is told to while it waits for a busy node", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: stateOf(7) });
    emulator.fail({ kind: "error", cmd: "list", url: "mark://edge/web", status: 429, times: 1_000 });
    const sinks = [{ name: "disk", type: "file", path: "marks.ndjson" }];
    const { forwarder } = await openForwarder(configOf(emulator, sinks), folder.path, { world: new TestClock() });
    const ending = new AbortController();
    const round = forwarder.once(ending.signal);
    await until(() => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "failed" }) === 1);
    ending.abort();
    expect(await round).toBe(false);
    await forwarder.stop(0);
  });
});

test("what a sink refused is listed, and sent again by requeue, with the ids that it had", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(20) });
  let refuses = true;
  const idsIn = (text: string) => recordsIn(text).map(({ recordId }) => recordId);
  const [arrived, refused] = [new Set<string>(), new Set<string>()];
  const { url } = await httpSink((_, body) => {
    for (const id of idsIn(body)) (refuses ? refused : arrived).add(id);
    return [refuses ? 406 : 200];
  });
  const file = configFile(folder.path, configOf(emulator, [{ name: "web", type: "http", url }]));
  const run = (...args: string[]) => runCommand(["forward", ...args, "--config", file]);
  expect((await run("--once")).code).toBe(1);
  expect((await run("spool", "requeue", "--sink", "web")).code).toBe(1);
  expect(await run("spool", "list")).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^Sink "web" has not taken 0 records \(0 bytes\)\.\nSink "web" has refused 20 records \(\d+ bytes\)\.\n$/,
    ),
  });
  const { code, out } = await run("spool", "export");
  expect([code, new Set(idsIn(out))]).toEqual([0, refused]);
  refuses = false;
  expect(await run("spool", "requeue")).toEqual({ code: 0, out: "", err: "20 records were delivered, 0 are left.\n" });
  expect(arrived).toEqual(refused);
  expect((await run("spool", "requeue", "--sink", "unknown")).code).toBe(2);
});

test("requeue on a full disk is a failure that a further try may get over, and no wrong use", async () => {
  using folder = temporaryFolder();
  const left = join(folder.path, "left");
  const { ledger } = await openLedger(left, [sink("web")]);
  await ledger.take(arrived(listed(3, 1)));
  await ledger.close(undefined);
  let isFull = false;
  const { transaction } = Store.prototype;
  const full = vi.spyOn(Store.prototype, "transaction").mockImplementation(function (this: Store, work) {
    if (isFull) throw Object.assign(new Error("database or disk is full"), { errcode: 13 });
    return transaction.call(this, work);
  } as typeof transaction);
  onTestFinished(() => full.mockRestore());
  const { url } = await httpSink(() => {
    isFull = true;
    return [204];
  });
  const file = configFile(
    folder.path,
    configOf({ endpoint: "http://127.0.0.1:1" }, [{ name: "web", type: "http", url }]),
  );
  const { code, err } = await runCommand(["forward", "spool", "requeue", left, "--config", file]);
  expect([code, err]).toEqual([1, expect.stringContaining("its disk is full")]);
});

test("requeue knows that a delivery to standard output does not end", async () => {
  using folder = temporaryFolder();
  const left = join(folder.path, "left");
  const { ledger } = await openLedger(left, [sink("out")]);
  await ledger.take(arrived(listed(3, 1)));
  await ledger.close(undefined);
  const config = configOf({ endpoint: "http://127.0.0.1:1" }, [{ name: "out", type: "stdout" }]);
  const stop = new AbortController();
  const stdout = () => {
    stop.abort();
    return new Promise<void>(() => {});
  };
  const clock = new TestClock();
  const parts = { world: clock, stdout, log: new Told(), signal: stop.signal };
  const results: object[] = [];
  void requeue(await LiveConfig.ofObject(config, {}, folder.path), left, parts).then((one) => results.push(one));
  await passUntil(() => results.length > 0, clock);
  expect(results).toEqual([{ delivered: 0, left: 3, isStuck: true }]);
});

test("as a library: a function gets records in order, again after a failure, until a signal ends it", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(5) });
  // From what is published, with its thread.
  const { startForwarder } = await import("pulumi-packetfilter/forwarder");
  const listen = `127.0.0.1:${await ownPort()}`;
  const config = configOf(emulator, [], { listen });
  const clock = new TestClock();
  const calls: string[] = [];
  const onRecord = async ({ sequence }: ForwardRecord) => {
    calls.push(`${sequence}`);
    if (calls.length === 3) throw new Error("not now");
  };
  const start = (signal?: AbortSignal) =>
    startForwarder(config, { folder: folder.path, world: clock, onRecord, ...(signal && { signal }) });
  const ending = new AbortController();
  await start(ending.signal);
  await until(() => calls.length === 3);
  expect(await (await fetch(`http://${listen}/healthz`)).json()).toMatchObject({ ok: true });
  // What was taken over is delivered before it ends, and another one can have its state then.
  ending.abort();
  await using _ = await until(() => start().catch(() => undefined), clock);
  expect(calls).toEqual(["1", "2", "3", "3", "4", "5"]);
  await expect(startForwarder({ ...config, everyMs: 1 }, { folder: folder.path })).rejects.toThrow(
    "`everyMs` must not be below 3000",
  );
});
