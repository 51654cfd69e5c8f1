import { rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { LiveConfig } from "../../provider/forwarder/config/config";
import type { SinkConfig } from "../../provider/forwarder/config/types";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { passUntil, TestClock, until } from "./support/clock";
import { lostBy, scene, startForwarding, temporaryFolder } from "./support/forward";

/** Marks of a profile by source, all with this value. */
const marksOf = (value: number, count: number) => ({
  marks: {
    shost: Array.from({ length: count }, (_, n) => ({
      address: `198.18.${n >> 8}.${n & 255}`,
      id: 1,
      value,
      lifetime: 86_400,
    })),
  },
});
const stateOf = (value: number, count = 1) => ({ arenas: { edge: { profiles: { web: marksOf(value, count) } } } });

/** Profiles and rules are asked for once. */
const RARE = { structureEveryMs: 7_200_000 };

type Answer = (request: IncomingMessage, response: ServerResponse, take: () => Promise<void>) => unknown;

const sound: Answer = async (_, response, take) => {
  await take();
  response.writeHead(204).end();
};

/** A sink of type http that answers as it is told, and what it has taken. */
async function startSink() {
  const taken: ForwardRecord[] = [];
  const tokens: unknown[] = [];
  const sink = { answer: sound };
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    void sink.answer(request, response, async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const lines = Buffer.concat(chunks).toString().trim().split("\n");
      taken.push(...lines.map((line): ForwardRecord => JSON.parse(line)));
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  /** Its members in a configuration. */
  const as = (name: string, more: Partial<SinkConfig> = {}) => ({ name, type: "http", url, ...more }) as SinkConfig;
  return Object.assign(sink, { url, taken, tokens, as, [Symbol.dispose]: close });
}

const away: Answer = (request, response) => {
  request.resume();
  response.writeHead(503).end();
};

/** Each record once, in the order in which they came first. */
function once(records: readonly ForwardRecord[]): ForwardRecord[] {
  const byId = new Map<string, ForwardRecord>();
  for (const record of records) {
    const before = byId.get(record.recordId);
    // What comes twice is the same, its id included.
    if (before) expect(JSON.stringify(record)).toBe(JSON.stringify(before));
    else byId.set(record.recordId, record);
  }
  return [...byId.values()];
}

/** The records that do not follow the one before, the first of them being the one behind `last`. */
const gapsOf = (records: readonly ForwardRecord[], last = 0) =>
  records.filter(({ sequence }, index) => sequence !== last + index + 1);

const outlineOf = (records: readonly ForwardRecord[]) =>
  records.map(({ sequence, event, value }) => `${sequence} ${event} ${value}`);

test("whatever breaks at a delivery: each record arrives, in order, and a repeat is the same record", async () => {
  using sink = await startSink();
  const { forwarder, told, clock, emulator } = await scene(stateOf(0), { sinks: [sink.as("web")] });
  await until(() => sink.taken.length === 1);
  const faults: [name: string, answer: Answer, reason: RegExp, arrives: boolean][] = [
    ["closes before it reads", (request) => request.destroy(), /socket hang up|ECONNRESET/, false],
    ["refuses for now", away, /HTTP 503/, false],
    [
      "takes it, and closes",
      async (_, response, take) => {
        await take();
        response.destroy();
      },
      /socket hang up|ECONNRESET/,
      true,
    ],
    ["takes it, and never answers", async (_, __, take) => take(), /no answer within 30000 ms/, true],
    [
      "takes it, and closes within the answer",
      async (_, response, take) => {
        await take();
        response.writeHead(200, { "content-length": 9 });
        response.write("half", () => response.destroy());
      },
      /broke off within the answer|aborted/,
      true,
    ],
    [
      "takes it, and falls silent within the answer",
      async (_, response, take) => {
        await take();
        response.writeHead(200, { "content-length": 9 }).write("half");
      },
      /no (byte|whole answer) within 30000 ms/,
      true,
    ],
    [
      "takes it, and says that it failed",
      async (_, response, take) => {
        await take();
        response.writeHead(500).end();
      },
      /HTTP 500/,
      true,
    ],
  ];
  for (const [index, [name, answer, reason, arrives]] of faults.entries()) {
    const sent = () => forwarder.metrics.get("sent_records_total", { sink: "web" });
    await until(() => sent() === index + 1);
    // Within a minute, further lines are left out.
    clock.advance(60_000);
    const before = sink.taken.length;
    sink.answer = (request, response, take) => {
      sink.answer = sound;
      return answer(request, response, take);
    };
    emulator.seed(stateOf(index + 1));
    await passUntil(() => sent() === index + 2, clock);
    expect(sink.taken.length - before, name).toBe(arrives ? 2 : 1);
    expect(forwarder.metrics.get("retries_total", { sink: "web" }), name).toBe(index + 1);
    // By default a sink may be silent as long as a delivery may last.
    const isStuck = reason.source.includes("30000 ms");
    expect(told.lines.splice(0), name).toEqual([
      ...(isStuck ? ['warn Sink "web" is stuck: a delivery has lasted 30000 ms without an end.'] : []),
      expect.stringMatching(new RegExp(`^warn Sink "web" accepts no records: ${sink.url}: .*(${reason.source})`)),
      'info Sink "web" accepts records again.',
      ...(isStuck ? ['info Sink "web" is stuck no longer.'] : []),
    ]);
  }
  const expected = ["1 added 0", ...faults.map((_, index) => `${index + 2} changed ${index + 1}`)];
  expect(outlineOf(once(sink.taken))).toEqual(expected);
});

test("a failing node: no mark counts as gone, one report, the last good list stays", async () => {
  const { forwarder, told, clock, emulator, records, lists } = await scene(stateOf(0, 3), RARE);
  await until(() => records.length === 3);
  const faults: [fault: Parameters<typeof emulator.fail>[0], reason: RegExp][] = [
    [{ kind: "error", status: 500 }, /HTTP 500/],
    [{ kind: "reset" }, /ECONNRESET|socket hang up/],
    [{ kind: "truncated" }, /./],
    [{ kind: "silence" }, /no answer within|no byte within/],
    [{ kind: "html" }, /HTTP 502/],
    [{ kind: "unknown-shape" }, /none of it is taken over/],
  ];
  const failed = () => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "failed" });
  for (const [index, [fault, reason]] of faults.entries()) {
    const [before, listed] = [failed(), lists()];
    emulator.fail({ cmd: "list", url: "mark://edge/web", times: 3, ...fault });
    emulator.seed(stateOf(index + 1, 3));
    const began = clock.monotonic();
    await passUntil(() => records.length === 3 * (index + 2), clock);
    expect(failed() - before, `${fault.kind}`).toBe(3);
    expect(lists() - listed, `${fault.kind}`).toBe(4);
    // Pauses grow: with the jitter of this clock 3 s, then three quarters of 6 s and of 12 s, none below the pace.
    expect(clock.monotonic() - began, `${fault.kind}`).toBeGreaterThan(3_000 + 3_000 + 4_500 + 9_000 - 3_000);
    expect(told.lines.splice(0), `${fault.kind}`).toEqual([
      expect.stringMatching(new RegExp(`^warn Marks \\(shost\\) of mark://edge/web on fra1 .*${reason.source}`)),
      "info Marks (shost) of edge/web on fra1 are read again.",
    ]);
    // Within a minute the log would leave further lines about the table out.
    await passUntil(() => clock.monotonic() - began > 60_000, clock);
  }
  const values = faults.flatMap((_, index) => Array(3).fill(`changed ${index + 1}`));
  expect(records.map(({ event, value }) => `${event} ${value}`)).toEqual([...Array(3).fill("added 0"), ...values]);
});

