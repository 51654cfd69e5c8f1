import { expect, test } from "vitest";
import {
  connectEmulator,
  type Fault,
  type JournalEntry,
  startEmulator,
  UnmetFaultError,
} from "../../provider/emulator";
import type { FaultDefinition } from "../../provider/emulator/behaviour/fault-kind";
import { FAULT_KINDS, type FaultKind } from "../../provider/emulator/behaviour/fault-kinds";
import { faultPresets } from "../../provider/emulator/behaviour/fault-presets";
import { faultSchema } from "../../provider/emulator/behaviour/fault-schema";
import { BLOCKED, commit, control, fapi, list, raw, signaling } from "./calls";
import { wallByHand } from "./wall-by-hand";

const state = { arenas: { edge: { sets: { blocked: {} } } } };
const insert = { url: BLOCKED, cmd: "insert", data: [{ p: "192.0.2.0/24", v: 1 }] };
const done = { "192.0.2.0/24": 1 };

test("the first commit fails with the status asked for, without effect, and the second succeeds", async () => {
  await using emulator = await startEmulator({ state });
  emulator.fail({ cmd: "commit", nth: 1, status: 503, retryAfter: 2 });
  await fapi(emulator, insert);
  const { status, headers } = await fapi(emulator, commit);
  expect([status, headers.get("retry-after")]).toEqual([503, "2"]);
  expect(emulator.prefixSet(BLOCKED)).toEqual({ applied: {}, staged: done });
  expect((await fapi(emulator, commit)).status).toBe(200);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(done);
  expect(emulator.requests({ cmd: "commit" }).map(({ status, fault }) => [status, fault])).toEqual([
    [503, "error"],
    [200, undefined],
  ]);
});

test.each([
  { kind: "reset", applied: {} },
  { kind: "reset", when: "after", applied: done },
  { kind: "lost-answer", applied: done },
  { kind: "truncated", applied: done },
  { kind: "refuse", delay: 1, applied: {} },
  { kind: "restart", when: "after", delay: 1, applied: done },
] as const)("$kind $when breaks the connection", async ({ applied, ...fault }) => {
  await using emulator = await startEmulator({ state });
  await fapi(emulator, insert);
  emulator.fail({ cmd: "commit", ...fault });
  await expect(fapi(emulator, commit)).rejects.toThrow();
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(applied);
  expect(emulator.requests({ cmd: "commit" })).toMatchObject([{ fault: fault.kind }]);
  expect(emulator.requests({ cmd: "commit" })[0]?.status).toBeUndefined();
});

test.each([
  { kind: "html", status: 502, text: "<h1>Bad Gateway</h1>", applied: {} },
  { kind: "unknown-shape", status: 200, text: '"took"', applied: done },
  { kind: "error", when: "after", status: 500, text: "fault", applied: done },
  { kind: "full-table", status: 507, text: "table full", applied: {} },
  { kind: "stuck-commit", status: 200, text: "ok", applied: {} },
  { kind: "slow-commit", delay: 1, status: 200, text: "ok", applied: done },
  { kind: "delay", delay: 1, status: 200, text: "ok", applied: done },
] as const)("$kind answers $status", async ({ applied, status, text, ...fault }) => {
  await using emulator = await startEmulator({ state });
  await fapi(emulator, insert);
  emulator.fail({ cmd: "commit", ...fault });
  const answer = await fapi(emulator, commit);
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(text);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(applied);
});

test("what a stuck commit leaves is lost, or stays staged", async () => {
  await using emulator = await startEmulator({ state });
  for (const [staged, expected] of [
    ["lost", {}],
    ["kept", done],
  ] as const) {
    await fapi(emulator, insert);
    emulator.fail({ cmd: "commit", kind: "stuck-commit", staged });
    await fapi(emulator, commit);
    expect(emulator.prefixSet(BLOCKED)).toEqual({ applied: {}, staged: expected });
  }
});

