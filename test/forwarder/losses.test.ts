import { expect, onTestFinished, test, vi } from "vitest";
import { LiveConfig } from "../../provider/forwarder/config/config";
import type { SinkConfig } from "../../provider/forwarder/config/types";
import { SpoolView } from "../../provider/forwarder/delivery/spool-view";
import { Store } from "../../provider/forwarder/ledger/store";
import type { Loss } from "../../provider/forwarder/loss";
import { Losses } from "../../provider/forwarder/telling/losses";
import { Metrics } from "../../provider/forwarder/telling/metrics";
import { Troubles } from "../../provider/forwarder/telling/troubles";
import { passUntil, TestClock } from "./support/clock";
import { lostBy, lostByLog, scene, stateOf, Told } from "./support/forward";

/** Each cause: how a sink that cannot be reached comes to lose records, and the level of the line. */
const CAUSES: Record<string, [level: string, spool: SinkConfig["spool"], freeBytes?: (lists: number) => number]> = {
  full: ["error", { maxBytes: 131_072, whenFull: "drop-oldest" }],
  age: ["error", { maxAgeMs: 8_000, whenFull: "drop-oldest" }],
  disk: ["error", { whenFull: "drop-oldest" }, (lists) => (lists < 6 ? 1e12 : 0)],
  missed: ["warn", { maxBytes: 131_072, whenFull: "pause" }],
  // A reload gives it another profile instead.
  removed: ["warn", {}],
};

test.each(Object.entries(CAUSES))(
  "records lost for the cause %s are counted alike in log and metrics",
  async (name, how) => {
    const [level, spool = {}, free] = how;
    const sinks = (profile: string): SinkConfig[] => [
      { name: "disk", type: "file", path: "marks.ndjson" },
      { name: "away", type: "http", url: "http://127.0.0.1:1/", spool, only: { profiles: [profile] } },
    ];
    let lists = () => 0;
    if (free) vi.spyOn(Store.prototype, "freeBytes", "get").mockImplementation(() => free(lists()));
    onTestFinished(() => void vi.restoreAllMocks());
    const opened = await scene(stateOf(0, 500), { sinks: sinks("web") });
    const { forwarder, told, clock, emulator, config, folder } = opened;
    lists = opened.lists;
    for (let value = 1; value <= 12; value++) {
      const before = lists();
      emulator.seed(stateOf(value, 500));
      await passUntil(() => lists() > before, clock);
    }
    const cause = name as Loss["cause"];
    const narrowed = { ...config, sinks: sinks("other") };
    if (cause === "removed") await forwarder.reload(await LiveConfig.ofObject(narrowed, {}, folder));
    await passUntil(() => lostBy(forwarder, "away", cause) > 0, clock);
    await forwarder.stop(0);
    const lines = told.lines.filter((line) => line.includes("will not get"));
    expect(lostBy(forwarder, "away")).toBe(lostBy(forwarder, "away", cause));
    expect(lostByLog(told, "away")).toBe(lostBy(forwarder, "away"));
    expect(lines.every((line) => line.startsWith(level) && / Tables: fra1\/edge\/web\/shost \d+\.$/.test(line))).toBe(
      true,
    );
    // One a minute at most, and one at the end.
    expect(lines.length).toBeLessThanOrEqual(Math.ceil((clock.monotonic() - 1_000_000) / 60_000) + 1);
  },
);

test("losses of a sink and a cause share one line a minute, with tables and times; other ones have their own", () => {
  const clock = new TestClock();
  const told: object[] = [];
  const note = (members: object) => void told.push(members);
  const losses = new Losses({ log: { ...new Told(), error: note, warn: note }, metrics: new Metrics(), world: clock });
  const at = Date.UTC(2026, 0, 1);
  const loss = (n: number, more: Partial<Loss> = {}): Loss => {
    return {
      sink: "web",
      cause: "full",
      table: "fra1/edge/web/shost",
      records: n,
      first: at + n,
      last: at + n,
      ...more,
    };
  };
  const line = (
    n: number,
    first: number,
    last: number,
    tables: [profile: string, records: number][],
    cause = "full",
  ) => ({
    sink: "web",
    cause,
    records: n,
    from: new Date(at + first).toISOString(),
    to: new Date(at + last).toISOString(),
    tables: tables.map(([profile, records]) => ({ node: "fra1", arena: "edge", profile, type: "shost", records })),
  });
  const reported = () => {
    losses.report();
    return told.splice(0);
  };
  losses.add([loss(1)]);
  expect(reported()).toEqual([line(1, 1, 1, [["web", 1]])]);
  losses.add([
    loss(2),
    loss(5, { table: "fra1/edge/dns/shost" }),
    loss(7, { cause: "missed" }),
    loss(4, { cause: "age" }),
  ]);
  losses.add([loss(3)]);
  // The gravest first.
  expect(reported()).toEqual([line(4, 4, 4, [["web", 4]], "age"), line(7, 7, 7, [["web", 7]], "missed")]);
  clock.advance(59_999);
  expect(reported()).toEqual([]);
  clock.advance(1);
  const both: [string, number][] = [
    ["web", 5],
    ["dns", 5],
  ];
  expect(reported()).toEqual([line(10, 2, 5, both)]);
  losses.add([loss(6)]);
  expect(reported()).toEqual([]);
  losses.report(true);
  expect(told).toEqual([line(6, 6, 6, [["web", 6]])]);
});