test("full spools: one pauses its tables and loses nothing, one drops the oldest and counts them", async () => {
  using careful = await startSink();
  using brisk = await startSink();
  const state = (value: number) => ({
    arenas: { edge: { profiles: { web: marksOf(value, 300), dns: marksOf(value, 300) } } },
  });
  const { forwarder, told, clock, emulator } = await scene(state(0), {
    ...RARE,
    spool: { maxBytes: 65_536 },
    sinks: [
      careful.as("careful", { only: { profiles: ["web"] } }),
      brisk.as("brisk", { only: { profiles: ["dns"] }, spool: { whenFull: "drop-oldest" } }),
    ],
  });
  careful.answer = brisk.answer = away;
  const lists = (profile: string) =>
    emulator.requests({ cmd: "list", type: "shost", url: `mark://edge/${profile}` }).length;
  for (let value = 1; value <= 20; value++) {
    const before = lists("dns");
    await passUntil(() => lists("dns") > before, clock);
    emulator.seed(state(value));
  }
  const paused = lists("web");
  expect(paused).toBeLessThan(10);
  expect(lists("dns")).toBeGreaterThanOrEqual(20);
  expect(told.lines).toContainEqual(expect.stringMatching(/^warn The spool is full for sink "careful"/));
  expect(forwarder.unready).toEqual([expect.stringContaining('The spool is full for sink "careful"')]);

  careful.answer = brisk.answer = sound;
  await passUntil(() => careful.taken.at(-1)?.value === 20 && brisk.taken.at(-1)?.value === 20, clock);
  expect(forwarder.unready).toEqual([]);
  const [all, newest] = [once(careful.taken), once(brisk.taken)];
  expect(gapsOf(all)).toEqual([]);
  expect(all.slice(-300).every(({ value }) => value === 20)).toBe(true);
  const dropped = lostBy(forwarder, "brisk");
  expect(dropped).toBeGreaterThan(0);
  expect(lostBy(forwarder, "careful")).toBe(0);
  // The portion that was under way all the time arrives in the end: what is missing is what was dropped.
  expect((newest.at(-1)?.sequence ?? 0) - newest.length).toBe(dropped);
  expect(newest.slice(-300).every(({ value }) => value === 20)).toBe(true);
});