test("a commit that is late is applied when its time has come on the virtual clock", async () => {
  await using emulator = await startEmulator({ state });
  emulator.clock.freeze();
  emulator.fail({ kind: "late-commit", delay: "10s" });
  emulator.fail({ kind: "late-commit", cmd: "commit", delay: "10s" });
  await fapi(emulator, insert);
  const events = (await fetch(`${emulator.control}/events`)).body?.pipeThrough(new TextDecoderStream()).getReader();
  await fapi(emulator, commit);
  expect(emulator.prefixSet(BLOCKED)).toEqual({ applied: {}, staged: done });
  emulator.clock.advance("9s");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
  emulator.clock.advance("1s");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(done);
  expect(emulator.requests({ cmd: "commit" })[0]?.commit?.inserted).toEqual(done);
  // Who follows the journal gets the entry once more, with the changes.
  await fapi(emulator, list);
  let followed = "";
  while (!followed.includes("id: 2")) followed += (await events?.read())?.value ?? "";
  expect(followed.match(/^id: 1\n.*\n.*"inserted":\{"192.0.2.0\/24":1\}/gm)).toHaveLength(1);
  // One that is cleared meanwhile is told once.
  await fapi(emulator, commit);
  emulator.clearJournal();
  emulator.clock.advance("10s");
  await fapi(emulator, list);
  while (!followed.includes("id: 4")) followed += (await events?.read())?.value ?? "";
  expect(followed.match(/^id: 3$/gm)).toHaveLength(1);
});

test("a stale list shows the set as it was before its last commit", async () => {
  await using emulator = await startEmulator({ state });
  await fapi(emulator, insert);
  await fapi(emulator, commit);
  emulator.fail({ cmd: "list", kind: "stale-list" });
  expect((await fapi(emulator, list)).json).toEqual({ data: [] });
  expect((await fapi(emulator, list)).json).toEqual({ data: [{ p: "192.0.2.0/24", v: 1 }] });
});

