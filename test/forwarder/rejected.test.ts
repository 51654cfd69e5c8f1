import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LiveConfig } from "../../provider/forwarder/config/config";
import type { SinkConfig } from "../../provider/forwarder/config/types";
import { RejectedFiles, type RejectedLimits } from "../../provider/forwarder/delivery/rejected";
import { asking } from "./support/asking";
import { passUntil } from "./support/clock";
import { lostBy, lostByLog, RECORD, scene, stateWith, temporaryFolder } from "./support/forward";
import { recordSink } from "./support/http-sink";

const january = () => Date.UTC(2026, 0, 1);
const letter = (n: number) => ({
  record: { ...RECORD, sequence: n, recordId: `r-${n}` },
  reason: "x".repeat(5_000),
});
const numbersIn = async (files: RejectedFiles): Promise<number[]> => {
  const found: number[] = [];
  await files.requeue(async (records) => {
    found.push(...records.map(({ sequence }) => sequence));
    return [];
  });
  return found;
};

test("dead letters have a limit: the oldest files go, with a count of their records", async () => {
  using folder = temporaryFolder();
  const limits: RejectedLimits = { maxBytes: 80_000, whenFull: "drop-oldest" };
  const kept = new RejectedFiles(folder.path, january, () => limits);
  const evicted: unknown[] = [];
  // Fourteen of them fit, each in a file of its own, and seven deliveries of two.
  for (let n = 1; n <= 18; n += 2) evicted.push(await kept.add([letter(n), letter(n + 1)]));
  const time = Date.parse(RECORD.timestamp);
  const two = [{ table: "fra1/edge/web/shost", records: 2, first: time, last: time }];
  expect(evicted).toEqual([...Array(7).fill([]), two, two]);
  const sizes = readdirSync(folder.path).map((name) => statSync(join(folder.path, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limits.maxBytes);
  expect(readdirSync(folder.path)).toEqual(Array.from({ length: 7 }, (_, n) => `0000000${n + 3}.ndjson`));
  expect(await numbersIn(kept)).toEqual(Array.from({ length: 14 }, (_, n) => n + 5));
  expect(readdirSync(folder.path)).toEqual([]);
});

test("dead letters that pause take no more than their limit, but for the first", async () => {
  using folder = temporaryFolder();
  const limits: RejectedLimits = { maxBytes: 8_000, whenFull: "pause" };
  const kept = new RejectedFiles(folder.path, january, () => limits);
  expect(await kept.add([letter(1), letter(2)])).toEqual([]);
  expect(await kept.add([letter(3)])).toBeUndefined();
  expect(await numbersIn(kept)).toEqual([1, 2]);
  expect([await kept.add([letter(3)]), await kept.add([letter(4)])]).toEqual([[], undefined]);
  expect(await numbersIn(kept)).toEqual([3]);
});

/** A forwarder with one sink, and what it tells of it. */
async function forwarding(more: Pick<SinkConfig, "rejected" | "batch">) {
  const sink = await recordSink();
  const web = { name: "web", type: "http" as const, url: sink.url, ...more };
  const { folder, config, clock, forwarder, told } = await scene(stateWith(5), { records: "all", sinks: [web] });
  const count = (name: Parameters<typeof forwarder.metrics.get>[0]) => forwarder.metrics.get(name, { sink: "web" });
  const reload = async (headers: Record<string, string>) =>
    forwarder.reload(await LiveConfig.ofObject({ ...config, sinks: [{ ...web, headers }] }, {}, folder));
  return { folder: join(folder, "forwarder-state/rejected/web"), sink, clock, forwarder, told, count, reload };
}

test("dead letters that wait are counted, also those that an earlier run left, until they are gone", async () => {
  using folder = temporaryFolder();
  const limits: RejectedLimits = { maxBytes: 80_000, whenFull: "drop-oldest" };
  const before = new RejectedFiles(folder.path, january, () => limits);
  expect(await before.waiting()).toEqual({ records: 0, bytes: 0 });
  await before.add([letter(1), letter(2)]);
  const kept = new RejectedFiles(folder.path, january, () => limits);
  const { records, bytes } = await kept.waiting();
  expect([records, bytes]).toEqual([2, statSync(join(folder.path, "00000001.ndjson")).size]);
  for (let n = 3; n <= 9; n++) await before.add([letter(n)]);
  // A second one may ask at any moment of a count.
  const told = new Set<string>();
  for (let later = 0; later < 60; later++) {
    const fresh = new RejectedFiles(folder.path, january, () => limits);
    const first = fresh.waiting();
    for (let turn = 0; turn < later; turn++) await new Promise(setImmediate);
    told.add((await Promise.all([first, fresh.waiting()])).map((waiting) => waiting.records).join(" "));
  }
  expect([...told]).toEqual(["9 9"]);
  expect((await kept.waiting()).records).toBe(9);
  await numbersIn(before);
  expect((await kept.waiting()).records).toBe(0);
});

test("a sink whose dead letters wait is named by /readyz, stays ready, and is quiet when they were sent", async () => {
  const { folder, sink, clock, forwarder, count } = await forwarding({});
  sink.status = 406;
  await passUntil(() => count("rejected_records") > 0, clock);
  sink.status = 204;
  await passUntil(() => sink.taken.length > 0 && count("rejected_records") === count("rejected_records_total"), clock);
  const { records, bytes } = forwarder.health.spool[0]?.rejected ?? { records: 0, bytes: 0 };
  expect([count("rejected_bytes"), count("rejected_limit_bytes")]).toEqual([bytes, 268_435_456]);
  const ask = await asking(forwarder);
  const said = async () => {
    const [status, document] = await ask("/readyz");
    const { ok, notes, sinks } = document as {
      ok: boolean;
      notes: string[];
      sinks: { name: string; rejected: object }[];
    };
    return { status, ok, notes, waiting: sinks.map(({ name, rejected }) => [name, rejected]) };
  };
  const ready = { status: 200, ok: true };
  const note = `Sink "web" has refused records for good: ${records} (${bytes} bytes) wait, with the reasons in \`rejected/\` of the state folder, and "forward spool requeue" sends them.`;
  expect(await said()).toEqual({ ...ready, notes: [note], waiting: [["web", { records, bytes }]] });
  await numbersIn(new RejectedFiles(folder, january));
  await passUntil(() => count("rejected_records") === 0, clock);
  expect(await said()).toEqual({ ...ready, notes: [], waiting: [["web", { records: 0, bytes: 0 }]] });
});

test("a sink whose dead letters have no room gets no more, and is not ready, until there is room: nothing is lost", async () => {
  const { folder, sink, clock, forwarder, told, count } = await forwarding({
    rejected: { maxBytes: 65_536, whenFull: "pause" },
  });
  sink.status = 406;
  await passUntil(() => forwarder.health.ready.sinks?.ok === false, clock);
  expect(forwarder.health.ready.sinks).toEqual({
    ok: false,
    reasons: [
      'There is no room for records that sink "web" refuses for good (`rejected.maxBytes`): nothing more is delivered to it until its dead letters are sent ("forward spool requeue --sink web") or moved away. First: HTTP 406.',
    ],
  });
  const full = count("rejected_records_total");
  const { asked } = sink;
  const end = clock.monotonic() + 60_000;
  await passUntil(() => clock.monotonic() > end, clock);
  expect([count("rejected_records_total"), sink.asked]).toEqual([full, asked]);

  const first = await numbersIn(new RejectedFiles(folder, january));
  sink.status = 204;
  await passUntil(() => forwarder.unready.length === 0 && forwarder.status.sinks[0]?.records === 0, clock);
  expect(told.lines.at(-1)).toBe('info Records that sink "web" refuses can be stored again.');
  const second = await numbersIn(new RejectedFiles(folder, january));
  const all = [...first, ...second, ...sink.taken.map(({ sequence }) => sequence)];
  expect(all).toEqual(all.map((_, index) => index + 1));
  expect(lostBy(forwarder, "web")).toBe(0);
});

test("a sink that a reload corrects is ready, though its dead letters have no room", async () => {
  const { sink, clock, forwarder, reload } = await forwarding({ rejected: { maxBytes: 65_536, whenFull: "pause" } });
  sink.status = 406;
  await passUntil(() => forwarder.health.ready.sinks?.ok === false, clock);
  sink.status = 204;
  await reload({ accept: "*/*" });
  await passUntil(() => sink.taken.length > 0, clock);
  expect(forwarder.unready).toEqual([]);
});

test("records that had to go from the dead letters are counted, and told", async () => {
  const { folder, sink, clock, forwarder, told, count } = await forwarding({ rejected: { maxBytes: 65_536 } });
  sink.status = 406;
  await passUntil(() => lostBy(forwarder, "web", "evicted") > 0, clock);
  // What is under way comes to its end.
  await forwarder.stop(0);
  const kept = await numbersIn(new RejectedFiles(folder, january));
  expect(kept.length + lostBy(forwarder, "web", "evicted")).toBe(count("rejected_records_total"));
  expect(lostByLog(told, "web")).toBe(lostBy(forwarder, "web"));
});
