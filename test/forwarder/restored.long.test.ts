import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { pick, seededRandom } from "../../provider/emulator/time/random";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { TestClock, until } from "./support/clock";
import { configOf, profilesOf, recordsIn, startForwarding, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

const [FIRST, ...OTHERS] = Array.from({ length: 300 }, (_, n) => `198.18.${n >> 8}.${n & 255}`);
const ADDRESSES = [FIRST ?? "", ...OTHERS] as const;

/** A sink that keeps the first record of each id, as Elasticsearch and JetStream do, and what it was sent in all. */
async function deduplicating() {
  const sent: ForwardRecord[] = [];
  let isAway = false;
  const server = await httpSink((_, body) => {
    if (isAway) return [503];
    sent.push(...recordsIn(body));
    return [204];
  });
  const kept = () => [...new Map([...sent].reverse().map((record) => [record.recordId, record])).values()];
  return {
    sink: { name: "web", type: "http", url: server.url },
    sent,
    kept,
    away: (now: boolean) => {
      isAway = now;
    },
    /** Records that were dropped as repeats, and were about something else than the one that is kept. */
    lost() {
      const first = new Map([...sent].reverse().map((record) => [record.recordId, JSON.stringify(record)]));
      return sent.filter((record) => first.get(record.recordId) !== JSON.stringify(record));
    },
    /** Marks of the table as a reader of the sink sees it, by epoch and sequence. */
    table() {
      const marks = new Map<string, unknown>();
      for (const { event, address = "", value } of kept().sort(
        (a, b) => a.epoch - b.epoch || a.sequence - b.sequence,
      )) {
        if (event === "reset") marks.clear();
        else if (event === "gone" || event === "expired") marks.delete(address);
        else marks.set(address, value);
      }
      return Object.fromEntries([...marks].sort());
    },
  };
}

/** A node whose marks come, change and go at random. */
async function livelyNode() {
  const emulator = await startEmulator();
  const random = seededRandom(42);
  const marks = new Map<string, number>();
  return {
    emulator,
    now: () => Object.fromEntries([...marks].sort()),
    change() {
      for (let n = 0; n < 60; n++) marks.set(pick(random, ADDRESSES), Math.floor(random() * 1_000));
      for (let n = 0; n < 25; n++) marks.delete(pick(random, ADDRESSES));
      const shost = [...marks].map(([address, value]) => ({ address, id: 1, value, lifetime: 3_600 }));
      emulator.seed(profilesOf({ web: shost }));
    },
    [Symbol.asyncDispose]: () => (emulator as Emulator).close(),
  };
}

test("a folder that is restored from a copy gives no id twice, says so, and the sink's table is right again", async () => {
  using folder = temporaryFolder();
  const web = await deduplicating();
  await using node = await livelyNode();
  const clock = new TestClock();
  const config = configOf(node.emulator, [web.sink]);
  const [state, backup] = [join(folder.path, "forwarder-state"), join(folder.path, "backup")];
  const counted: number[] = [];
  // As many rounds as asked for, each a change that a list has seen.
  const run = async (rounds: number, last = async () => {}) => {
    const { forwarder, told } = await startForwarding(config, folder.path, { world: clock });
    for (let round = 0; round < rounds; round++) await changed(forwarder);
    await last();
    await forwarder.stop(60_000);
    counted.push(forwarder.metrics.get("sent_records_total", { sink: "web" }));
    return told.lines.filter((line) => line.includes("is a copy"));

    async function changed({ metrics }: typeof forwarder) {
      const taken = () => metrics.get("polls_total", { node: "fra1", outcome: "taken" });
      node.change();
      const before = taken();
      await until(() => {
        clock.advance(500);
        return taken() >= before + 2;
      });
    }
  };
  node.change();
  expect(await run(3)).toEqual([]);
  // A plain restart is none. The copy holds what the sink has not taken yet.
  const copied = await run(2, async () => {
    web.away(true);
    const before = node.emulator.requests({ type: "shost" }).length;
    node.change();
    await until(() => node.emulator.requests({ type: "shost" }).length >= before + 2, clock);
    cpSync(state, backup, { recursive: true });
    web.away(false);
    await until(() => JSON.stringify(web.table()) === JSON.stringify(node.now()), clock);
  });
  expect(copied).toEqual([]);
  expect(await run(3)).toEqual([]);
  const newest = Math.max(...web.sent.map(({ epoch }) => epoch));

  rmSync(state, { recursive: true });
  renameSync(backup, state);
  const told = await run(3);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(
    /^warn The state .*forwarder\.db is a copy: it was last opened as .*Every table begins with a reset\.$/,
  );
  expect(await run(1)).toEqual([]);

  expect(web.lost()).toEqual([]);
  expect(web.table()).toEqual(node.now());
  // All that any run delivered has arrived; what was in the copy undelivered came twice, and nothing else.
  expect(web.sent.length).toBe(counted.reduce((sum, count) => sum + count, 0));
  const repeats = web.sent.length - web.kept().length;
  expect(repeats).toBeGreaterThan(0);
  const resets = web.kept().filter(({ event }) => event === "reset");
  expect(resets.map(({ epoch, sequence }) => [epoch > newest, sequence])).toEqual([[true, 1]]);
  // Of the marks behind the reset those are marked that the copy had: the sink has had them, too.
  const resent = web.kept().filter((record) => record.resent);
  expect(resent.length).toBeGreaterThan(0);
  const had = web.kept().filter(({ epoch, event }) => epoch <= newest && event === "added");
  expect(resent.filter(({ address }) => !had.some((one) => one.address === address))).toEqual([]);
});

test("two clones of a folder that run at once give no id to two observations", async () => {
  using folder = temporaryFolder();
  const web = await deduplicating();
  await using node = await livelyNode();
  const clock = new TestClock();
  const config = configOf(node.emulator, [web.sink]);
  node.change();
  const first = await startForwarding(config, folder.path, { world: clock });
  await until(() => web.sent.length > 0, clock);
  await first.forwarder.stop(60_000);
  const before = web.sent.length;
  for (const clone of ["one", "two"]) {
    cpSync(join(folder.path, "forwarder-state"), join(folder.path, clone), { recursive: true });
  }
  // They start at the same millisecond, as clones of a machine may.
  const clones = await Promise.all(
    ["one", "two"].map((state) => startForwarding({ ...config, state }, folder.path, { world: clock })),
  );
  const sentBy = () => clones.map(({ forwarder }) => forwarder.metrics.get("sent_records_total", { sink: "web" }));
  for (let round = 0; round < 4; round++) {
    const sent = sentBy();
    node.change();
    await until(() => sentBy().every((count, index) => count > (sent[index] ?? 0)), clock);
  }
  // One is stopped first: the other sends what this one never sees.
  for (const [index, { forwarder }] of clones.entries()) {
    const sent = sentBy()[1] ?? 0;
    node.change();
    await until(() => (sentBy()[1] ?? 0) > sent, clock);
    await forwarder.stop(60_000);
    if (index === 1) node.change();
  }
  expect(web.lost()).toEqual([]);
  // None of them repeats another's: each observation of each clone is there by itself.
  expect(web.kept().length).toBe(before + sentBy().reduce((sum, count) => sum + count, 0));

  // The one that is to stay is made a copy, so that its records are the newest, and its tables begin anew.
  cpSync(join(folder.path, "one"), join(folder.path, "copy"), { recursive: true });
  rmSync(join(folder.path, "one"), { recursive: true });
  renameSync(join(folder.path, "copy"), join(folder.path, "one"));
  const left = await startForwarding({ ...config, state: "one" }, folder.path, { world: clock });
  await until(() => left.forwarder.metrics.get("sent_records_total", { sink: "web" }) > 0, clock);
  await left.forwarder.stop(60_000);
  expect(web.table()).toEqual(node.now());
});