test("records that a full spool drops are those that its sink lacks, one by one, and its counter says how many", async () => {
  using slow = await startSink();
  using healthy = await startSink();
  const spool = { maxBytes: 262_144, whenFull: "drop-oldest" as const };
  const { forwarder, clock, emulator } = await scene(stateOf(0, 3_000), {
    ...RARE,
    sinks: [slow.as("slow", { spool }), healthy.as("healthy")],
  });
  const dropped = (sink: string) => lostBy(forwarder, sink);
  const isRead = (value: number) => () => healthy.taken.length === 3_000 * (value + 1);
  await passUntil(isRead(0), clock);
  await passUntil(() => slow.taken.length === 3_000, clock);
  for (let value = 1; value <= 20; value++) {
    // It is away for lists 1 to 8 and 11 to 18. One delivery is tried again all the time, and arrives in the end.
    slow.answer = value % 10 >= 1 && value % 10 <= 8 ? away : sound;
    emulator.seed(stateOf(value, 3_000));
    await passUntil(isRead(value), clock);
  }
  await passUntil(() => forwarder.status.sinks.every(({ records }) => records === 0), clock);
  const all = once(healthy.taken);
  expect(gapsOf(all)).toEqual([]);
  const arrived = new Map(once(slow.taken).map((record) => [record.recordId, JSON.stringify(record)]));
  const missing = all.filter((record) => arrived.get(record.recordId) !== JSON.stringify(record));
  expect(missing.length).toBeGreaterThan(3_000);
  expect(all.length - arrived.size).toBe(missing.length);
  expect([dropped("slow"), dropped("healthy")]).toEqual([missing.length, 0]);
});

test("a clock set to and fro changes timestamps only, not pace, order or sinks", async () => {
  const records: ForwardRecord[] = [];
  let fails = false;
  const onRecord = (record: ForwardRecord): void => {
    fails = !fails;
    if (fails) throw new Error("not now");
    records.push(record);
  };
  const { forwarder, clock, emulator } = await scene(stateOf(0), RARE, { onRecord });
  const taken = () => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "taken" });
  await until(() => taken() === 1);
  for (const [index, jump] of [86_400_000, -172_800_000, 31_536_000_000, -1].entries()) {
    clock.jump(jump);
    emulator.seed(stateOf(index + 1));
    clock.advance(2_999);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(taken()).toBe(index + 1);
    clock.advance(1);
    await until(() => taken() === index + 2);
  }
  await passUntil(() => records.length === 5, clock);
  expect(outlineOf(records)).toEqual(["1 added 0", "2 changed 1", "3 changed 2", "4 changed 3", "5 changed 4"]);
  expect(records.map(({ timestamp }) => timestamp.slice(0, 10))).toEqual([
    "2026-01-01",
    "2026-01-02",
    "2025-12-31",
    "2026-12-31",
    "2026-12-31",
  ]);
});

