import { once } from "node:events";
import { type AddressInfo, createServer, Socket } from "node:net";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { TIMES } from "../../provider/forwarder/defaults";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import type { Delivered } from "../../provider/forwarder/sinks/sink";
import { passUntil, TestClock, until } from "./support/clock";
import { RECORD, recordsIn, roundInto, scene, stateOf } from "./support/forward";
import { httpSink } from "./support/http-sink";
import { delivered, openSink } from "./support/sinks";

const SUCCESS = '{"text":"Success","code":0}';
const JSON_TYPE = { "content-type": "application/json" };
const SPLUNK = { token: "canary" };

type Reply = Awaited<ReturnType<NonNullable<Parameters<typeof httpSink>[0]>>>;

/** Records of so many marks; the address of the nth ends in its number. */
const recordsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...RECORD, address: `198.18.0.${n}`, sequence: n, recordId: `r-${n}` }));

const idsIn = (records: readonly ForwardRecord[] = []) => records.map(({ recordId }) => recordId);

/** Fate of a delivery: what is refused and what is to be sent again, or the failure of all of it. */
const fateOf = (delivery: Promise<Delivered>) =>
  delivery.then(
    ({ rejected = [], again, reason }) => ({
      rejected: rejected.map((one) => `${one.record.recordId}: ${one.reason}`),
      again: idsIn(again),
      ...(reason !== undefined && { reason }),
    }),
    (error: Error) => `${error.name}: ${error.message}`,
  );
const TAKEN: { rejected: string[]; again: string[] } = { rejected: [], again: [] };

/** Answers that are none of a protocol, or of another one. */
const FOREIGN: Record<string, Reply> = {
  "a sign-in page": [200, "<!doctype html><title>Sign in</title>", { "content-type": "text/html; charset=utf-8" }],
  "200 with an error in the body": [200, '{"text":"busy","code":9}', JSON_TYPE],
  "200 with items of no document": [200, '{"items":[]}', JSON_TYPE],
  "an empty 202": [202],
  "an empty 204": [204],
  "an empty 200": [200],
  "a redirect to another path": [307, "", { location: "/login?next=secret" }],
};

/** Sinks that POST: type, members, path, the acknowledgement of the protocol, and which of the others are one, too. */
const KINDS: Record<string, [type: string, own: object, path: string, sound: Reply, others: string[]]> = {
  http: ["http", {}, "", [201], Object.keys(FOREIGN).slice(1, 6)],
  "http with `expect`": [
    "http",
    { expect: { status: [200], contains: "stored" } },
    "",
    [200, '{"stored":1}', JSON_TYPE],
    [],
  ],
  elasticsearch: [
    "elasticsearch",
    { index: "marks" },
    "/_bulk",
    [200, '{"items":[{"create":{"status":201}}]}', JSON_TYPE],
    [],
  ],
  otlp: ["otlp", {}, "/v1/logs", [200, '{"partialSuccess":{}}', JSON_TYPE], ["an empty 204", "an empty 200"]],
  splunk: ["splunk", SPLUNK, "/services/collector/event", [200, SUCCESS], []],
  "splunk with `indexerAcknowledgement`": [
    "splunk",
    { ...SPLUNK, indexerAcknowledgement: true },
    "/services/collector/event",
    [200, '{"code":0,"ackId":3,"acks":{"3":true}}'],
    [],
  ],
  loki: ["loki", {}, "/loki/api/v1/push", [204], ["an empty 204", "an empty 200"]],
};

describe.each(Object.entries(KINDS))("%s", (_, [type, own, path, sound, others]) => {
  test("takes for an acknowledgement what its protocol says, and no other answer", async () => {
    let reply = sound;
    const { url, bodies } = await httpSink(() => reply);
    const sink = await openSink(type, { url, ...own }, { world: { ...new TestClock(), sleep: async () => {} } });
    expect(await fateOf(delivered(sink, [RECORD]))).toEqual(TAKEN);
    bodies.length = 0;
    for (const [name, foreign] of Object.entries(FOREIGN)) {
      reply = foreign;
      const fate = await fateOf(delivered(sink, [RECORD]));
      const isTaken = others.includes(name);
      expect(fate, name).toEqual(isTaken ? TAKEN : expect.stringMatching(`^SinkFailure: ${url}${path}: HTTP \\d+, `));
      expect(String(fate)).not.toMatch(/next=secret|canary/);
    }
    // No redirect was followed.
    expect(bodies).toHaveLength(Object.keys(FOREIGN).length);
    await sink.close();
  });

  test("posts below its url, and to a whole url as it stands", async () => {
    const asked: unknown[] = [];
    const { url } = await httpSink(({ url: at = "" }) => {
      if (!at.endsWith("/ack")) asked.push(at);
      return sound;
    });
    const given = path === "" ? ["/in", "/in/", "/in?x=1"] : ["/in", "/in/", `/in${path}`, `/in${path}?x=1`];
    for (const one of given) {
      const world = { ...new TestClock(), sleep: async () => {} };
      const sink = await openSink(type, { url: `${new URL(url).origin}${one}`, ...own }, { world });
      expect(await fateOf(delivered(sink, [RECORD]))).toEqual(TAKEN);
      await sink.close();
    }
    expect(asked).toEqual(path === "" ? given : given.map((one) => (one.endsWith("?x=1") ? one : `/in${path}`)));
  });
});