test("what flaps has two lines in the first minute and one in each further one, which says what was left out and what holds", () => {
  const clock = new TestClock();
  const log = new Told();
  const troubles = new Troubles(log, clock);
  const flap = (n: number): void => {
    troubles.begin("sink/web", {}, `Sink "web" accepts no records: ${n}.`);
    troubles.end("sink/web", {}, 'Sink "web" accepts records again.');
    clock.advance(1_000);
    troubles.flush();
  };
  for (let n = 1; n <= 30; n++) flap(n);
  expect(log.lines.splice(0)).toEqual([
    'warn Sink "web" accepts no records: 1.',
    'info Sink "web" accepts records again.',
  ]);
  troubles.begin("sink/web", {}, 'Sink "web" accepts no records: 31.');
  // Another sink, and what is no sink, have lines of their own; what is wrong is known at once.
  troubles.begin("sink/other", {}, 'Sink "other" accepts no records.');
  troubles.begin("disk", {}, "The disk is full.");
  expect(log.lines.splice(0)).toEqual(['warn Sink "other" accepts no records.', "warn The disk is full."]);
  expect(troubles.all.get("sink/web")).toBe('Sink "web" accepts no records: 31.');
  clock.advance(30_000);
  troubles.flush();
  expect(log.lines.splice(0)).toEqual([
    'warn Sink "web" accepts no records: 31. (58 more lines about this were left out in the last minute.)',
  ]);
  // It goes on to flap: one line a minute.
  for (let n = 32; n <= 91; n++) flap(n);
  expect(log.lines.splice(0)).toEqual([
    'info Sink "web" accepts records again. (119 more lines about this were left out in the last minute.)',
  ]);
  flap(92);
  // A table flaps as a sink does, and an end tells what was left out.
  for (const n of [1, 2]) {
    troubles.begin("fra1/edge/web/shost", {}, `It is not read: ${n}.`);
    troubles.end("fra1/edge/web/shost", {}, "It is read again.");
  }
  expect(log.lines.splice(0)).toEqual(["warn It is not read: 1.", "info It is read again."]);
  troubles.flush(true);
  expect(log.lines).toEqual([
    'info Sink "web" accepts records again. (1 more line about this was left out in the last minute.)',
    "info It is read again. (1 more line about this was left out in the last minute.)",
  ]);
});

test("spool_full_in_seconds knows the disk: what is sooner counts, and a spool that does not grow is never full", () => {
  const clock = new TestClock();
  const metrics = new Metrics();
  const view = new SpoolView({ metrics, world: clock, reserveBytes: () => 1_000 });
  const take = (bytes: number, still: number, freeBytes: number) => {
    const sink = (name: string, own: number) => ({
      name,
      records: 1,
      bytes: own,
      dropped: 0,
      behind: [],
      limitBytes: 100_000,
    });
    const sinks = [sink("web", bytes), sink("still", still)];
    view.take({ sinks, bytes: bytes + still, lost: [], freeBytes, setAside: 0 }, new Map());
    clock.advance(10_000);
    return view.sinks.map(({ fullInSeconds }) => fullInSeconds);
  };
  const never = Number.POSITIVE_INFINITY;
  expect(take(0, 500, 1e9)).toEqual([never, never]);
  // A kilobyte a second.
  expect(take(10_000, 500, 1e9)).toEqual([90, never]);
  expect(take(20_000, 500, 41_000)).toEqual([40, never]);
  expect(take(30_000, 500, 900)).toEqual([0, never]);
  // One grows as much as the other becomes smaller.
  expect(take(400, 100, 900)).toEqual([9_960, never]);
});
