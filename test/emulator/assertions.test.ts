import { expect, test } from "vitest";
import { connectEmulator, type Emulator, type RemoteEmulator, startEmulator } from "../../provider/emulator";
import { BLOCKED, control, fapi, insert, list, signaling } from "./calls";

const remove = (a: string) => ({ url: BLOCKED, cmd: "delete", data: [{ a }] });
const labelled = (run: string) => ({ "packetfilter-run": run });

/** The same object in this process and from afar. */
async function both(emulator: Emulator): Promise<(Emulator | RemoteEmulator)[]> {
  return [emulator, await connectEmulator(emulator.control)];
}

const failure = async (assertion: () => unknown) => {
  try {
    await assertion();
    return "";
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
};

test("an assertion about what the journal has dropped fails, by number and by bytes, and says what keeps more", async () => {
  for (const journalLimits of [{ requests: 3 }, { items: 2 }]) {
    await using emulator = await startEmulator({ journalLimits });
    await fapi(emulator, remove("192.0.2.0/24"), labelled("file-1"));
    for (const at of [1, 2, 3]) await fapi(emulator, insert(`203.0.113.${at}`), labelled("file-2"));
    for (const it of await both(emulator)) {
      expect(await it.requests({ cmd: "delete" })).toEqual([]);
      const words =
        /1 that matches or may match was dropped from the journal: keep more by `journalLimits` \(--journal-requests\)/;
      expect(await failure(() => it.expectRequests({ cmd: "delete" }, 0))).toMatch(words);
      expect(await failure(() => it.expectRequests({ cmd: "delete" }, { max: 2 }))).toBe("");
      expect(await failure(() => it.expectRequests({ cmd: "delete" }, { min: 1 }))).toMatch(words);
      expect(await failure(() => it.expectRequests({ contains: "192.0.2.9" }, 0))).toMatch(/may match/);
      expect(await failure(() => it.expectOrder([{ cmd: "delete" }, { cmd: "insert" }]))).toMatch(words);
      // What was dropped is of another kind or run.
      expect(await failure(() => it.expectRequests({ cmd: "commit" }, 0))).toBe("");
      expect(await failure(() => it.expectRequests({ run: "file-1", cmd: "insert" }, 0))).toBe("");
      expect(await failure(() => it.expectRequests({ run: "file-3" }, 0))).toBe("");
      expect(await failure(() => it.expectRequests({ cmd: "insert" }, { min: 2 }))).toBe("");
    }
    emulator.clearJournal();
    expect(emulator.expectRequests({ cmd: "delete" }, 0)).toEqual([]);
  }
});

test("a request that was dropped before its answer may have had any status", async () => {
  await using emulator = await startEmulator({ journalLimits: { requests: 1 } });
  emulator.fail({ cmd: "delete", kind: "delay", delay: "1h" });
  const slow = fapi(emulator, remove("192.0.2.0/24")).catch(() => undefined);
  await emulator.waitForRequest({ cmd: "list" }, { within: 1 }).catch(() => undefined);
  while (emulator.requests({ cmd: "delete" }).length === 0) await new Promise((turn) => setImmediate(turn));
  await fapi(emulator, list);
  expect(await failure(() => emulator.expectRequests({ status: 503 }, 0))).toMatch(/1 that matches or may match/);
  expect(await failure(() => emulator.expectRequests({ cmd: "commit", status: 503 }, 0))).toBe("");
  await emulator.close();
  await slow;
});

test("requests are found by the label of their run, and by what they contain", async () => {
  await using emulator = await startEmulator();
  const [client] = emulator.clients;
  await fapi(emulator, insert("203.0.113.0/24"), labelled("file-7"));
  await fapi(emulator, insert("203.0.113.9/32"), labelled("file-8"));
  await fapi(emulator, insert("203.0.113.10/31"), labelled("8"));
  await fapi(emulator, remove("203.0.0.0/16"));
  await signaling(emulator.signalingUrl, client, "start", ["198.51.100.7/32"]);
  for (const it of await both(emulator)) {
    const found = async (filter: Parameters<Emulator["requests"]>[0]) =>
      (await it.requests(filter)).map(({ index }) => index);
    expect(await found({ run: "file-7" })).toEqual([0]);
    expect(await found({ run: "8" })).toEqual([2]);
    expect(await found({ run: 2 })).toEqual([1]);
    expect(await found({ run: "nowhere" })).toEqual([]);
    expect(await found({ contains: "203.0.113.9" })).toEqual([0, 1, 3]);
    expect(await found({ contains: "203.0.113.0/24" })).toEqual([0, 3]);
    expect(await found({ contains: "203.0.113.9", cmd: "insert", run: "file-8" })).toEqual([1]);
    expect(await found({ contains: "198.51.100.7" })).toEqual([4]);
  }
  expect(emulator.journal.map(({ label }) => label)).toEqual(["file-7", "file-8", "8", undefined, undefined]);
  expect((await control(emulator, "GET", "/journal?run=2")).json).toEqual([emulator.journal[1]]);
  expect((await control(emulator, "GET", "/journal?run=8")).json).toEqual([emulator.journal[2]]);
  expect(() => emulator.requests({ contains: "somewhere" })).toThrow(/^requests\(\): contains: /);
});

test("a count is a number or bounds, and what is missing is told with what came near", async () => {
  await using emulator = await startEmulator();
  for (const at of [1, 2]) await fapi(emulator, insert(`203.0.113.${at}`), labelled("file-7"));
  const filter = { cmd: "insert", run: "file-7" } as const;
  for (const it of await both(emulator)) {
    for (const count of [2, { exactly: 2 }, { min: 1 }, { max: 2 }, { min: 1, max: 3 }]) {
      expect(await it.expectRequests(filter, count)).toEqual(emulator.journal);
    }
    const told = (count: Parameters<Emulator["expectRequests"]>[1]) => failure(() => it.expectRequests(filter, count));
    const came = 'with cmd "insert", run "file-7"; 2 came';
    expect(await told({ min: 3 })).toBe(`ExpectationError: Expected at least 3 requests ${came}.`);
    expect(await told({ max: 1 })).toMatch(`ExpectationError: Expected at most 1 request ${came}:\n  #0 `);
    expect(await told({ min: 3, max: 4 })).toBe(`ExpectationError: Expected 3 to 4 requests ${came}.`);
    expect(await told({ min: 2, max: 1 })).toMatch(/^TypeError: .*`min` must be at most `max`/);
    for (const url of ["prefixset://edge/blocked", "prefixset://edge/blocked/", "prefixset://edge/*"])
      expect(await it.expectRequests({ url }, 2)).toEqual(emulator.journal);
    expect(await failure(() => it.expectRequests({ cmd: "insert", url: "edge/blocked" }, 0))).toMatch(
      /^TypeError: .*url: "edge\/blocked" is not a resource address: .*; did you mean prefixset:\/\/edge\/blocked\?/,
    );
    expect(await told({})).toMatch(/^TypeError: .*needs `exactly`, or `min`, `max` or both/);
    expect(await told({ exactly: 1, min: 1 })).toMatch(/^TypeError: .*needs `exactly`, or `min`, `max` or both/);
    expect(await failure(() => it.expectRequests({ run: "file-8", contains: "192.0.2.1" }, 1))).toMatch(
      /Nearest:\n {2}#1 .*: run is "file-7", no data item has or covers 192\.0\.2\.1/,
    );
  }
});