test("a redirect to another path is followed with the records where the configuration says so", async () => {
  const asked: unknown[] = [];
  const { url, bodies } = await httpSink(({ url: path }) => {
    asked.push(path);
    return path === "/other" ? [200] : [307, "", { location: "/other" }];
  });
  const sink = await openSink("http", { url, followRedirects: true });
  expect([await fateOf(delivered(sink, [RECORD])), asked, new Set(bodies).size]).toEqual([TAKEN, ["/in", "/other"], 1]);
  await sink.close();
});

const LOST = "that loses the body, as a sign-in sends: check `url` and credentials";
test.each([
  [{}, 307, "/other", "HERE/other: make that the `url`, or set `followRedirects: true`"],
  [{ followRedirects: true }, 307, "/in", "HERE/in: make that the `url`"],
  [{}, 308, "http://192.0.2.1/in", "http://192.0.2.1/in: make that the `url`"],
  [{}, 301, "/other", `HERE/other ${LOST}`],
  [{ followRedirects: true }, 302, "/login", `HERE/login ${LOST}`],
  [{}, 303, "/login", `HERE/login ${LOST}`],
])("with %j, of HTTP %i to %s it says: a redirect to %s", async (own, status, location, words) => {
  const { url } = await httpSink(() => [status, "", { location }]);
  const sink = await openSink("http", { url, ...own });
  const said = words.replace("HERE", new URL(url).origin);
  expect(await fateOf(delivered(sink, [RECORD]))).toBe(`SinkFailure: ${url}: HTTP ${status}, a redirect to ${said}`);
  await sink.close();
});

/** Fates for answers one after the other, `[seconds since the one before, status, body]`. */
async function judged(type: string, own: object, answers: readonly (readonly [number, ...Reply])[]) {
  let reply: Reply = [200];
  const { url } = await httpSink(() => reply);
  const clock = new TestClock();
  const sink = await openSink(type, { url, ...own }, { world: clock });
  const fates: unknown[] = [];
  for (const [seconds, ...answer] of answers) {
    clock.advance(seconds * 1_000);
    reply = answer;
    const fate = await fateOf(delivered(sink, [RECORD]));
    fates.push(typeof fate === "string" ? fate.replace(url, "URL") : (fate.rejected[0] ?? "taken"));
  }
  await sink.close();
  return fates;
}

const outage = (words: string) => `SinkFailure: URL: HTTP ${words}`;
test.each([403, 404])("HTTP %s is an outage, as a proxy's, until it has lasted; another answer ends it", async (s) => {
  // The server itself is away for a moment in the midst: the time begins anew.
  const seconds = [0, 899, 1, 0, 899, 1, 0, 0, 0];
  const statuses = [s, s, 503, s, s, s, s, 204, s];
  const refused = `r-1: HTTP ${s}`;
  expect(
    await judged(
      "http",
      {},
      seconds.map((one, index) => [one, statuses[index] ?? 0]),
    ),
  ).toEqual([
    ...[outage(`${s}`), outage(`${s}`), outage("503"), outage(`${s}`), outage(`${s}`)],
    ...[refused, refused, "taken", outage(`${s}`)],
  ]);
});

test("HTTP 401 is never for good: the credentials are to be replaced; HTTP 406 is at once", async () => {
  const refused = outage("401, the credentials were refused");
  expect(
    await judged("http", {}, [
      [0, 401],
      [86_400, 401],
      [0, 406],
    ]),
  ).toEqual([refused, refused, "r-1: HTTP 406"]);
});

