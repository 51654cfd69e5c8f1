import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SinkConfig } from "../../provider/forwarder/config/types";
import { SIZES } from "../../provider/forwarder/defaults";
import { passUntil } from "./support/clock";
import { scene } from "./support/forward";
import { httpSink } from "./support/http-sink";

const MARK = { address: "203.0.113.45", id: 1, value: 7, lifetime: 3_600 };
const STATE = { arenas: { edge: { profiles: { web: { marks: { shost: [MARK] } } } } } };

/** A server that answers in a foreign way until it is told to answer as its protocol does. */
async function server(foreign: Foreign, sound: (response: ServerResponse) => unknown) {
  const is = { sound: false };
  const asked: string[] = [];
  const stored: string[] = [];
  const one = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("latin1");
    asked.push(request.url ?? "");
    if (!is.sound) return foreign(response, request);
    if (body.includes(MARK.address)) stored.push(body);
    sound(response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => one.once("listening", resolve));
  onTestFinished(() => {
    one.closeAllConnections();
    one.close();
  });
  return Object.assign(is, { asked, stored, url: `http://127.0.0.1:${(one.address() as AddressInfo).port}/in` });
}

/** One mark of a node to a sink, on a clock that the test moves. */
async function forwarding(sink: SinkConfig) {
  const { forwarder, told, clock } = await scene(STATE, { sinks: [sink] });
  const count = (name: "sent_records_total" | "retries_total" | "rejected_records_total") =>
    forwarder.metrics.get(name, { sink: "one" });
  return { told, count, pass: (look: () => boolean) => passUntil(look, clock) };
}

type Foreign = (response: ServerResponse, request: IncomingMessage) => unknown;
const JSON_TYPE = { "content-type": "application/json" };

const DRIP = "an answer that drips without an end";

const FOREIGN: Record<string, Foreign> = {
  "a sign-in page": (response) =>
    response
      .writeHead(200, { "content-type": "text/html; charset=utf-8" })
      .end("<!doctype html><title>Sign in</title>"),
  "200 with an error in the body": (response) => response.writeHead(200, JSON_TYPE).end('{"text":"busy","code":9}'),
  "200 with items of no document": (response) => response.writeHead(200, JSON_TYPE).end('{"items":[]}'),
  "an empty 202": (response) => response.writeHead(202).end(),
  "an empty 204": (response) => response.writeHead(204).end(),
  "an empty 200": (response) => response.writeHead(200).end(),
  "a redirect to another path": (response) => response.writeHead(307, { location: "/login?next=secret" }).end(),
  [DRIP]: (response) => {
    response.writeHead(200, JSON_TYPE);
    const drip = setInterval(() => response.write(" "), 2);
    response.once("close", () => clearInterval(drip));
  },
  "an answer of too many bytes": async (response) => {
    response.writeHead(200, JSON_TYPE);
    const piece = Buffer.alloc(1_048_576, " ");
    for (let bytes = 0; bytes <= SIZES.sinkAnswerBytes && !response.destroyed; bytes += piece.length) {
      await new Promise((resolve) => response.write(piece, resolve));
    }
    response.end();
  },
};

const json = (text: string) => (response: ServerResponse) => response.writeHead(200, JSON_TYPE).end(text);
const empty = (status: number) => (response: ServerResponse) => response.writeHead(status).end();

/** Each kind: its members, its own acknowledgement, and which of the others are one, too. */
const KINDS: Record<string, [own: object, sound: (response: ServerResponse) => unknown, others: string[]]> = {
  http: [
    { type: "http" },
    empty(201),
    ["200 with an error in the body", "200 with items of no document", "an empty 202", "an empty 204", "an empty 200"],
  ],
  "http with `expect`": [{ type: "http", expect: { status: [200], contains: "stored" } }, json('{"stored":1}'), []],
  elasticsearch: [{ type: "elasticsearch", index: "marks" }, json('{"items":[{"create":{"status":201}}]}'), []],
  otlp: [{ type: "otlp" }, json('{"partialSuccess":{}}'), ["an empty 204", "an empty 200"]],
  splunk: [{ type: "splunk", token: "canary" }, json('{"text":"Success","code":0}'), []],
  "splunk with `indexerAcknowledgement`": [
    { type: "splunk", token: "canary", indexerAcknowledgement: true },
    json('{"text":"Success","code":0,"ackId":3,"acks":{"3":true}}'),
    [],
  ],
  loki: [{ type: "loki" }, empty(204), ["an empty 204", "an empty 200"]],
};

