import { zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import type { ForwarderConfig } from "../../provider/forwarder/config/types";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { passUntil } from "./support/clock";
import { scene, stateWith } from "./support/forward";
import { httpSink } from "./support/http-sink";

const COUNT = 300;
/** Acknowledgement of Splunk's collector. */
const SUCCESS = '{"text":"Success","code":0}';

/** A forwarder of tables by source and by connection, until a sink has answered for all of their records. */
async function sent(sink: NonNullable<ForwarderConfig["sinks"]>[number]) {
  const watch = [{ arena: "edge", types: ["shost" as const, "conn" as const] }];
  const { forwarder, told, clock } = await scene(stateWith(COUNT), { watch, sinks: [sink] });
  const count = (name: "sent_records_total" | "rejected_records_total") =>
    forwarder.metrics.get(name, { sink: String(sink.name) });
  await passUntil(() => count("sent_records_total") + count("rejected_records_total") >= COUNT + 1, clock);
  await forwarder.stop(0);
  return { told: told.lines.join(), rejected: count("rejected_records_total") };
}

/** The events of a collector's request, which stand one behind the other. */
const eventsIn = (bodies: readonly string[]): { event: ForwardRecord; [member: string]: unknown }[] =>
  bodies.flatMap((body) => body.trim().split("\n")).map((line) => JSON.parse(line));

test("Splunk's collector gets each record as an event, with its token, time, host and index", async () => {
  const headers: unknown[] = [];
  using server = await httpSink(({ headers: { authorization, "x-splunk-request-channel": channel }, url }) => {
    headers.push([url, authorization, typeof channel]);
    return [200, SUCCESS];
  });
  const url = server.url.replace("/in", "/base/");
  const { rejected } = await sent({ name: "splunk", type: "splunk", url, token: "canary", index: "net" });
  expect(rejected).toBe(0);
  expect(new Set(headers.map((one) => JSON.stringify(one)))).toEqual(
    new Set(['["/base/services/collector/event","Splunk canary","string"]']),
  );
  const events = eventsIn(server.bodies);
  expect(new Set(events.map(({ event }) => event.recordId)).size).toBe(COUNT + 1);
  const [{ event, ...own } = { event: undefined }] = events.filter(({ event }) => event.type === "conn");
  expect(own).toEqual({
    time: Date.parse(event?.timestamp ?? "") / 1_000,
    host: "fra1",
    source: "pulumi-packetfilter",
    sourcetype: "packetfilter:mark",
    index: "net",
  });
});

// "Possible error codes" of the collector.
test.each([
  [403, 4, "Invalid token"],
  [401, 3, "Invalid authorization"],
  [400, 7, "Incorrect index"],
  [503, 9, "Server is busy"],
])(
  "what it answers with HTTP %i and code %i is an outage: nothing is refused, nothing is lost",
  async (status, code, text) => {
    using server = await httpSink((_, __, nth) =>
      nth <= 2 ? [status, JSON.stringify({ text, code })] : [200, SUCCESS],
    );
    const { told, rejected } = await sent({ name: "splunk", type: "splunk", url: server.url, token: "canary" });
    expect(rejected).toBe(0);
    expect(new Set(eventsIn(server.bodies.slice(2)).map(({ event }) => event.recordId)).size).toBe(COUNT + 1);
    expect(told).toContain(`HTTP ${status}`);
    expect(told).not.toContain("canary");
    expect(told).not.toContain("refuses");
  },
);

test.each<[name: string, isNumbered: boolean, isBusy: boolean]>([
  ["is kept with the reason, and all others arrive", false, false],
  ["and numbers is kept, and no event before it is sent again", true, false],
  ["for now comes again, and no event before it does", true, true],
])("an event that it refuses alone %s", async (_, isNumbered, isBusy) => {
  const indexed: string[] = [];
  let refusals = 0;
  using server = await httpSink((_, body) => {
    const ids = eventsIn([body]).map(({ event }) => event.recordId);
    const place = body
      .trim()
      .split("\n")
      .findIndex((line) => line.includes('"198.18.0.77"'));
    if (place < 0 || (isBusy && refusals > 0)) {
      indexed.push(...ids);
      return [200, SUCCESS];
    }
    refusals++;
    if (isNumbered) indexed.push(...ids.slice(0, place));
    const number = isNumbered && { "invalid-event-number": place };
    return isBusy
      ? [503, JSON.stringify({ text: "Server is busy", code: 9, ...number })]
      : [400, JSON.stringify({ text: "Invalid data format", code: 6, ...number })];
  });
  const { told, rejected } = await sent({ name: "splunk", type: "splunk", url: server.url, token: "canary" });
  expect({ rejected, indexed: indexed.length, different: new Set(indexed).size }).toEqual({
    rejected: isBusy ? 0 : 1,
    indexed: isBusy ? COUNT + 1 : COUNT,
    different: isBusy ? COUNT + 1 : COUNT,
  });
  if (isNumbered) expect(refusals).toBe(1);
  expect(told).toMatch(
    isBusy
      ? /HTTP 503: .*Server is busy/
      : /Sink "splunk" refuses records for good, first: HTTP 400: .*Invalid data format/,
  );
});

interface Push {
  streams: { stream: Record<string, string>; values: [nanoseconds: string, line: string][] }[];
}

test.each([false, true])(
  "Loki gets each table as a stream, and each record as a line at its time (gzip: %s)",
  async (gzip) => {
    const paths = new Set<string | undefined>();
    const pushes: Push[] = [];
    using server = await httpSink(async ({ url, headers }, body) => {
      paths.add(`${url} ${headers["x-scope-orgid"]}`);
      if (!gzip) pushes.push(JSON.parse(body));
      return [204];
    });
    const url = server.url.replace("/in", "");
    const headers = { "X-Scope-OrgID": "edge" };
    const { rejected } = await sent({ name: "loki", type: "loki", url, gzip, headers, labels: { site: "fra" } });
    expect(rejected).toBe(0);
    expect([...paths]).toEqual(["/loki/api/v1/push edge"]);
    if (gzip) return;
    const streams = pushes.flatMap((push) => push.streams);
    const labels = { job: "pulumi-packetfilter", site: "fra", node: "fra1", arena: "edge", profile: "web" };
    expect(new Set(streams.map(({ stream }) => JSON.stringify(stream)))).toEqual(
      new Set(["shost", "conn"].map((type) => JSON.stringify({ ...labels, type }))),
    );
    const lines = streams.flatMap(({ values }) => values);
    expect(new Set(lines.map(([, line]) => (JSON.parse(line) as ForwardRecord).recordId)).size).toBe(COUNT + 1);
    for (const [nanoseconds, line] of lines) {
      expect(nanoseconds).toBe(`${Date.parse((JSON.parse(line) as ForwardRecord).timestamp)}000000`);
    }
  },
);

test("bodies are compressed with zstd where that is asked for", async () => {
  const lines: string[] = [];
  using server = await httpSink(({ headers }, _, __, bytes) => {
    if (headers["content-encoding"] === "zstd") lines.push(...zstdDecompressSync(bytes).toString().trim().split("\n"));
    return [204];
  });
  await sent({ name: "web", type: "http", url: server.url, zstd: true, gzip: true });
  expect(new Set(lines.map((line) => (JSON.parse(line) as ForwardRecord).recordId)).size).toBe(COUNT + 1);
});

test("a line that Loki refuses alone is kept with the reason, and all others arrive", async () => {
  using server = await httpSink((_, body) =>
    body.includes("198.18.0.77") ? [400, "entry too far behind, oldest acceptable timestamp is: 2026"] : [204],
  );
  const { told, rejected } = await sent({ name: "loki", type: "loki", url: server.url });
  expect(rejected).toBe(1);
  expect(told).toMatch(/refuses records for good, first: HTTP 400: entry too far behind/);
  const taken = server.bodies
    .filter((body) => !body.includes("198.18.0.77"))
    .flatMap((body) => (JSON.parse(body) as Push).streams);
  expect(taken.flatMap(({ values }) => values)).toHaveLength(COUNT);
});