test("a page of HTML is refused for what it is, also with a status of `expect`", async () => {
  const own = { expect: { status: [200] } };
  const said = "200, but not status 200 of `expect` with another body than HTML: it is a page of HTML, as ";
  const [fate] = await judged("http", own, [[0, ...(FOREIGN["a sign-in page"] ?? [0])]]);
  expect(fate).toEqual(expect.stringContaining(outage(said)));
});

test("what Splunk's collector says of token, index and load is an outage, and names no secret", async () => {
  // "Possible error codes" of the collector.
  const codes = [
    [403, 4, "Invalid token canary"],
    [401, 3, "canary"],
    [400, 7, "Incorrect index"],
    [503, 9, "busy"],
  ] as const;
  const answers = codes.map(([status, code, text]) => [0, status, JSON.stringify({ text, code })] as const);
  const fates = await judged("splunk", SPLUNK, answers);
  expect(fates).toEqual(codes.map(([status]) => expect.stringMatching(`^SinkFailure: .*HTTP ${status}`)));
  expect(fates.join()).not.toContain("canary");
});

test.each([
  ["delivered", [200, 201, 409]],
  ["refused", [400, 404, 413, 422]],
  ["sent again", [401, 403, 405, 407, 408, 423, 425, 429, 500, 502, 503, 504, 507]],
] as const)("documents of a _bulk are %s by their statuses", async (outcome, statuses) => {
  const items = statuses.map((status) => ({ create: { status, error: { type: `error of ${status}` } } }));
  const { url, bodies } = await httpSink(() => [200, JSON.stringify({ errors: true, items })]);
  const sink = await openSink("elasticsearch", { url, index: "marks" });
  const records = recordsOf(statuses.length);
  const reasons = statuses.map((status) => `HTTP ${status}: {"type":"error of ${status}"}`);
  expect(await fateOf(delivered(sink, records))).toEqual({
    rejected: outcome === "refused" ? reasons.map((reason, n) => `r-${n}: ${reason}`) : [],
    again: outcome === "sent again" ? idsIn(records) : [],
    ...(outcome === "sent again" && { reason: reasons[0] }),
  });
  expect(bodies[0]?.split("\n")[0]).toBe('{"create":{"_index":"marks","_id":"r-0"}}');
  await sink.close();
});

/** A record that is refused alone: type, members, how its server answers a body that holds it at a place, and the fate of all. */
const REFUSALS: Record<string, [string, object, (place: number, nth: number) => Reply, object]> = {
  "of http": ["http", {}, () => [422, "no such field"], { ...TAKEN, rejected: ["r-5: HTTP 422: no such field"] }],
  "of otlp": ["otlp", {}, () => [400, "no such field"], { ...TAKEN, rejected: ["r-5: HTTP 400: no such field"] }],
  "of loki": ["loki", {}, () => [400, "entry too old"], { ...TAKEN, rejected: ["r-5: HTTP 400: entry too old"] }],
  "of splunk": ["splunk", SPLUNK, () => [400, '{"code":6}'], { ...TAKEN, rejected: ['r-5: HTTP 400: {"code":6}'] }],
  "of splunk, by its number": [
    "splunk",
    SPLUNK,
    (place) => [400, `{"code":6,"invalid-event-number":${place}}`],
    { ...TAKEN, rejected: ['r-5: HTTP 400: {"code":6,"invalid-event-number":5}'] },
  ],
  "of splunk for now, by its number": [
    "splunk",
    SPLUNK,
    (place, nth) => (nth === 1 ? [503, `{"code":9,"invalid-event-number":${place}}`] : [200, SUCCESS]),
    { rejected: [], again: ["r-5", "r-6", "r-7"], reason: expect.stringContaining("HTTP 503") },
  ],
};
test.each(Object.entries(REFUSALS))(
  "a record that is refused alone holds up no other: %s",
  async (_, [type, own, refuse, fate]) => {
    const taken: string[] = [];
    const { url } = await httpSink((__, body, nth) => {
      const ids: string[] = body.match(/r-\d/g) ?? [];
      const place = ids.indexOf("r-5");
      const reply: Reply =
        place < 0 ? [type === "loki" ? 204 : 200, type === "otlp" ? "" : SUCCESS] : refuse(place, nth);
      const isNumbered = reply[1]?.includes("number");
      taken.push(...(reply[0] < 300 ? ids : isNumbered ? ids.slice(0, place) : []));
      return reply;
    });
    const sink = await openSink(type, { url, ...own });
    expect(await fateOf(delivered(sink, recordsOf(8)))).toEqual(fate);
    const isForNow = (fate as typeof TAKEN).again.length > 0;
    expect(taken).toEqual(idsIn(recordsOf(8)).filter((id) => (isForNow ? id < "r-5" : id !== "r-5")));
    await sink.close();
  },
);

