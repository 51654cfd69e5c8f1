import { expect, test } from "vitest";
import { describeEntry, describeRun, startEmulator } from "../../provider/emulator";
import { describeLine } from "../../provider/emulator/page/describe";
import { BLOCKED, control, fapi, list, signaling } from "./calls";
import { wallByHand } from "./wall-by-hand";

test("an entry has the answer: status, headers, the beginning of the body, and how long it took", async () => {
  const wall = wallByHand();
  await using emulator = await startEmulator({ wall });
  emulator.fail({ nth: 2, kind: "delay", delay: "12ms" });
  await fapi(emulator, { ...list, dta: [] });
  const listed = fapi(emulator, list);
  await wall.waited();
  wall.pass(12.34);
  await listed;
  expect(emulator.requests({}, { limit: 2 })).toMatchObject([
    {
      status: 400,
      answer: '{"error":"unknown member \\"dta\\""}',
      answerHeaders: { "content-type": "application/json" },
      durationMs: 0,
    },
    { status: 200, answer: (await listed).text, answerBytes: (await listed).text.length, durationMs: 12.3 },
  ]);
  expect(describeEntry(emulator.journal[0] as never)).toMatch(/-> 400, 34 bytes: unknown member "dta"$/);
  expect((await control(emulator, "GET", "/journal?status=400&limit=1")).json).toEqual([emulator.journal[0]]);
  expect((await control(emulator, "GET", "/journal?limit=1")).json).toEqual([emulator.journal[1]]);
});

test("of a long answer two kilobytes are kept, whole characters only", async () => {
  const marks = {
    shost: Array.from({ length: 20_000 }, (_, at) => ({
      address: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
      id: 1,
    })),
  };
  await using emulator = await startEmulator({ state: { arenas: { edge: { profiles: { web: { marks } } } } } });
  const answer = await fapi(emulator, { url: "mark://edge/web", cmd: "list", type: "shost" }, { "user-arena": "edge" });
  expect(answer.text.length).toBeGreaterThan(600_000);
  const [entry] = emulator.journal;
  expect(entry?.answerBytes).toBe(answer.text.length);
  expect(entry?.answer).toBe(answer.text.slice(0, 2_048));

  emulator.fail({ body: `.${"é".repeat(5_000)}` });
  await fapi(emulator, list);
  expect(emulator.journal[1]?.answer).toBe(`.${"é".repeat(1_023)}`);
});

test("no entry holds a secret, known to the emulator or sent in a request", async () => {
  const [nodeToken, secretKey, wrongKey] = ['canary-of-"node"', "canary+of=client", "canary-wrong"];
  await using emulator = await startEmulator({
    auth: { bearer: nodeToken },
    controlToken: "canary-of-control",
    state: {
      arenas: { edge: { sets: { blocked: {} } } },
      signaling: { clients: [{ clientId: "client-a", secretKey, prefixes: ["198.51.100.0/24"] }] },
    },
  });
  const known = [nodeToken, secretKey, "canary-of-control"];
  const echo = (...more: string[]) => {
    const texts = [...known, ...more];
    emulator.fail({ body: JSON.stringify([...texts, ...texts.map((text) => encodeURIComponent(text))]) });
  };
  const headers = { authorization: `Bearer ${nodeToken}`, "x-api-key": "canary-in-header", "x-pin": "0451" };
  const sent = { ...list, cmd: "insert", data: [{ p: secretKey }, secretKey, { [nodeToken]: 1 }] };
  echo("canary-in-header");
  await fapi(emulator, sent, headers);
  echo();
  await fapi(emulator, { ...list, url: `prefixset://edge/${nodeToken}` }, headers);
  echo(wrongKey);
  await signaling(emulator.signalingUrl, { clientId: secretKey, secretKey: wrongKey }, "status");
  await signaling(emulator.signalingUrl, { clientId: "client-a", secretKey: encodeURIComponent(secretKey) }, "status");
  await fetch(`${emulator.endpoint}/${nodeToken}/canary-of-control`, { headers: { "user-agent": nodeToken } });
  // Across the place where the answer is cut.
  for (let before = 2_000; before < 2_060; before += 3) {
    emulator.fail({ body: "·".repeat(before % 2) + ".".repeat(before) + nodeToken.repeat(3) });
    await fapi(emulator, list, headers);
  }
  expect(emulator.journal).toHaveLength(25);
  expect(JSON.stringify(emulator.journal)).not.toContain("canary");
  expect(emulator.journal[0]?.headers).toMatchObject({
    authorization: "***",
    "x-pin": "***",
    host: expect.any(String),
  });
  expect(emulator.journal[0]?.data).toEqual([{ p: "***" }, "***", { "***": 1 }]);
  expect(emulator.journal[24]?.answer).toMatch(/^[·.]{2000,}\**$/);
});