describe("secrets from files", () => {
  const config = (node: string, sink: string) => ({
    nodes: { fra1: { endpoint: node, headers: { authorization: { file: "node-token" } } } },
    watch: [{ arena: "edge", types: ["shost" as const] }],
    sinks: [{ name: "web", type: "http" as const, url: sink, headers: { authorization: { file: "sink-token" } } }],
  });

  test("are read again after a 401 and at intervals; a missing file changes nothing", async () => {
    using folder = temporaryFolder();
    using sink = await startSink();
    await using emulator = await startEmulator({ state: stateOf(0), auth: { bearer: "n2" } });
    const secret = (name: string, text: string) => writeFileSync(join(folder.path, name), `${text}\n`);
    secret("node-token", "Bearer n1");
    secret("sink-token", "Bearer s1");
    const wanted = { token: "Bearer s2" };
    sink.answer = async (request, response, take) => {
      if (request.headers.authorization === wanted.token) return sound(request, response, take);
      request.resume();
      response.writeHead(401).end();
    };
    const clock = new TestClock();
    const { forwarder, told } = await startForwarding(config(emulator.endpoint, sink.url), folder.path, {
      world: clock,
    });
    const again = () => told.lines.filter((line) => line === "info Secrets were read again from their files.").length;
    await until(() => told.lines.some((line) => /^warn .*HTTP 401/.test(line)));
    secret("node-token", "Bearer n2");
    await passUntil(() => sink.tokens.length > 0, clock);
    expect(again()).toBe(1);

    // The sink has said 401: what the file holds by then is read before the next try, without waiting for anything else.
    await until(() =>
      told.lines.some((line) => line.includes('Sink "web" accepts no records: ') && line.includes("401")),
    );
    secret("sink-token", "Bearer s2");
    await passUntil(() => sink.taken.length === 1, clock);
    expect(again()).toBe(2);
    expect(new Set(sink.tokens)).toEqual(new Set(["Bearer s1", "Bearer s2"]));

    // No answer complains, and yet the new one is used after a while.
    secret("sink-token", "Bearer s3");
    wanted.token = "Bearer s3";
    clock.advance(10_000);
    await until(() => again() === 3);
    const retries = forwarder.metrics.get("retries_total", { sink: "web" });
    emulator.seed(stateOf(1));
    await passUntil(() => sink.taken.length === 2, clock);
    expect(forwarder.metrics.get("retries_total", { sink: "web" })).toBe(retries);

    rmSync(join(folder.path, "sink-token"));
    clock.advance(10_000);
    await until(() => told.lines.some((line) => line.startsWith("warn Secrets are unchanged: ")));
    emulator.seed(stateOf(2));
    await passUntil(() => sink.taken.length === 3, clock);
    expect(sink.tokens.at(-1)).toBe("Bearer s3");
    expect(told.lines.join("\n")).not.toMatch(/Bearer|\b[ns][123]\b/);
  });
});

test("a sink that is dead stops no other: the healthy one has every change, and the dead one the right table once it is back", async () => {
  using dead = await startSink();
  using healthy = await startSink();
  const { forwarder, told, clock, emulator } = await scene(stateOf(0, 300), {
    sinks: [dead.as("dead", { spool: { maxBytes: 65_536 } }), healthy.as("healthy")],
  });
  dead.answer = away;
  for (let value = 1; value <= 20; value++) {
    emulator.seed(stateOf(value, 300));
    await passUntil(() => healthy.taken.at(-1)?.value === value, clock);
  }
  expect(gapsOf(once(healthy.taken))).toEqual([]);
  await passUntil(() => forwarder.unready.length > 0, clock);
  expect(forwarder.unready).toEqual([
    expect.stringMatching(/^The spool is full for sink "dead": new records are kept for/),
  ]);
  dead.answer = sound;
  await passUntil(
    () => forwarder.unready.length === 0 && forwarder.status.sinks.every(({ records }) => !records),
    clock,
  );
  expect(told.lines.at(-1)).toBe('info Sink "dead" gets all its tables again.');
  const marks = new Map<string | undefined, unknown>();
  for (const { event, address, value } of once(dead.taken)) {
    if (event === "reset") marks.clear();
    else marks.set(address, value);
  }
  expect([marks.size, new Set(marks.values())]).toEqual([300, new Set([20])]);
});

test("records that are sent again behind a reset are marked for each sink that had them, and for no other", async () => {
  using careful = await startSink();
  using brisk = await startSink();
  using late = await startSink();
  const sinks = [careful.as("careful", { spool: { maxBytes: 65_536 } }), brisk.as("brisk")];
  const { forwarder, clock, emulator, lists, config, folder } = await scene(stateOf(0, 300), { ...RARE, sinks });
  await passUntil(() => careful.taken.length === 300 && brisk.taken.length === 300, clock);
  careful.answer = away;
  const list = async (value: number, count: number) => {
    const before = lists();
    emulator.seed(stateOf(value, count));
    await passUntil(() => lists() > before + 1, clock);
  };
  for (let value = 1; value <= 12; value++) await list(value, 300);
  expect(forwarder.status.sinks.find(({ name }) => name === "careful")?.behind).toEqual(["fra1/edge/web/shost"]);
  // Ten attacks that it does not see, and a sink that has seen nothing before.
  await list(13, 310);
  const next = { ...config, sinks: [...sinks, late.as("late")] };
  await forwarder.reload(await LiveConfig.ofObject(next, {}, folder));
  careful.answer = sound;
  const behindReset = ({ taken }: { taken: readonly ForwardRecord[] }) => {
    const all = once(taken);
    const added = all.slice(all.findIndex(({ event }) => event === "reset")).filter(({ event }) => event === "added");
    return { resent: added.filter(({ resent }) => resent).length, new: added.filter(({ resent }) => !resent).length };
  };
  const isReset = ({ taken }: { taken: readonly ForwardRecord[] }) => {
    const at = taken.findIndex(({ event }) => event === "reset");
    return at >= 0 && taken.length >= at + 311;
  };
  await passUntil(() => [careful, brisk, late].every(isReset), clock);
  expect([behindReset(careful), behindReset(brisk), behindReset(late)]).toEqual([
    { resent: 300, new: 10 },
    { resent: 310, new: 0 },
    { resent: 0, new: 310 },
  ]);
  // No record before the reset is marked.
  expect([...careful.taken, ...brisk.taken].filter(({ event, resent }) => resent && event !== "added")).toEqual([]);
});

