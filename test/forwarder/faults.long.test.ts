import { rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type EmulatorState, startEmulator } from "../../provider/emulator";
import type { SinkConfig } from "../../provider/forwarder/config/types";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { serveHere } from "../support/raw-server";
import { passUntil, TestClock, until } from "./support/clock";
import {
  configOf,
  lostBy,
  marksOf,
  recordsIn,
  scene,
  startForwarding,
  stateOf,
  temporaryFolder,
} from "./support/forward";

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
  const server = await serveHere((request, response) => {
    tokens.push(request.headers.authorization);
    void sink.answer(request, response, async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      taken.push(...recordsIn(Buffer.concat(chunks).toString()));
    });
  });
  const url = `${server.url}/`;
  /** Its members in a configuration. */
  const as = (name: string, more: Partial<SinkConfig> = {}) => ({ name, type: "http", url, ...more }) as SinkConfig;
  return Object.assign(sink, { url, taken, tokens, as, [Symbol.dispose]: server[Symbol.dispose] });
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
  /** Takes the records, then does this. */
  const taking = (behind: (response: ServerResponse) => unknown): Answer => {
    return async (_, response, take) => {
      await take();
      behind(response);
    };
  };
  const broken = (response: ServerResponse) => response.writeHead(200, { "content-length": 9 });
  const faults: [name: string, answer: Answer, reason: RegExp, arrives: boolean][] = [
    ["closes before it reads", (request) => request.destroy(), /socket hang up|ECONNRESET/, false],
    ["refuses for now", away, /HTTP 503/, false],
    ["takes it, and closes", taking((one) => one.destroy()), /socket hang up|ECONNRESET/, true],
    ["takes it, and never answers", taking(() => {}), /no answer within 30000 ms/, true],
    [
      "takes it, and closes within the answer",
      taking((one) => broken(one).write("half", () => one.destroy())),
      /broke off within the answer|aborted/,
      true,
    ],
    [
      "takes it, and falls silent within the answer",
      taking((one) => broken(one).write("half")),
      /no (byte|whole answer) within 30000 ms/,
      true,
    ],
    ["takes it, and says that it failed", taking((one) => one.writeHead(500).end()), /HTTP 500/, true],
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
    // Within a minute of the first line, which came after `began`, the log would leave further lines about the table out.
    await passUntil(() => clock.monotonic() - began > 120_000, clock);
  }
  const values = faults.flatMap((_, index) => Array(3).fill(`changed ${index + 1}`));
  expect(records.map(({ event, value }) => `${event} ${value}`)).toEqual([...Array(3).fill("added 0"), ...values]);
});

test("a full spool pauses the tables that its sink takes alone: nothing is lost, and they go on when it has room", async () => {
  using careful = await startSink();
  const spool = { maxBytes: 65_536 };
  const { forwarder, told, clock, emulator, lists } = await scene(stateOf(0, 300), {
    ...RARE,
    sinks: [careful.as("careful", { spool })],
  });
  careful.answer = away;
  const paused = () => forwarder.metrics.get("paused_tables", { sink: "careful" });
  for (let value = 1; paused() === 0; value++) {
    const before = lists();
    emulator.seed(stateOf(value, 300));
    await passUntil(() => lists() > before || paused() > 0, clock);
  }
  const before = lists();
  const end = clock.monotonic() + 60_000;
  await passUntil(() => clock.monotonic() > end, clock);
  expect(lists()).toBe(before);
  expect(told.lines).toContainEqual(expect.stringMatching(/^warn The spool is full for sink "careful"/));
  expect(forwarder.unready).toEqual([expect.stringContaining('The spool is full for sink "careful"')]);
  expect(forwarder.health.spool[0]?.pausedTables).toEqual(["fra1/edge/web/shost"]);

  careful.answer = sound;
  emulator.seed(stateOf(99, 300));
  await passUntil(() => careful.taken.at(-1)?.value === 99, clock);
  expect([forwarder.unready, paused(), lostBy(forwarder, "careful")]).toEqual([[], 0, 0]);
  expect(gapsOf(once(careful.taken))).toEqual([]);
});

test("secrets from files are read again after a 401 and at intervals; a missing file changes nothing", async () => {
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
  const fra1 = { endpoint: emulator.endpoint, headers: { authorization: { file: "node-token" } } };
  const web = { name: "web", type: "http", url: sink.url, headers: { authorization: { file: "sink-token" } } };
  const config = configOf(emulator, [web], { nodes: { fra1 } });
  const { forwarder, told } = await startForwarding(config, folder.path, { world: clock });
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

describe("a start at a node that is silent", () => {
  const ruled = (value: number): EmulatorState => {
    const web = { rules: [{ id: 1, name: "syn-flood" }], marks: { shost: marksOf(value, 2) } };
    return { arenas: { edge: { profiles: { web } } } };
  };
  /** A forwarder of one node, whose requests for profiles and rules have a time-out in real time. */
  const start = async (
    emulator: Awaited<ReturnType<typeof startEmulator>>,
    folder: string,
    profiles: string[],
    timeoutMs = 100,
  ) => {
    const clock = new TestClock();
    const records: ForwardRecord[] = [];
    const nodes = { fra1: { endpoint: emulator.endpoint, timeoutMs } };
    const config = configOf(emulator, [], { nodes, watch: [{ arena: "edge", profiles, types: ["shost"] }] });
    const onRecord = (record: ForwardRecord): void => void records.push(record);
    const { forwarder, told } = await startForwarding(config, folder, { world: clock, onRecord });
    const asked = () => emulator.requests({ cmd: "list" }).map(({ url }) => url);
    return { clock, forwarder, told, records, asked };
  };

  test("shows at once: its known table is listed beside the look, and the first time-outs are told", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: ruled(7) });
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

  test.each([
    ["only at its profiles and rules delays no mark by more than a pause", ["arena://edge", "profile://edge/web"]],
    ["not at all: a profile that is named in full gets its rules with the first list", []],
  ])("%s", async (_, silent) => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: ruled(7) });
    for (const url of silent) emulator.fail({ url, kind: "silence", times: 1_000 });
    const { clock, records } = await start(emulator, folder.path, ["web"]);
    await until(() => records.length === 2, silent.length > 0 ? clock : undefined);
    const rule = silent.length > 0 ? undefined : "syn-flood";
    expect(records.map(({ event, rule }) => [event, rule?.name])).toEqual([
      ["added", rule],
      ["added", rule],
    ]);
  });

  test("holds up no stop: a list that waits for the first look waits no longer", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: ruled(7) });
    emulator.fail({ url: "arena://edge", kind: "silence", times: 1_000 });
    const { forwarder, asked } = await start(emulator, folder.path, ["web"], 600_000);
    await until(() => asked().includes("mark://edge/web"));
    // Its answer has come then. The clock stands still.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await forwarder.stop(0);
    expect(forwarder.isStuck).toBe(false);
  }, 20_000);

  test("after a restart: the tables of the last run are known, and a silent node is listed at once", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: ruled(7) });
    const first = await start(emulator, folder.path, ["*"]);
    await until(() => first.records.length === 2);
    expect(first.records.map(({ rule }) => rule?.name)).toEqual(["syn-flood", "syn-flood"]);
    await first.forwarder.stop();
    emulator.seed(ruled(8));
    emulator.fail({ url: "arena://edge", kind: "silence", times: 1_000 });
    const second = await start(emulator, folder.path, ["*"]);
    await until(() => second.records.length === 2, second.clock);
    expect(outlineOf(second.records)).toEqual(["1 changed 8", "2 changed 8"]);
  });
});