test("requests are grouped into runs by pauses, by a test's marks, and by client labels", async () => {
  const wall = wallByHand();
  await using emulator = await startEmulator({ wall, runPause: "5s" });
  emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 1 } });
  const insert = { url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.7", v: 2 }] };
  const commit = { url: BLOCKED, cmd: "commit" };
  await fapi(emulator, insert);
  wall.pass(4_999);
  await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "192.0.2.0/24" }] });
  await fapi(emulator, commit);
  wall.pass(5_000);
  await fapi(emulator, list);
  await fapi(emulator, list, { "packetfilter-run": "nightly" });
  expect(emulator.beginRun("second up")).toMatchObject({ run: 4, requests: 0 });
  await fapi(emulator, { ...insert, data: [{ p: "203.0.113.7", v: 3 }] });
  wall.pass(60_000);
  await fapi(emulator, commit);
  await fapi(emulator, { ...list, cmd: "none" });
  await fapi(emulator, list, { "packetfilter-run": "nightly" });
  emulator.beginRun();
  await signaling(emulator.signalingUrl, emulator.clients[0], "start", ["198.51.100.7/32"]);

  expect(emulator.runs.map(describeRun)).toEqual([
    "run 1: 3 requests, 1 commit, +1 −1",
    "run 2: 1 request, no commit",
    "run 3 (nightly): 2 requests, no commit",
    "run 4 (second up): 3 requests, 1 commit, ~1, 1 failed",
    "run 5: 1 request, no commit, 1 start",
  ]);
  expect(emulator.requests({ run: 3 }).map(({ index }) => index)).toEqual([4, 8]);
  expect((await control(emulator, "GET", "/runs")).json).toEqual(emulator.runs);
  expect((await control(emulator, "POST", "/runs", { label: "nightly" })).json).toMatchObject({ run: 3, requests: 2 });
  emulator.clearJournal();
  await fapi(emulator, list);
  expect(emulator.runs.map(describeRun)).toEqual(["run 6: 1 request, no commit"]);
});

test("a refusal counts as one at any status, and a start whose answer is lost as a start", async () => {
  await using emulator = await startEmulator({ dialect: "always-200" });
  const [client] = emulator.clients;
  await fapi(emulator, { ...list, cmd: "none" });
  await signaling(emulator.signalingUrl, client, "start", ["192.0.2.1/32"]);
  emulator.fail({ op: "start", kind: "lost-answer" });
  await signaling(emulator.signalingUrl, client, "start", ["198.51.100.7/32"]).catch(() => {});
  expect(emulator.runs.map(describeRun)).toEqual(["run 1: 3 requests, no commit, 1 start, 3 failed"]);
  const lines = emulator.journal.map(describeLine);
  expect(lines.map(({ status, refused, reason }) => [status, refused, reason])).toEqual([
    [200, true, expect.stringContaining('"cmd"')],
    [200, true, "ip_prefix invalid"],
    [undefined, undefined, undefined],
  ]);
});

test("a pause is one in which nothing is in progress", async () => {
  const wall = wallByHand();
  await using emulator = await startEmulator({ wall, runPause: "5s" });
  emulator.fail({ kind: "delay", delay: "9s" });
  const slow = fapi(emulator, list);
  await wall.waited();
  wall.pass(6_000);
  await fapi(emulator, list);
  wall.pass(3_000);
  await slow;
  expect(emulator.runs.map(describeRun)).toEqual(["run 1: 2 requests, no commit"]);
  expect(emulator.journal.map(({ concurrent }) => concurrent)).toEqual([1, 2]);
});