describe("a start at a node that is silent", () => {
  const ruled = {
    arenas: { edge: { profiles: { web: { rules: [{ id: 1, name: "syn-flood" }], ...marksOf(7, 2) } } } },
  };
  /** A forwarder of one node, whose requests for profiles and rules have a time-out in real time. */
  const start = async (emulator: Awaited<ReturnType<typeof startEmulator>>, folder: string, profiles: string[]) => {
    const clock = new TestClock();
    const records: ForwardRecord[] = [];
    const { forwarder, told } = await startForwarding(
      {
        nodes: { fra1: { endpoint: emulator.endpoint, timeoutMs: 100 } },
        watch: [{ arena: "edge", profiles, types: ["shost"] }],
        state: folder,
      },
      folder,
      { world: clock, onRecord: (record) => void records.push(record) },
    );
    const asked = () => emulator.requests({ cmd: "list" }).map(({ url }) => url);
    return { clock, forwarder, told, records, asked };
  };

  test("shows at once: its known table is listed beside the look, and the first time-outs are told", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: ruled });
    emulator.fail({ kind: "silence", times: 1_000 });
    const { clock, told, asked, records } = await start(emulator, folder.path, ["web"]);
    await until(() => asked().length === 2);
    expect(asked().sort()).toEqual(["arena://edge", "mark://edge/web"]);
    clock.advance(100);
    await until(() => told.lines.length === 2);
    expect(told.lines.toSorted()).toEqual([
      expect.stringMatching(
        /^warn Marks \(shost\) of mark:\/\/edge\/web on fra1 .*: no answer within 100 ms\. It is listed again after 3 s to 60 s; no mark counts as gone meanwhile\.$/,
      ),
      expect.stringMatching(
        /^warn .*arena:\/\/edge.* on fra1 .* Node fra1 is asked for its profiles and rules again within 60 s; known tables are listed meanwhile\.$/,
      ),
    ]);
    // One try of one request: nothing more is asked for while there is no answer.
    expect(asked().filter((url) => url?.startsWith("profile:"))).toEqual([]);
    emulator.clearFaults();
    await until(() => records.length === 2, clock);
    await until(() => told.lines.includes("info Node fra1 answers."), clock);
  });

  test("only at its profiles and rules delays no mark by more than a pause", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: ruled });
    for (const url of ["arena://edge", "profile://edge/web"]) emulator.fail({ url, kind: "silence", times: 1_000 });
    const { clock, records } = await start(emulator, folder.path, ["web"]);
    await until(() => records.length === 2, clock);
    expect(records.map(({ event, rule }) => [event, rule])).toEqual([
      ["added", undefined],
      ["added", undefined],
    ]);
  });

  test("after a restart: the tables of the last run are known, and a silent node is listed at once", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: ruled });
    const first = await start(emulator, folder.path, ["*"]);
    await until(() => first.records.length === 2);
    expect(first.records.map(({ rule }) => rule?.name)).toEqual(["syn-flood", "syn-flood"]);
    await first.forwarder.stop();
    emulator.seed({
      arenas: { edge: { profiles: { web: { rules: [{ id: 1, name: "syn-flood" }], ...marksOf(8, 2) } } } },
    });
    emulator.fail({ url: "arena://edge", kind: "silence", times: 1_000 });
    const second = await start(emulator, folder.path, ["*"]);
    await until(() => second.records.length === 2, second.clock);
    expect(outlineOf(second.records)).toEqual(["1 changed 8", "2 changed 8"]);
  });

  test("a profile that is named in full gets its rules with the first list of a node that answers", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: ruled });
    const { records } = await start(emulator, folder.path, ["web"]);
    await until(() => records.length === 2);
    expect(records.map(({ rule }) => rule?.name)).toEqual(["syn-flood", "syn-flood"]);
  });
});
