import { readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { LiveConfig } from "../../provider/forwarder/config/config";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { startForwarder } from "../../provider/forwarder/start";
import { passUntil, TestClock, until } from "./support/clock";
import { forwardOnce, openForwarder, scene, startForwarding, stateWith, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

const marks = (value: number) => ({ shost: [{ address: "203.0.113.45", id: 1, value, lifetime: 86_400 }] });
const stateOf = (...profiles: string[]) => ({
  arenas: { edge: { profiles: Object.fromEntries(profiles.map((name) => [name, { marks: marks(1) }])) } },
});

describe("watch", () => {
  test("without types asks for all four, reports refused ones once, and follows profiles", async () => {
    const { forwarder, told, emulator, clock } = await scene(stateOf("web"), { watch: [{ arena: "edge" }] });
    emulator.fail({ cmd: "list", url: "mark://edge/*", type: "sdhost", status: 404, times: 1_000 });
    const lists = (profile: string) =>
      emulator.requests({ cmd: "list", url: `mark://edge/${profile}` }).map(({ type }) => type);
    await passUntil(() => lists("web").filter((type) => type === "shost").length === 10, clock);
    expect(new Set(lists("web"))).toEqual(new Set(["shost", "dhost", "sdhost", "conn"]));
    expect(lists("web").filter((type) => type === "sdhost").length).toBeLessThan(10);
    expect(told.lines).toEqual([expect.stringMatching(/^warn Marks \(sdhost\) of mark:\/\/edge\/web on fra1 .*404/)]);

    emulator.seed(stateOf("dns"));
    await passUntil(() => lists("dns").length >= 4 && forwarder.nodes[0]?.tables === 4, clock);
    const before = lists("web").length;
    const dns = lists("dns").length;
    await passUntil(() => lists("dns").length > dns + 8, clock);
    expect(lists("web")).toHaveLength(before);
  });
});

test("snapshotEveryMs: the whole table as seen, beside the changes, at the first list after each such time", async () => {
  const { forwarder, records, clock } = await scene(stateOf("web"), { snapshotEveryMs: 10_000 });
  const polls = () => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "taken" });
  await until(() => polls() === 1);
  for (let round = 2; round <= 10; round++) {
    clock.advance(3_000);
    await until(() => polls() === round);
  }
  await until(() => records.length === 3);
  // Lists 3 s apart: after 12 s, and after 24 s.
  const began = Date.parse(records[0]?.timestamp ?? "");
  expect(records.map(({ event, timestamp }) => [event, Date.parse(timestamp) - began])).toEqual([
    ["added", 0],
    ["seen", 12_000],
    ["seen", 24_000],
  ]);
});

test("a file: a torn line is cut off; at rotateBytes it becomes .1, and so many are kept", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(40) });
  const file = join(folder.path, "marks.ndjson");
  writeFileSync(file, '{"recordId":"before"}\n{"recordId":"hal');
  const clock = new TestClock();
  const { forwarder } = await startForwarding(
    {
      nodes: { fra1: { endpoint: emulator.endpoint } },
      watch: [{ arena: "edge", types: ["shost"] }],
      records: "all",
      state: join(folder.path, "state"),
      sinks: [{ name: "disk", type: "file" as const, path: "marks.ndjson", rotateBytes: 1_024, keep: 2 }],
    },
    folder.path,
    { world: clock },
  );
  const written = (name: string): string[] =>
    readFileSync(join(folder.path, name), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).sequence ?? JSON.parse(line).recordId);
  const rounds: [number, Record<string, [unknown, unknown]>][] = [
    [1, { "marks.ndjson": [1, 40], "marks.ndjson.1": ["before", "before"] }],
    [2, { "marks.ndjson": [41, 80], "marks.ndjson.1": [1, 40], "marks.ndjson.2": ["before", "before"] }],
    [3, { "marks.ndjson": [81, 120], "marks.ndjson.1": [41, 80], "marks.ndjson.2": [1, 40] }],
  ];
  for (const [round, expected] of rounds) {
    if (round > 1) clock.advance(3_000);
    await until(() => forwarder.metrics.get("sent_records_total", { sink: "disk" }) === 40 * round);
    const names = readdirSync(folder.path).filter((name) => name.startsWith("marks"));
    const ends = names.map((name) => [name, [written(name)[0], written(name).at(-1)]]);
    expect(Object.fromEntries(ends)).toEqual(expected);
  }
});

test("a file that another program renames, removes or empties goes on under its name, as logrotate needs it", async () => {
  const sinks = [{ name: "disk", type: "file" as const, path: "marks.ndjson" }];
  const { folder, forwarder, told, clock } = await scene(stateWith(40), { records: "all", sinks });
  const path = join(folder, "marks.ndjson");
  let round = 0;
  const listed = async (): Promise<unknown[]> => {
    if (round > 0) clock.advance(3_000);
    round++;
    await until(() => forwarder.metrics.get("sent_records_total", { sink: "disk" }) === 40 * round);
    const lines = readFileSync(path, "utf8").trim().split("\n");
    return [JSON.parse(lines[0] ?? "").sequence, lines.length];
  };
  expect(await listed()).toEqual([1, 40]);
  renameSync(path, join(folder, "marks.1"));
  expect(await listed()).toEqual([41, 40]);
  renameSync(path, join(folder, "marks.2"));
  writeFileSync(path, "");
  expect(await listed()).toEqual([81, 40]);
  rmSync(path);
  expect(await listed()).toEqual([121, 40]);
  truncateSync(path);
  expect(await listed()).toEqual([161, 40]);
  const again = 'info Sink "disk": marks.ndjson was renamed or removed, and is opened again.';
  expect(told.lines).toEqual([again, again, again]);
});

