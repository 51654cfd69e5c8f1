import { afterEach, describe, expect, test, vi } from "vitest";
import { SIZES, TIMES } from "../../provider/forwarder/defaults";
import { RejectedFiles } from "../../provider/forwarder/delivery/rejected";
import { SinkRunner } from "../../provider/forwarder/delivery/sink-runner";
import type { StoredLedger } from "../../provider/forwarder/ledger/ledger";
import { Store } from "../../provider/forwarder/ledger/store";
import { writeLines } from "../../provider/forwarder/record/lines";
import { Outgoing } from "../../provider/forwarder/record/outgoing";
import { readBatch } from "../../provider/forwarder/record/record";
import { Sheet } from "../../provider/forwarder/record/sheet";
import { parcelsOf, type Sink } from "../../provider/forwarder/sinks/sink";
import { Metrics } from "../../provider/forwarder/telling/metrics";
import { silent, Troubles } from "../../provider/forwarder/telling/troubles";
import { TestClock } from "./support/clock";
import { RECORD, recordsIn, roundInto, stateOf, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";
import { arrived, listed, openLedger, sink } from "./support/ledger";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Forwards a table of so many marks to a server once. @returns the bodies. */
async function forwarded(count: number, sink: object) {
  const { url, bodies } = await httpSink();
  const { ok } = await roundInto([{ name: "web", type: "http", url, ...sink }], stateOf(1, count));
  expect(ok).toBe(true);
  return bodies;
}

const sequences = (bodies: readonly string[]) => bodies.flatMap(recordsIn).map(({ sequence }) => sequence);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

describe("batch", () => {
  test("the first delivery after a rest is small, the others have as many records as the sink takes", async () => {
    const bodies = await forwarded(15_000, {});
    expect(bodies.map((body) => recordsIn(body).length)).toEqual([SIZES.firstRecords, 10_000, 3_000]);
    expect(sequences(bodies)).toEqual(upTo(15_000));
  });

  test("maxRecords cuts through the batches of the spool", async () => {
    const bodies = await forwarded(2_500, { batch: { maxRecords: 600 } });
    expect(bodies.map((body) => recordsIn(body).length)).toEqual([500, 500, 500, 500, 500]);
    expect(sequences(bodies)).toEqual(upTo(2_500));
  });

  test("maxBytes holds for each body as it is sent", async () => {
    const bodies = await forwarded(2_500, { batch: { maxBytes: 65_536 } });
    expect(Math.max(...bodies.map((body) => Buffer.byteLength(body)))).toBeLessThanOrEqual(65_536);
    expect(sequences(bodies)).toEqual(upTo(2_500));
  });

  test("a record that is larger than maxBytes goes alone", async () => {
    const records = [10, 10, 900, 10, 10].map((length, n) => ({ ...RECORD, sequence: n, message: "x".repeat(length) }));
    const lengths = {
      write: async (outgoing: Outgoing) => {
        const messages = (await outgoing.records()).map(({ message }) => message.length);
        return { payload: messages, bytes: messages.reduce((sum, length) => sum + length, 0) };
      },
    };
    const parcels = await parcelsOf(lengths, Outgoing.of(records), { maxRecords: 100, maxBytes: 50 });
    expect(parcels.map(({ payload }) => payload)).toEqual([[10], [10], [900], [10], [10]]);
  });
});

/** A ledger with one sink, and a way to read a list of so many marks. */
async function ledgerIn(folder: string, after?: TestClock["after"]) {
  const { ledger } = await openLedger(folder, [sink("web")], { records: "all", ...(after && { after }) });
  return { ledger, read: (count: number) => ledger.take(arrived(listed(count, 1))) };
}

/** Lets all go on that needs no time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A runner that delivers to a sink, 2 000 records at a time. */
function runnerOf(sink: Sink, ledger: StoredLedger, folder: string): SinkRunner {
  return new SinkRunner("web", sink, {
    ledger,
    limits: { maxRecords: 2_000, maxBytes: 1_000_000 },
    deadlineMs: () => 30_000,
    metrics: new Metrics(),
    troubles: new Troubles(silent),
    world: new TestClock(),
    secrets: { refresh: async () => {} },
    rejected: new RejectedFiles(folder, Date.now),
    losses: { add: () => {} },
    log: silent,
    acknowledged: () => {},
    gone: () => {},
  });
}

test("a sink is closed where its runner fails", async () => {
  using folder = temporaryFolder();
  const { ledger, read } = await ledgerIn(folder.path);
  await read(10);
  vi.spyOn(Metrics.prototype, "add").mockImplementation((name) => {
    if (name === "sent_bytes_total") throw new Error("it cannot be counted");
  });
  const close = vi.fn(async () => {});
  const quick: Sink = {
    write: async () => ({ payload: undefined, bytes: 1 }),
    deliver: async () => ({}),
    close,
  };
  const running = runnerOf(quick, ledger, folder.path).run(new AbortController().signal);
  await expect(running).rejects.toThrow("it cannot be counted");
  expect(close).toHaveBeenCalledTimes(1);
});

describe("a sink that is slow", () => {
  test("has the next delivery written while one is under way, and no other", async () => {
    using folder = temporaryFolder();
    const { ledger, read } = await ledgerIn(folder.path);
    await read(5_000);
    const told: string[] = [];
    let answer = (): void => {};
    const slow: Sink = {
      write: async (records) => {
        told.push(`writes ${records.count}`);
        return { payload: undefined, bytes: 1 };
      },
      deliver: async (parcels) => {
        told.push(`delivers ${parcels.length}`);
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        told.push("is answered");
        return {};
      },
      close: async () => {},
    };
    const stop = new AbortController();
    const runner = runnerOf(slow, ledger, folder.path);
    const running = runner.run(stop.signal);
    const taken: string[][] = [];
    for (let delivery = 0; delivery < 3; delivery++) {
      await settled();
      taken.push(told.splice(0));
      answer();
    }
    await settled();
    taken.push(told.splice(0));
    expect(taken).toEqual([
      ["writes 1000", "writes 1000", "delivers 2", "writes 1000", "writes 1000"],
      ["is answered", "delivers 2", "writes 1000"],
      ["is answered", "delivers 1"],
      ["is answered"],
    ]);
    stop.abort();
    await running;
    await ledger.close(undefined);
  });
});

describe("acknowledgements", () => {
  test("of a tenth of a second share one write to the disk, and a reading takes them along", async () => {
    using folder = temporaryFolder();
    const clock = new TestClock();
    const { ledger, read } = await ledgerIn(folder.path, clock.after);
    const writes = vi.spyOn(Store.prototype, "transaction");
    const count = async (work: () => Promise<unknown>): Promise<number> => {
      writes.mockClear();
      await work();
      await settled();
      return writes.mock.calls.length;
    };
    expect(await count(() => read(20_000))).toBe(1);
    const positions = (await ledger.next("web", 20_000)).map(({ position }) => position);
    const acknowledge = async (some: readonly number[]) => {
      for (const position of some) await ledger.acknowledge("web", position);
    };
    expect(await count(() => acknowledge(positions.slice(0, 10)))).toBe(0);
    expect(await count(async () => clock.advance(TIMES.acknowledgeEveryMs - 1))).toBe(0);
    expect(await count(async () => clock.advance(1))).toBe(1);
    expect(await count(async () => clock.advance(10_000))).toBe(0);
    const more = positions.slice(10, 15);
    expect(await count(() => acknowledge(more).then(() => read(1)))).toBe(1);
    expect(await count(async () => clock.advance(10_000))).toBe(0);
    // What no write has noted yet is noted at the end, and behind it the place of the store.
    expect(await count(() => acknowledge(positions.slice(15)).then(() => ledger.close(undefined)))).toBe(2);
    writes.mockRestore();
    const { ledger: again } = await ledgerIn(folder.path);
    expect((await again.status()).sinks[0]?.records).toBe(1);
    await again.close(undefined);
  });
});

test("a line holds what the node said, whatever that is", () => {
  const names = { node: "fra1", arena: 'e"dge', profile: "w\u00e9b", type: "conn" };
  const rules = [{ id: 1, name: 'a"b\u0007\u202e' }, { id: "99999999999999999999" }];
  const head = { ...names, at: Date.UTC(2026, 0, 1), epoch: 36, first: 35, id: "0123456789abcdef", rules };
  const conn = { source: "203.0.113.9", destination: "2001:db8::7", sourcePort: 4, destinationPort: 5 };
  const details = { age: 4, status: "act\u001bive", extra: { z: { y: "\u2028" } } };
  /** Rows as they are stored, each with the members of its record and the end of its message. */
  const rows: [row: unknown[], members: object, message: string][] = [
    [[6, ""], { event: "reset" }, "reset: the whole table follows"],
    [
      [1, "203.0.113.45@7", 7, null, 3],
      { event: "added", address: "203.0.113.45", id: 7, lifetime: 3 },
      "203.0.113.45 added: id 7, lifetime 3 s",
    ],
    [
      [2, " 203.0.113.9 198.51.100.7", null, 5, null, 0],
      { event: "changed", source: "203.0.113.9", destination: "198.51.100.7", value: 5, rule: rules[0] },
      '203.0.113.9 -> 198.51.100.7 changed: value 5 (a"b\\u{7}\\u{202e})',
    ],
    [
      [3, " 203.0.113.9 2001:db8::7 4 5 TCP%20x", 1, 2, 3, 1, { ...details, exact: { id: "123456789012345678901" } }],
      {
        event: "renewed",
        ...conn,
        protocol: "TCP x",
        id: "123456789012345678901",
        value: 2,
        lifetime: 3,
        ...details,
        rule: rules[1],
      },
      "TCP x 203.0.113.9:4 -> [2001:db8::7]:5 renewed: id 123456789012345678901, value 2, lifetime 3 s",
    ],
    [
      [4, " 2001:db8::9 2001:db8::7 4 5 6", null, null, null],
      { event: "gone", ...conn, source: "2001:db8::9", protocol: 6 },
      "6 [2001:db8::9]:4 -> [2001:db8::7]:5 gone",
    ],
    [[1, "", 1, 2], { event: "added", id: 1, value: 2 }, "- added: id 1, value 2"],
  ];
  const body = Buffer.from(JSON.stringify({ head, rows: rows.map(([row]) => row) }));
  const records = readBatch(body);
  expect(records).toEqual(
    rows.map(([, members, message], index) => ({
      timestamp: "2026-01-01T00:00:00.000Z",
      ...names,
      ...members,
      epoch: 36,
      sequence: 35 + index,
      recordId: `0123456789abcdef-10-${(35 + index).toString(36)}`,
      message: `fra1 e"dge/w\u00e9b conn ${message}`,
    })),
  );
  // As JSON.stringify writes them, in the order of their members.
  const lines = writeLines(body, { start: 1, end: 3 }, new Sheet(0), ['{"_id":"', '"}']).toString();
  const action = (record?: { recordId: string }) => `{"_id":"${record?.recordId}"}\n${JSON.stringify(record)}\n`;
  expect(lines).toBe(`${action(records[1])}${action(records[2])}`);
});