test.each([
  ["application/x-protobuf", "\x0a\x0b\x08\x01\x12\x07no room"],
  ["application/json", '{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"no room"}}'],
])("what an OTLP server says that it did not take is refused, with its words: %s", async (type, body) => {
  const { url } = await httpSink(() => [200, body, { "content-type": type }]);
  const sink = await openSink("otlp", { url });
  const rejected = ["r-1: 1 of the request's records were refused: no room"];
  expect(await fateOf(delivered(sink, [RECORD]))).toEqual({ ...TAKEN, rejected });
  await sink.close();
});

test("an HTTP server gets NDJSON with the headers of the configuration, compressed where that is asked for", async () => {
  const got: unknown[] = [];
  const { url } = await httpSink(({ headers }, _, __, bytes) => {
    const { "content-encoding": encoding } = headers;
    const text = encoding === "gzip" ? gunzipSync(bytes) : encoding === "zstd" ? zstdDecompressSync(bytes) : bytes;
    got.push([encoding, headers.authorization, headers["content-type"], recordsIn(`${text}`)]);
    return [204];
  });
  await expect(openSink("http", { url, headers: { "Content-Length": "1" } })).rejects.toThrow("is set by the client");
  // Written headers win, however they are written.
  const headers = { Authorization: "Bearer canary" };
  for (const more of [{}, { gzip: true }, { zstd: true }, { headers }]) {
    const sink = await openSink("http", { url: url.replace("//", "//user:pass%20word@"), ...more });
    await delivered(sink, [RECORD]);
    await sink.close();
  }
  const basic = `Basic ${Buffer.from("user:pass word").toString("base64")}`;
  expect(got).toEqual([
    ...[undefined, "gzip", "zstd"].map((encoding) => [encoding, basic, "application/x-ndjson", [RECORD]]),
    [undefined, headers.Authorization, "application/x-ndjson", [RECORD]],
  ]);
});

test("Splunk's collector gets each record as an event, with its token, time, host and index", async () => {
  const headers: unknown[] = [];
  const { url, bodies } = await httpSink(({ headers: { authorization, "x-splunk-request-channel": channel } }) => {
    headers.push([authorization, typeof channel]);
    return [200, SUCCESS];
  });
  const sink = await openSink("splunk", { url, ...SPLUNK, index: "net" });
  await delivered(sink, recordsOf(2));
  await sink.close();
  expect(headers).toEqual([["Splunk canary", "string"]]);
  const own = { time: Date.parse(RECORD.timestamp) / 1_000, host: "fra1", source: "pulumi-packetfilter" };
  expect(recordsIn(bodies[0] ?? "")).toEqual(
    recordsOf(2).map((event) => ({ ...own, sourcetype: "packetfilter:mark", index: "net", event })),
  );
});

test("Loki gets each table as a stream, and each record as a line at its time", async () => {
  const { url, bodies } = await httpSink(({ headers }) => [headers["x-scope-orgid"] === "edge" ? 204 : 401]);
  const sink = await openSink("loki", { url, headers: { "X-Scope-OrgID": "edge" }, labels: { site: "fra" } });
  const [first, second] = recordsOf(2) as [ForwardRecord, ForwardRecord];
  const other = { ...first, type: "conn" as const };
  expect(await fateOf(delivered(sink, [first, other, second]))).toEqual(TAKEN);
  await sink.close();
  const labels = { job: "pulumi-packetfilter", site: "fra", node: "fra1", arena: "edge", profile: "web" };
  const line = (record: ForwardRecord) => [`${Date.parse(record.timestamp)}000000`, JSON.stringify(record)];
  expect(JSON.parse(bodies[0] ?? "")).toEqual({
    streams: [
      { stream: { ...labels, type: "shost" }, values: [line(first), line(second)] },
      { stream: { ...labels, type: "conn" }, values: [line(other)] },
    ],
  });
});