test("otlp: what a server says that it did not take is kept as rejected, with its words", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateOf("web") });
  // ExportLogsServiceResponse with partial_success { rejected_log_records: 1, error_message: "no room" }.
  const partial = "\x08\x01\x12\x07no room";
  const type = { "content-type": "application/x-protobuf" };
  const server = await httpSink(() => [200, `\x0a${String.fromCharCode(partial.length)}${partial}`, type]);
  const { ok, told } = await forwardOnce(
    {
      nodes: { fra1: { endpoint: emulator.endpoint } },
      watch: [{ arena: "edge", types: ["shost"] }],
      sinks: [{ name: "otel", type: "otlp" as const, url: server.url }],
    },
    folder.path,
  );
  const reason = "1 of the request's records were refused: no room";
  expect({ ok, told }).toEqual({
    ok: false,
    told: [`warn Sink "otel" refuses records for good, first: ${reason}. They are kept as rejected.`],
  });
  const kept = readFileSync(join(folder.path, "forwarder-state/rejected/otel/00000001.ndjson"), "utf8");
  expect(JSON.parse(kept)).toMatchObject({ reason, record: { address: "203.0.113.45" } });
});

describe("--once", () => {
  test("waits for sinks no longer than onceDeadlineMs, names those that are late, and keeps what they lack", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: stateOf("web") });
    const silent = await httpSink(() => new Promise(() => {}));
    const config = {
      nodes: { fra1: { endpoint: emulator.endpoint } },
      watch: [{ arena: "edge", types: ["shost" as const] }],
      onceDeadlineMs: 1_500,
      sinks: [
        { name: "web", type: "http" as const, url: silent.url },
        { name: "disk", type: "file" as const, path: "marks.ndjson" },
      ],
    };
    const clock = new TestClock();
    const { forwarder, told } = await openForwarder(config, folder.path, { world: clock });
    const outcome: boolean[] = [];
    void forwarder.once(new AbortController().signal).then((one) => outcome.push(one));
    const waiting = () => forwarder.status.sinks.map(({ records }) => records).join();
    await until(() => forwarder.metrics.get("sent_bytes_total", { sink: "disk" }) > 0 && waiting() === "1,0");
    await passUntil(() => outcome.length > 0, clock);
    expect({ ok: outcome[0], told: told.lines }).toEqual({
      ok: false,
      told: ['error After 1500 ms these sinks have not taken everything: "web" (1 records). It stays in the spool.'],
    });
    await forwarder.stop(0);
    expect(readFileSync(join(folder.path, "marks.ndjson"), "utf8").trim().split("\n")).toHaveLength(1);
  });
});

test("startForwarder ends when its signal aborts, and has delivered what it had taken over", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateOf("web") });
  const stop = new AbortController();
  const records: ForwardRecord[] = [];
  const forwarder = await startForwarder(
    { nodes: { fra1: { endpoint: emulator.endpoint } }, watch: [{ arena: "edge", types: ["shost"] }] },
    { folder: folder.path, signal: stop.signal, onRecord: (record) => void records.push(record) },
  );
  await until(() => /records_total\{node="fra1",event="added"\} 1\n/.test(forwarder.metrics()));
  stop.abort();
  await forwarder.stop();
  expect(records.map(({ event, address }) => [event, address])).toEqual([["added", "203.0.113.45"]]);
});

describe("durations and sizes", () => {
  const configured = (members: object) =>
    LiveConfig.ofObject(
      { nodes: { fra1: { endpoint: "http://192.0.2.10" } }, watch: [{ arena: "edge" }], ...members },
      {},
      ".",
    );

  test("are numbers, or texts with a unit", async () => {
    const sink = { name: "disk", type: "file", path: "marks.ndjson" };
    const units = await configured({
      everyMs: "5s",
      structureEveryMs: "1.5m",
      snapshotEveryMs: "1 h",
      drainMs: "1.005s",
      reserveBytes: "64MiB",
      spool: { maxBytes: "1.5GiB", maxAgeMs: "7d" },
      sinks: [{ ...sink, rotateBytes: "500kB", batch: { maxBytes: "65536" } }],
    });
    const numbers = await configured({
      everyMs: 5_000,
      structureEveryMs: 90_000,
      snapshotEveryMs: 3_600_000,
      drainMs: 1_005,
      reserveBytes: 67_108_864,
      spool: { maxBytes: 1_610_612_736, maxAgeMs: 604_800_000 },
      sinks: [{ ...sink, rotateBytes: 500_000, batch: { maxBytes: 65_536 } }],
    });
    expect(units.current).toEqual(numbers.current);
  });

  test.each([
    [{ everyMs: "5 seconds" }, "`everyMs` must be a number, alone or with ms, s, m, h, d"],
    [{ everyMs: "1s" }, "`everyMs` must not be below 3000"],
    [{ reserveBytes: "5s" }, "`reserveBytes` must be a number, alone or with B, kB, MB, GB, TB, KiB, MiB, GiB, TiB"],
    [{ drainMs: "0.5ms" }, "`drainMs` must be a whole number"],
    [{ sinks: [{ name: "disk", type: "file", path: "x", keep: "5s" }] }, "`sinks[0].keep` must be a number"],
  ])("that make no sense are told: %j", async (members, message) => {
    await expect(configured(members)).rejects.toThrow(message);
  });
});
