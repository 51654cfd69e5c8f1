import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { StoredLedger } from "../../provider/forwarder/ledger/ledger";
import { isFull } from "../../provider/forwarder/ledger/sqlite";
import { Store } from "../../provider/forwarder/ledger/store";
import { TableState } from "../../provider/forwarder/ledger/table-state";
import { forward } from "./support/child";
import { passUntil, TestClock, until } from "./support/clock";
import {
  configFile,
  configOf,
  linesOf,
  marksOf,
  openForwarder,
  profilesOf,
  scene,
  stateOf,
  stateWith,
  temporaryFolder,
} from "./support/forward";
import { arrived, listed, openLedger, sink, takeAll, unread } from "./support/ledger";

afterEach(() => {
  vi.restoreAllMocks();
});

const RESERVE = 1_000_000;
const MARKS = 500;

/** A disk with as many free bytes as a test says. */
function diskWith(free: number) {
  const disk = { free };
  vi.spyOn(Store.prototype, "freeBytes", "get").mockImplementation(() => disk.free);
  return disk;
}

const open = async (folder: string) => (await openLedger(folder, [sink("web")], { reserveBytes: RESERVE })).ledger;

/** Lists all marks with this value. */
const read = (ledger: StoredLedger, value: number) =>
  ledger.take(arrived(listed(MARKS, value), { now: 1_000 + value }));

const sequences = async (ledger: StoredLedger) => (await unread(ledger, "web")).map(({ sequence }) => sequence);

const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

test("what is to stay free of the disk stays free, until a sink has taken more or the disk has room", async () => {
  using folder = temporaryFolder();
  const disk = diskWith(2 * RESERVE);
  const ledger = await open(folder.path);
  for (const value of numbers(1, 4)) await read(ledger, value);
  disk.free = RESERVE;
  const refused = await read(ledger, 5).catch((error: unknown) => error);
  expect(isFull(refused)).toBe(true);
  expect(await sequences(ledger)).toEqual(numbers(1, 4 * MARKS));
  await takeAll(ledger, "web");
  // What was taken left room within the file.
  await until(async () => (await ledger.status()).bytes === 0);
  await read(ledger, 6);
  expect(await sequences(ledger)).toEqual(numbers(4 * MARKS + 1, 5 * MARKS));
  disk.free = 2 * RESERVE;
  await read(ledger, 7);
  expect((await ledger.status()).sinks).toMatchObject([{ records: 2 * MARKS, dropped: 0 }]);
  await ledger.close(undefined);
});

test("where nothing but the marks of sinks fits at the end, they are kept: nothing is sent again", async () => {
  using folder = temporaryFolder();
  const ledger = await open(folder.path);
  await read(ledger, 1);
  const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
  const failing = vi.spyOn(Store.prototype, "transaction").mockImplementationOnce(() => {
    throw full;
  });
  await takeAll(ledger, "web");
  await until(() => failing.mock.calls.length > 0);
  vi.spyOn(TableState.prototype, "settled").mockResolvedValue(() => {
    throw full;
  });
  await ledger.close(undefined);
  const last = await open(folder.path);
  failing.mockImplementation(() => {
    throw full;
  });
  await expect(last.close(undefined)).rejects.toThrow(
    `The state ${join(folder.path, "forwarder.db")} cannot be written: its disk is full.`,
  );
  vi.restoreAllMocks();
  const again = await open(folder.path);
  expect((await again.status()).sinks).toMatchObject([{ name: "web", records: 0 }]);
  await again.close(undefined);
});

test("a forwarder whose disk is full says so, is not ready, and goes on by itself without a gap", async () => {
  const disk = diskWith(2 * RESERVE);
  const { forwarder, told, records, clock, emulator } = await scene(stateOf(0), { reserveBytes: RESERVE });
  await until(() => records.length === 1);
  // What was taken left room in the file for a record or two.
  vi.spyOn(Store.prototype, "reusableBytes", "get").mockReturnValue(0);
  disk.free = 0;
  emulator.seed(stateOf(1));
  await passUntil(() => forwarder.unready.length > 0, clock);
  expect(forwarder.unready).toEqual([expect.stringContaining("The disk of the state folder is full")]);
  const full = forwarder.metrics.get("polls_total", { node: "fra1", outcome: "full" });
  await passUntil(() => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "full" }) > full, clock);
  await passUntil(() => forwarder.metrics.get("state_free_bytes") === 0, clock);
  // Where all is as it was before, nothing waits for the disk any more.
  emulator.seed(stateOf(0));
  await passUntil(() => forwarder.unready.length === 0, clock);
  // Within a minute the log would leave further lines about the disk out.
  const again = clock.monotonic() + 60_000;
  await passUntil(() => clock.monotonic() > again, clock);
  emulator.seed(stateOf(1));
  await passUntil(() => forwarder.unready.length > 0, clock);
  disk.free = 2 * RESERVE;
  emulator.seed(stateOf(2));
  await passUntil(() => records.length === 2, clock);
  expect(records.map(({ sequence, event, value }) => [sequence, event, value])).toEqual([
    [1, "added", 0],
    [2, "changed", 2],
  ]);
  expect(forwarder.unready).toEqual([]);
  const both = [
    expect.stringMatching(/^warn The disk of the state folder is full/),
    "info The disk of the state folder has room again.",
  ];
  expect(told.lines).toEqual([...both, ...both]);
});