test("the journal goes out as an HTTP archive", async () => {
  const wall = wallByHand();
  await using emulator = await startEmulator({ wall });
  emulator.beginRun("one");
  await fapi(emulator, { url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.7", v: 2 }] });
  emulator.fail({ cmd: "commit", kind: "reset" });
  await fapi(emulator, { url: BLOCKED, cmd: "commit" }).catch(() => {});
  await signaling(emulator.signalingUrl, emulator.clients[0], "start", ["198.51.100.7/32"]);
  const { json } = await control(emulator, "GET", "/journal.har");
  expect(json).toEqual(emulator.har());
  const { log } = emulator.har();
  expect(log.pages).toEqual([
    {
      startedDateTime: "2026-12-01T10:00:00.000Z",
      id: "run_1",
      title: "run 1 (one): 3 requests, no commit, 1 start, 1 failed",
      pageTimings: {},
    },
  ]);
  const [inserted, lost, started] = log.entries;
  expect(inserted).toMatchObject({
    pageref: "run_1",
    startedDateTime: "2026-12-01T10:00:00.000Z",
    time: 0,
    request: {
      method: "POST",
      url: `${emulator.endpoint}/fapi`,
      postData: {
        mimeType: "application/json",
        text: JSON.stringify({ url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.7", v: 2 }] }),
      },
    },
    response: { status: 200, statusText: "OK", content: { size: 15, text: '{"status":"ok"}' } },
  });
  expect([lost?.response.status, lost?._fault]).toEqual([0, "reset"]);
  expect(started?.request.url).toBe(`${emulator.endpoint}/path/client-a/***/start`);
  expect(started?.request.postData?.text).toBe('{"IP_prefix":["198.51.100.7/32"]}');
});

test("a private key that a node echoes is redacted, also beyond the kept part", async () => {
  await using emulator = await startEmulator();
  for (const length of [60, 4_000]) {
    const key = `-----BEGIN PRIVATE KEY-----\n${"canary".repeat(length / 6)}\n-----END PRIVATE KEY-----\n`;
    emulator.fail({ cmd: "list", status: 500, message: `you sent ${key} to us` });
    const { text } = await fapi(emulator, { url: "prefixset://edge/blocked", cmd: "list" });
    expect(text).toContain("canary");
  }
  const answers = emulator.journal.map(({ answer }) => answer);
  expect(answers[0]).toMatch(/you sent \*\*\*.* to us/s);
  expect(JSON.stringify(emulator.journal)).not.toContain("canary");
});

test("a commit of several sets is one commit, with the changes of each", async () => {
  const [one, other] = ["prefixset://edge/one", "prefixset://edge/other"];
  await using emulator = await startEmulator({
    state: { arenas: { edge: { sets: { one: {}, other: { "203.0.113.7/32": 1 } } } } },
    dialect: { commitUrl: "prefixset://{arena}" },
  });
  await fapi(emulator, { url: one, cmd: "insert", data: [{ p: "192.0.2.0/24", v: 1 }] });
  await fapi(emulator, { url: other, cmd: "insert", data: [{ p: "192.0.2.0/24", v: 2 }] });
  await fapi(emulator, { url: other, cmd: "delete", data: [{ a: "203.0.113.7" }] });
  await fapi(emulator, { url: "prefixset://edge", cmd: "commit" });
  const ofOne = { inserted: { "192.0.2.0/24": 1 }, removed: {}, changed: {}, size: 1 };
  const ofOther = { inserted: { "192.0.2.0/24": 2 }, removed: { "203.0.113.7/32": 1 }, changed: {}, size: 1 };
  const [entry] = emulator.requests({ cmd: "commit" });
  expect(entry?.commit).toMatchObject({ removed: ofOther.removed, size: 2, sets: { [one]: ofOne, [other]: ofOther } });
  expect(describeEntry(entry as never)).toContain("applied +2 -1 ~0, 2 after");
  expect(emulator.runs).toMatchObject([{ commits: 1, inserted: 2, removed: 1, changed: 0 }]);
});