describe("syslog", () => {
  /** A server that reads what its test lets it, and never ends a connection; and a sink of it on a clock that its test moves. */
  async function slowServer() {
    const sockets: Socket[] = [];
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => void sockets.push(socket));
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const clock = new TestClock();
    const { port } = server.address() as AddressInfo;
    const sink = await openSink("syslog", { host: "127.0.0.1", port, tls: false }, { world: clock });
    const [socket = new Socket()] = await until(async () => {
      if (sockets.length === 0) await delivered(sink, [RECORD]);
      return sockets.length > 0 && sockets;
    });
    return { sink, clock, socket };
  }

  test("a server that takes its time for much is not one that takes nothing", async () => {
    const { sink, clock, socket } = await slowServer();
    const after = vi.spyOn(clock, "after");
    let fate: unknown;
    // Far more than the kernels of both sides hold.
    void fateOf(delivered(sink, [{ ...RECORD, message: "m".repeat(30_000_000) }])).then((one) => {
      fate = one;
    });
    let waits = 0;
    socket.on("data", () => socket.pause());
    while (fate === undefined) {
      const before = after.mock.calls.length;
      await until(() => {
        socket.resume();
        return after.mock.calls.length > before || fate !== undefined;
      });
      clock.advance(20_000);
      waits++;
    }
    expect(fate).toEqual(TAKEN);
    expect(waits).toBeGreaterThan(2);
    socket.destroy();
    await sink.close();
  });

  test("a server that never ends its connection holds up no end of its sink", async () => {
    const { sink, clock, socket } = await slowServer();
    socket.resume();
    let isClosed = false;
    void sink.close().then(() => {
      isClosed = true;
    });
    clock.advance(TIMES.stopMs - 1);
    await until(() => isClosed);
  });
});

const ECHOES: [string, (text: string) => string][] = [
  ["as it is", (text) => text],
  ["percent-encoded", encodeURIComponent],
  ["as JSON", (text) => JSON.stringify(text)],
  ["as HTML by number", (text) => text.replace(/\W/g, (sign) => `&#${sign.charCodeAt(0)};`)],
  ["as base64", (text) => Buffer.from(text).toString("base64")],
];
test.each(ECHOES)("a server that echoes a credential %s leaves none of it in the reason", async (_, echo) => {
  const token = "canary+/=\"'&%<>\\ k3y";
  let status = 422;
  const { url } = await httpSink(() => [status, `\u001b[2Jyou sent ${echo(token)} here`]);
  for (const own of [
    { url, headers: { "x-token": token } },
    { url: `${url}?x=1&token=${encodeURIComponent(token)}` },
  ]) {
    const sink = await openSink("http", own);
    for (status of [422, 503]) {
      const said = JSON.stringify(await fateOf(delivered(sink, [RECORD])));
      expect(said).toMatch(/you sent .{0,6}\[secret\].{0,6} here|the answer is not quoted/);
      expect(said).not.toMatch(/canary|k3y|Y2FuYXJ5|\\u001b/);
    }
    await sink.close();
  }
});

test.each(["nats://user:p@s3cret@127.0.0.1:1", "NATS://user:pa/s3cret@127.0.0.1:1"])(
  "the server %s is shown without its credentials",
  async (server) => {
    const bus = { name: "bus", type: "nats", servers: [server], stream: "MARKS" };
    const { told } = await roundInto([bus], stateOf(1), { onceDeadlineMs: 300 });
    expect(told.join()).toContain("://127.0.0.1:1: ");
    expect(told.join()).not.toContain("s3cret");
  },
);

test("a failing server is asked again, no sooner than it says, whatever its date and that of the machine do", async () => {
  const DAYS = [365, -730, 365];
  /** Ends 20 s later, by the server's own clock. */
  const headers = (days: number) => {
    const now = Date.UTC(2026, 0, 1) + days * 86_400_000;
    return { date: new Date(now).toUTCString(), "retry-after": new Date(now + 20_000).toUTCString() };
  };
  /** Times of the tries, by the clock that only goes forward. */
  const triesWith = async (jumps: readonly number[]) => {
    const arrived: number[] = [];
    const { url } = await httpSink((_, __, nth) => {
      arrived.push(clock.monotonic());
      return nth > 3 ? [200] : [503, "later", headers(jumps[nth - 1] ?? 0)];
    });
    const { forwarder, told, clock } = await scene(stateOf(1), { sinks: [{ name: "web", type: "http", url }] });
    for (const [index, days] of [...jumps, 0].entries()) {
      await passUntil(() => arrived.length > index, clock);
      clock.jump(days * 86_400_000);
    }
    await passUntil(() => told.lines.length > 1, clock);
    expect(told.lines).toEqual([
      `warn Sink "web" accepts no records: ${url}: HTTP 503: later. They are sent again.`,
      'info Sink "web" accepts records again.',
    ]);
    expect([arrived.length, forwarder.metrics.get("retries_total", { sink: "web" })]).toEqual([4, 3]);
    return arrived.slice(1).map((at, index) => at - (arrived[index] ?? 0));
  };
  const [steady, jumping] = [await triesWith([0, 0, 0]), await triesWith(DAYS)];
  expect(Math.min(...steady)).toBeGreaterThanOrEqual(20_000);
  for (const [index, pause] of steady.entries()) expect(Math.abs((jumping[index] ?? 0) - pause)).toBeLessThan(1_000);
});