test("a forwarder is not ready while the disk refuses one of its tables, however many others it takes", async () => {
  const disk = diskWith(2 * RESERVE);
  const seeded = (web: number, dns: number) => profilesOf({ web: marksOf(web, MARKS), dns: marksOf(dns) });
  const { forwarder, records, clock, emulator, config, folder } = await scene(seeded(0, 0), { reserveBytes: RESERVE });
  await until(() => records.length === MARKS + 1);
  vi.spyOn(Store.prototype, "reusableBytes", "get").mockReturnValue(0);
  // Room for one record, but not for hundreds.
  disk.free = RESERVE + 4_000;
  const full = /^The disk of the state folder is full/;
  for (let value = 1; value <= 5; value++) {
    emulator.seed(seeded(1, value));
    await passUntil(() => records.some((one) => one.profile === "dns" && one.value === value), clock);
    if (value > 1) expect(forwarder.unready, `${value}`).toEqual([expect.stringMatching(full)]);
    else await passUntil(() => forwarder.unready.length > 0, clock);
  }
  disk.free = 2 * RESERVE;
  await passUntil(() => forwarder.unready.length === 0, clock);
  disk.free = RESERVE + 4_000;
  emulator.seed(seeded(2, 5));
  await passUntil(() => forwarder.unready.length > 0, clock);
  // A table that is not polled any more waits for nothing.
  const watch = [{ arena: "edge", profiles: ["dns"], types: ["shost" as const] }];
  await forwarder.reload(await LiveConfig.ofObject({ ...config, watch }, {}, folder));
  await passUntil(() => forwarder.unready.length === 0, clock);
});

test.each([
  ["stands still", () => new Promise<never>(() => {})],
  ["is gone", () => Promise.reject(new Error("The state is lost."))],
])("a forwarder ends in time also while the disk %s", async (_, close) => {
  using folder = temporaryFolder();
  const clock = new TestClock();
  const config = configOf({ endpoint: "http://127.0.0.1:1" });
  const { forwarder, told } = await openForwarder(config, folder.path, { world: clock, onRecord: () => {} });
  forwarder.start();
  vi.spyOn(StoredLedger.prototype, "status").mockReturnValue(new Promise<never>(() => {}));
  vi.spyOn(StoredLedger.prototype, "close").mockImplementation(close);
  let isOver = false;
  const noteEnd = (): void => {
    isOver = true;
  };
  void forwarder.stop().then(noteEnd, noteEnd);
  await passUntil(() => isOver, clock);
  expect([forwarder.isStuck, told.lines.at(-1)]).toEqual([
    true,
    "warn Some work did not end within 5000 ms: it is abandoned.",
  ]);
});

test("SIGTERM ends it also while standard output has a reader that reads nothing, and the rest comes later", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(3_000) });
  const sinks = [
    { name: "out", type: "stdout" },
    { name: "disk", type: "file", path: "marks.ndjson" },
  ];
  const file = configFile(folder.path, configOf(emulator, sinks, { drainMs: 0 }));
  const { child, told } = forward(file);
  onTestFinished(() => void child.kill("SIGKILL"));
  const disk = join(folder.path, "marks.ndjson");
  await until(() => existsSync(disk) && linesOf(readFileSync(disk, "utf8")).length === 3_000);
  child.kill("SIGTERM");
  await once(child, "exit");
  // Ended by the signal, which service managers take for a clean end.
  expect([child.exitCode, child.signalCode]).toEqual([null, "SIGTERM"]);
  expect(told.map(({ msg }) => msg).join()).toContain("Some work did not end within 5000 ms");
});