test.each([204, 205, 304])("an answer of status %i has no body and no length", async (status) => {
  await using emulator = await startEmulator({ state });
  emulator.fail({ status, body: "never sent" });
  const request = `POST /fapi HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
  const [head = "", body] = (await raw(emulator.endpoint, request)).split("\r\n\r\n");
  expect([head.slice(9, 12), body]).toEqual([String(status), ""]);
  expect(head.toLowerCase()).not.toMatch(/content-length: [^0]/);
  expect(emulator.journal[0]).toMatchObject({ status, answerBytes: 0, answer: "" });
});

test.each([
  { kind: "error", status: 503 },
  { kind: "full-table", status: 507 },
] as const)("$kind has its status also where errors have 200", async ({ kind, status }) => {
  await using emulator = await startEmulator({ state, dialect: "always-200" });
  emulator.fail({ kind, cmd: "insert", status });
  expect(await fapi(emulator, insert)).toMatchObject({ status, json: { error: expect.any(String) } });
  emulator.fail({ op: "status", status });
  expect((await signaling(emulator.signalingUrl, emulator.clients[0], "status")).status).toBe(status);
});

test.each<{ way: string; fault?: Fault; latency?: number }>([
  { way: "a slow commit", fault: { kind: "slow-commit", delay: 50 } },
  { way: "a delay before it", fault: { cmd: "commit", kind: "delay", delay: 50 } },
  { way: "a delay after it", fault: { cmd: "commit", kind: "delay", delay: 50, when: "after" } },
  { way: "the latency", latency: 50 },
])(
  "a commit that waits by $way is broken off by a reset, and has no effect after it",
  async ({ fault, latency = 0 }) => {
    const wall = wallByHand();
    const answered: JournalEntry[] = [];
    const onRequest = (entry: JournalEntry) => void answered.push(entry);
    const staged = { ...state, staged: { [BLOCKED]: done } };
    await using emulator = await startEmulator({ state: staged, wall, latency, onRequest });
    if (fault) emulator.fail(fault);
    const broken = expect(fapi(emulator, commit)).rejects.toThrow("fetch failed");
    await wall.waited();
    emulator.reset();
    wall.pass(50);
    await broken;
    expect(emulator.prefixSet(BLOCKED)).toEqual({ applied: {}, staged: done });
    expect([emulator.journal, answered]).toEqual([[], []]);
  },
);

test("a restart breaks off requests in progress, which have neither an effect nor an answer", async () => {
  const wall = wallByHand();
  await using emulator = await startEmulator({ state: { ...state, staged: { [BLOCKED]: done } }, wall });
  emulator.fail({ kind: "slow-commit", delay: 50 });
  const broken = expect(fapi(emulator, commit)).rejects.toThrow("fetch failed");
  await wall.waited();
  emulator.fail({ cmd: "list", kind: "restart", staged: "kept", delay: 0 });
  await expect(fapi(emulator, list)).rejects.toThrow();
  wall.pass(50);
  await broken;
  expect(emulator.prefixSet(BLOCKED)).toEqual({ applied: {}, staged: done });
  await expect
    .poll(() => emulator.journal.map(({ status, durationMs }) => [status, durationMs]))
    .toEqual([
      [undefined, 50],
      [undefined, 0],
    ]);
});

test("an answer that its caller does not wait for is none in the journal", async () => {
  const wall = wallByHand();
  await using emulator = await startEmulator({ state, wall });
  emulator.fail({ kind: "delay", delay: 50 });
  const left = new AbortController();
  const asked = fetch(`${emulator.endpoint}/fapi`, { method: "POST", signal: left.signal });
  await wall.waited();
  left.abort();
  await expect(asked).rejects.toThrow();
  const concurrent = async () => (await fapi(emulator, list)) && emulator.journal.at(-1)?.concurrent;
  await expect.poll(concurrent).toBe(1);
  wall.pass(50);
  await expect.poll(() => emulator.journal[0]?.durationMs).toBe(50);
  expect(emulator.journal[0]?.status).toBeUndefined();
});

test("a restart loses staged entries, or keeps them", async () => {
  await using emulator = await startEmulator({ state });
  for (const [staged, expected] of [
    ["lost", {}],
    ["kept", done],
  ] as const) {
    await fapi(emulator, insert);
    emulator.fail({ cmd: "list", kind: "restart", staged, delay: 0 });
    await expect(fapi(emulator, list)).rejects.toThrow();
    expect(emulator.prefixSet(BLOCKED).staged).toEqual(expected);
  }
});

test("the clock of a node that is off shows in the date of its answers", async () => {
  await using emulator = await startEmulator({ state });
  emulator.clock.freeze("2026-01-01T00:00:00Z");
  emulator.fail({ kind: "clock-skew", delay: "2h" });
  const response = await fetch(`${emulator.signalingUrl}/client-a/emulator-secret-a/status`);
  expect(response.headers.get("date")).toBe("Thu, 01 Jan 2026 02:00:00 GMT");
});

test("faults meet the nth, every nth, or a seeded part of the matching requests", async () => {
  await using emulator = await startEmulator({ state, seed: 7 });
  const statuses = async (count: number) => {
    const all = [];
    for (let n = 0; n < count; n += 1) all.push((await fapi(emulator, list)).status);
    return all;
  };
  emulator.fail({ cmd: "list", url: `${BLOCKED}/`, nth: 2, times: 2 });
  emulator.fail({ cmd: "commit" });
  expect(await statuses(4)).toEqual([200, 500, 500, 200]);
  emulator.clearFaults();
  emulator.fail({ cmd: "list", nth: 1, status: 503 });
  emulator.fail({ cmd: "list", nth: 2, status: 502 });
  expect(await statuses(3)).toEqual([503, 502, 200]);
  emulator.clearFaults();
  emulator.fail({ every: 2, status: 429 });
  expect(await statuses(4)).toEqual([200, 429, 200, 429]);
  emulator.clearFaults();
  emulator.fail({ rate: 0.5 });
  const first = await statuses(12);
  emulator.clearFaults();
  emulator.fail({ rate: 0.5, seed: 7 });
  expect(await statuses(12)).toEqual(first);
  expect(new Set(first)).toEqual(new Set([200, 500]));
});

test("signaling faults are errors in the form of the signaling API", async () => {
  await using emulator = await startEmulator();
  emulator.fail({ op: "start", kind: "lost-answer" });
  emulator.fail({ op: "status", status: 500, message: "try later" });
  const [client] = emulator.clients;
  await expect(signaling(emulator.signalingUrl, client, "start", ["198.51.100.7/32"])).rejects.toThrow();
  expect(emulator.signalings["client-a"]).toEqual(["198.51.100.7/32"]);
  expect(await signaling(emulator.signalingUrl, client, "status")).toMatchObject({ status: 500, text: "try later" });
});

test("a reset ends a fault that refuses connections", async () => {
  await using emulator = await startEmulator({ state });
  emulator.fail({ cmd: "commit", kind: "refuse", delay: 3_600_000 });
  await expect(fapi(emulator, commit)).rejects.toThrow();
  await expect(fapi(emulator, list)).rejects.toThrow();
  emulator.reset();
  await expect.poll(async () => (await fapi(emulator, list).catch(() => undefined))?.status).toBe(200);
});

test.each<[Fault, string]>([
  [{ kind: "rain" as "reset" }, "kind"],
  [{ delay: "soon" }, "not a duration"],
  [{ cmd: "commit", op: "start" }, "no request has both cmd and op"],
  [{ api: "signaling", cmd: "list" }, 'no request has both cmd and api "signaling"'],
  [{ api: "node", op: "stop" }, 'no request has both api "node" and op'],
  [{ url: BLOCKED, client: "client-a" }, "no request has both url and client"],
  [
    { url: "edge/blocked" },
    '"edge/blocked" is not a resource address: it must begin with arena://, profile://, prefixset:// or mark://; did you mean prefixset://edge/blocked?',
  ],
  [{ url: "prefixset://edge" }, 'url: "prefixset://edge" is not a resource address'],
  [{ cmd: "commit", url: `${BLOCKED}/more/names` }, `url: "${BLOCKED}/more/names" is not a resource address`],
  [{ cmd: "delete", url: "arena://edge" }, "a delete works on prefix-sets, and arena://edge is none"],
  [{ cmd: "insert", type: "shost" }, "only a list of marks has a type: a insert never meets it"],
  [{ url: `${BLOCKED}/`, type: "shost" }, "only mark://ARENA/PROFILE has a type"],
  [{ kind: "reset", status: 503 }, "status has no meaning for reset, which takes when"],
  [{ kind: "truncated", delay: 5 }, "delay has no meaning for truncated, which takes none of these"],
  [{ body: "x", message: "y" }, "body is the whole answer: message is not in it"],
  [{ nth: 2, every: 3 }, "nth and every contradict each other"],
  [{ rate: 0 }, "with the rate 0 it never takes effect"],
  [{ seed: 3 }, "seed has an effect only with rate"],
  [
    { kind: "slow-commit", cmd: "list" },
    'slow-commit has a meaning only for commit of a prefix-set: cmd "list" never meets it',
  ],
  [
    { kind: "full-table", op: "start" },
    'full-table has a meaning only for insert and commit of a prefix-set: op "start"',
  ],
  [
    { kind: "stale-list", type: "shost" },
    "stale-list has a meaning only for list of a prefix-set: it never meets a list of marks",
  ],
  [{ kind: "stale-list", url: "profile://edge/web" }, "profile://edge/web is none"],
  [{ retryAfter: "1\r\nX-Evil: 1" }, "retryAfter: must be seconds or an HTTP date"],
])("%j can never strike, and is refused with the reason, in code and over the control API", async (fault, words) => {
  await using emulator = await startEmulator();
  expect(() => emulator.fail(fault)).toThrow(words);
  const answer = await control(emulator, "POST", "/faults", fault);
  expect(answer).toMatchObject({ status: 400, json: { error: expect.stringContaining(words) } });
  expect(emulator.faults).toEqual([]);
});

test("a kind with a meaning for one command meets that alone, and counts nothing else", async () => {
  await using emulator = await startEmulator({ state });
  const slow = emulator.fail({ kind: "slow-commit", delay: 1 });
  const stale = emulator.fail({ kind: "stale-list" });
  await fapi(emulator, insert);
  await fapi(emulator, { url: "arena://edge", cmd: "list" });
  expect([slow, stale].map(({ seen, hits }) => [seen, hits])).toEqual([
    [0, 0],
    [0, 0],
  ]);
  await fapi(emulator, commit);
  await fapi(emulator, list);
  expect([slow, stale].map(({ seen, hits }) => [seen, hits])).toEqual([
    [1, 1],
    [1, 1],
  ]);
});

test("patterns, resources to come and HTTP dates are accepted", async () => {
  await using emulator = await startEmulator({ state });
  const date = "Tue, 01 Dec 2026 00:00:00 GMT";
  for (const url of ["*", "prefix*", "prefixset://edge/*", "prefixset://edge/none", "prefixset://edge/a b"]) {
    emulator.fail({ url, status: 503, retryAfter: date });
  }
  const { status, headers } = await fapi(emulator, list);
  expect([status, headers.get("retry-after")]).toEqual([503, date]);
});

test("faults that were never met are told, each with the reason and the requests that came nearest", async () => {
  await using emulator = await startEmulator({ state });
  emulator.expectAllFaultsMet();
  emulator.fail({ cmd: "commit", url: "prefixset://edge/blokced", status: 503 });
  expect(() => emulator.expectAllFaultsMet()).toThrow(
    'A fault was never met:\n  fault 1 {"cmd":"commit","url":"prefixset://edge/blokced","status":503,"kind":"error"}: the emulator received no request',
  );
  emulator.fail({ cmd: "list", nth: 3 });
  emulator.fail({ cmd: "insert", kind: "reset" }).remove();
  for (const command of [insert, commit, list]) await fapi(emulator, command);
  emulator.fail({ cmd: "commit" });
  await fapi(emulator, list);
  const unmet = [
    {
      id: 1,
      fault: { cmd: "commit", url: "prefixset://edge/blokced", status: 503, kind: "error" },
      reason: `no request matched. Nearest: request 1, node commit ${BLOCKED} (another url); request 3, node list ${BLOCKED} (another cmd and another url); request 2, node list ${BLOCKED} (another cmd and another url)`,
    },
    {
      id: 2,
      fault: { cmd: "list", nth: 3, kind: "error" },
      reason: "2 requests matched, and it takes effect from number 3 on",
    },
    {
      id: 4,
      fault: { cmd: "commit", kind: "error" },
      reason: `no request matched. Nearest: request 1, node commit ${BLOCKED} (before the fault was set, or of no use to its kind); request 3, node list ${BLOCKED} (another cmd); request 2, node list ${BLOCKED} (another cmd)`,
    },
  ];
  expect(emulator.unmetFaults()).toEqual(unmet);
  expect((await control(emulator, "GET", "/faults/unmet")).json).toEqual(unmet);
  expect(() => emulator.expectAllFaultsMet()).toThrow(UnmetFaultError);
  const client = await connectEmulator(emulator.control);
  expect(await client.unmetFaults()).toEqual(unmet);
  await expect(client.expectAllFaultsMet()).rejects.toThrow(UnmetFaultError);
  for (const command of [list, commit, { ...commit, url: "prefixset://edge/blokced" }]) await fapi(emulator, command);
  emulator.expectAllFaultsMet();
});

test("by choice an emulator that ends with faults never met fails, once all is closed", async () => {
  const emulator = await startEmulator({ state, expectAllFaultsMet: true });
  emulator.fail({ cmd: "commit", kind: "reset" });
  await expect(emulator.close()).rejects.toThrow(/^A fault was never met:\n.*received no request/);
  await expect(fetch(emulator.control)).rejects.toThrow();
  await using quiet = await startEmulator({ state, expectAllFaultsMet: true });
  quiet.fail({ cmd: "list" });
  await fapi(quiet, list);
});

const kinds: [FaultKind, FaultDefinition][] = Object.entries(FAULT_KINDS) as [FaultKind, FaultDefinition][];

test.each(kinds)(
  "the page offers %s with defaults and switches that the emulator understands",
  async (kind, definition) => {
    await using emulator = await startEmulator();
    const answer = await control(emulator, "GET", "/page/fault-kinds");
    const json = answer.json as { kinds: unknown[]; presets: unknown[] };
    const { about, parameters } = definition;
    expect(json.kinds).toContainEqual({ kind, about, parameters });
    const defaults = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null));
    expect(faultSchema.safeParse({ kind, ...defaults }).error).toBeUndefined();
    for (const preset of faultPresets().filter(({ fault }) => fault.kind === kind)) {
      expect(json.presets).toContainEqual(preset);
      expect(faultSchema.safeParse(preset.fault).error).toBeUndefined();
      const known = ["kind", "api", "cmd", "op", ...Object.keys(parameters)];
      expect(known).toEqual(expect.arrayContaining(Object.keys(preset.fault)));
    }
  },
);

test("a parameter that is undefined has the default of its kind", async () => {
  await using emulator = await startEmulator({ state });
  await fapi(emulator, insert);
  emulator.fail({ cmd: "commit", kind: "lost-answer", when: undefined });
  await expect(fapi(emulator, commit)).rejects.toThrow();
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(done);
});

test("a fault of a run meets the requests of that label only, also where the run was begun by name", async () => {
  await using emulator = await startEmulator({ state });
  const asked = async (label?: string) =>
    (await fapi(emulator, list, label ? { "packetfilter-run": label } : {})).status;
  emulator.fail({ run: "file-7", status: 503, times: 2 });
  expect([
    await asked(),
    await asked("file-8"),
    await asked("file-7"),
    await asked("file-7"),
    await asked("file-7"),
  ]).toEqual([200, 200, 503, 503, 200]);
  emulator.fail({ run: "nightly", status: 502 });
  expect(() => emulator.expectAllFaultsMet()).toThrow("another run");
  emulator.beginRun("nightly");
  expect([await asked("file-7"), await asked()]).toEqual([200, 502]);
  emulator.expectAllFaultsMet();
  expect(() => emulator.fail({ run: "nightly", kind: "restart" })).toThrow(
    "restart meets every caller and cannot be limited to a run: set it in an isolated emulator",
  );
});