test("a server that asks for years is not asked again at once", async () => {
  let asked = 0;
  const { url } = await httpSink(() => {
    asked++;
    return [503, "later", { "retry-after": "9999999999" }];
  });
  const { clock } = await scene(stateOf(1), { sinks: [{ name: "web", type: "http", url }] });
  await passUntil(() => asked > 0, clock);
  const later = clock.monotonic() + 600_000;
  await passUntil(() => clock.monotonic() > later, clock);
  expect(asked).toBe(1);
});

describe("Splunk's indexer acknowledgement", () => {
  const POSTED = '{"text":"Success","code":0,"ackId":3}';
  /** A delivery to a collector that answers so, on a clock that passes by itself. */
  async function acknowledged(answer: string, acks: (nth: number) => string) {
    const clock = new TestClock();
    const channels = new Set<unknown>();
    const asked: string[] = [];
    const { url, bodies } = await httpSink(({ url: path, headers }, body) => {
      channels.add(headers["x-splunk-request-channel"]);
      if (!path?.endsWith("/services/collector/ack")) return [200, answer];
      return [200, acks(asked.push(body))];
    });
    const sink = await openSink("splunk", { url, ...SPLUNK, indexerAcknowledgement: true }, { world: clock });
    let fate: unknown;
    void fateOf(delivered(sink, [RECORD])).then((one) => {
      fate = one;
    });
    await passUntil(() => fate !== undefined, clock);
    await sink.close();
    return { fate, asked, channels: channels.size, posts: bodies.length - asked.length };
  }

  test("is asked for until the indexers have the events: only then are they delivered", async () => {
    const asked = Array(3).fill('{"acks":[3]}');
    expect(await acknowledged(POSTED, (nth) => `{"acks":{"3":${nth === 3}}}`)).toEqual({
      ...{ fate: TAKEN, asked, channels: 1, posts: 1 },
    });
  });

  test("events before a refused one are not delivered by its number: they have no acknowledgement", async () => {
    const [posted, acknowledged]: string[][] = [[], []];
    const { url } = await httpSink(({ url: path }, body) => {
      if (path?.endsWith("/services/collector/ack")) {
        acknowledged?.push(...(posted?.splice(0) ?? []));
        return [200, '{"acks":{"3":true}}'];
      }
      const ids: string[] = body.match(/r-\d/g) ?? [];
      const place = ids.indexOf("r-5");
      if (place >= 0) return [400, `{"code":6,"invalid-event-number":${place}}`];
      posted?.push(...ids);
      return [200, POSTED];
    });
    const world = { ...new TestClock(), sleep: async () => {} };
    const sink = await openSink("splunk", { url, ...SPLUNK, indexerAcknowledgement: true }, { world });
    const rejected = ['r-5: HTTP 400: {"code":6,"invalid-event-number":0}'];
    expect(await fateOf(delivered(sink, recordsOf(8)))).toEqual({ ...TAKEN, rejected });
    expect(acknowledged).toEqual(idsIn(recordsOf(8)).filter((id) => id !== "r-5"));
    await sink.close();
  });

  const LATE = "no indexer acknowledgement within 300000 ms";
  test.each([
    ["the token has none", SUCCESS, "", /turn it on for the token in Splunk, or remove/],
    ["they never come to it", POSTED, '{"acks":{"3":false}}', new RegExp(`${LATE}: the indexers have not acknowl`)],
    ["another answers for them", POSTED, "<title>Sign in</title>", new RegExp(`${LATE}: HTTP 200: <title>Sign in`)],
  ])("is missing, and the events are sent again: %s", async (_, answer, acks, words) => {
    expect((await acknowledged(answer, () => acks)).fate).toMatch(words);
  });
});