describe.each(Object.entries(KINDS))("%s", (_, [own, sound, others]) => {
  test.each(Object.entries(FOREIGN))("%s is an acknowledgement only if the protocol says so", async (name, foreign) => {
    const sink = await server(foreign, sound);
    const { told, count, pass } = await forwarding({ name: "one", url: sink.url, ...own } as SinkConfig);
    const isAcknowledged = others.includes(name);
    // It never falls silent, so that its deadline ends it.
    const isStuck = name === DRIP;
    await pass(() => count(isAcknowledged ? "sent_records_total" : "retries_total") > 0);
    expect(count("sent_records_total")).toBe(isAcknowledged ? 1 : 0);
    sink.sound = true;
    await pass(() => count("sent_records_total") === 1);
    expect({ stored: sink.stored.length, rejected: count("rejected_records_total") }).toEqual({
      stored: isAcknowledged ? 0 : 1,
      rejected: 0,
    });
    expect(sink.asked.filter((path) => path.startsWith("/login"))).toEqual([]);
    expect(told.lines).toEqual(
      isAcknowledged
        ? []
        : [
            ...(isStuck ? ['warn Sink "one" is stuck: a delivery has lasted 30000 ms without an end.'] : []),
            expect.stringMatching(
              new RegExp(
                `^warn Sink "one" accepts no records: ${sink.url}.*: .*${isStuck ? "no whole answer within 30000 ms" : ""}`,
              ),
            ),
            'info Sink "one" accepts records again.',
            ...(isStuck ? ['info Sink "one" is stuck no longer.'] : []),
          ],
    );
    expect(told.lines.join()).not.toMatch(/next=secret|canary/);
  });
});

test("a redirect to another path is followed with the records where the configuration says so", async () => {
  const sink = await server((response, { url }) => {
    if (url === "/other") response.writeHead(200).end();
    else response.writeHead(307, { location: "/other" }).end();
  }, empty(200));
  const { count, pass } = await forwarding({ name: "one", type: "http", url: sink.url, followRedirects: true });
  await pass(() => count("sent_records_total") === 1);
  expect(sink.asked).toEqual(["/in", "/other"]);
});

test.each([
  ["elasticsearch", "/in/_bulk"],
  ["loki", "/in/loki/api/v1/push"],
  ["otlp", "/in/v1/logs"],
  ["splunk", "/in/services/collector/event"],
  ["http", "/in"],
])("%s posts below its url, and to a whole url as it stands: %s", async (kind, path) => {
  const [own, sound] = KINDS[kind] ?? [{}, empty(200)];
  for (const given of ["/in", "/in/", path, `${path}?x=1`]) {
    const sink = await server(sound, sound);
    const url = `${new URL(sink.url).origin}${given}`;
    const { count, pass } = await forwarding({ name: "one", url, ...own } as SinkConfig);
    await pass(() => count("sent_records_total") === 1);
    expect(sink.asked).toEqual([kind === "http" ? given : given.endsWith("?x=1") ? `${path}?x=1` : path]);
  }
});

test("an OTLP response in JSON that refuses records is honoured", async () => {
  const answer = json('{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"no such field"}}');
  const sink = await server(answer, answer);
  const { told, count, pass } = await forwarding({ name: "one", type: "otlp", url: sink.url });
  await pass(() => count("rejected_records_total") === 1);
  expect(told.lines).toEqual([
    expect.stringContaining("1 of the request's records were refused: no such field. They are kept as rejected."),
  ]);
});

describe("Splunk's indexer acknowledgement", () => {
  const ACK = "/in/services/collector/ack";

  test("is asked for until the indexers have the events: only then are they delivered", async () => {
    const channels = new Set<unknown>();
    const acks: string[] = [];
    let isIndexed = false;
    using sink = await httpSink(({ url = "", headers }, body) => {
      channels.add(headers["x-splunk-request-channel"]);
      if (url !== ACK) return [200, '{"text":"Success","code":0,"ackId":3}'];
      acks.push(body);
      return [200, `{"acks":{"3":${isIndexed}}}`];
    });
    const { count, pass } = await forwarding({
      name: "one",
      type: "splunk",
      url: sink.url,
      token: "canary",
      indexerAcknowledgement: true,
    });
    await pass(() => acks.length === 3);
    expect(count("sent_records_total")).toBe(0);
    isIndexed = true;
    await pass(() => count("sent_records_total") === 1);
    expect({ channels: channels.size, acks: new Set(acks), posts: sink.bodies.length - acks.length }).toEqual({
      channels: 1,
      acks: new Set(['{"acks":[3]}']),
      posts: 1,
    });
  });

  const TAKEN = '{"text":"Success","code":0,"ackId":3}';
  const LATE = "no indexer acknowledgement within 300000 ms";
  test.each([
    ["the token has none", '{"text":"Success","code":0}', "", /turn it on for the token in Splunk, or remove/],
    ["they never come to it", TAKEN, '{"acks":{"3":false}}', new RegExp(`${LATE}: the indexers have not acknowl`)],
    ["another answers for them", TAKEN, "<title>Sign in</title>", new RegExp(`${LATE}: HTTP 200: <title>Sign in`)],
  ])("is missing, and the events are sent again: %s", async (_, answer, acks, words) => {
    using sink = await httpSink(({ url }) => [200, url === ACK ? acks : answer]);
    const { told, count, pass } = await forwarding({
      name: "one",
      type: "splunk",
      url: sink.url,
      token: "canary",
      indexerAcknowledgement: true,
    });
    await pass(() => count("retries_total") === 1);
    expect({ sent: count("sent_records_total"), told: told.lines }).toEqual({
      sent: 0,
      told: [expect.stringMatching(words)],
    });
  });
});
