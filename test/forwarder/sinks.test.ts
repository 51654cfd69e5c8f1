import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import type { ForwarderConfig } from "../../provider/forwarder/config/types";
import { forwardOnce, stateWith, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

const COUNT = 1_200;
let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ state: stateWith(COUNT) });
});
afterAll(() => emulator.close());

const config = (sinks: ForwarderConfig["sinks"], more: Partial<ForwarderConfig> = {}): ForwarderConfig => ({
  nodes: { fra1: { endpoint: emulator.endpoint } },
  watch: [{ arena: "edge", types: ["shost", "conn"] }],
  sinks,
  ...more,
});

describe("an HTTP server", () => {
  test("gets NDJSON with the headers of the configuration, in ECS where it is asked for", async () => {
    using folder = temporaryFolder();
    const headers: unknown[] = [];
    using server = await httpSink((request) => {
      headers.push([request.headers.authorization, request.headers["content-type"], request.url]);
      return [204];
    });
    const url = server.url.replace("//", "//user:pass%20word@");
    const { ok } = await forwardOnce(
      config([{ name: "web", type: "http" as const, url }], {
        format: "ecs",
        watch: [{ arena: "edge", types: ["conn"] }],
      }),
      folder.path,
    );
    expect(ok).toBe(true);
    expect(headers).toEqual([
      [`Basic ${Buffer.from("user:pass word").toString("base64")}`, "application/x-ndjson", "/in"],
    ]);
    expect(JSON.parse(server.bodies[0] ?? "")).toMatchObject({
      "@timestamp": expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      event: { kind: "event", category: ["intrusion_detection"], action: "mark-added", id: expect.any(String) },
      observer: { name: "fra1" },
      source: { ip: "203.0.113.9", port: 1_024 },
      destination: { ip: "198.51.100.7", port: 443 },
      network: { transport: "tcp", iana_number: "6" },
      rule: { id: "70001", name: "syn=flood|\\" },
      related: { ip: ["203.0.113.9", "198.51.100.7"] },
    });
  });

  test("that refuses one record for good gets all others, and the one is kept with the reason", async () => {
    using folder = temporaryFolder();
    using server = await httpSink((_, body) => (body.includes('"198.18.0.77"') ? [422, "no such field"] : [200]));
    const { ok, told } = await forwardOnce(
      config([{ name: "web", type: "http" as const, url: server.url }]),
      folder.path,
    );
    expect({ ok, told }).toEqual({
      ok: false,
      told: ['warn Sink "web" refuses records for good, first: HTTP 422: no such field. They are kept as rejected.'],
    });
    const kept = join(folder.path, "forwarder-state/rejected/web");
    const letters = readdirSync(kept)
      .flatMap((name) => readFileSync(join(kept, name), "utf8").trim().split("\n"))
      .map((line) => JSON.parse(line));
    expect(letters).toMatchObject([
      { reason: "HTTP 422: no such field", record: { address: "198.18.0.77", event: "added" } },
    ]);
  });

  const ECHOES: [string, (text: string) => string][] = [
    ["as it is", (text) => text],
    ["percent-encoded", encodeURIComponent],
    ["as JSON", (text) => JSON.stringify(text)],
    ["as HTML by number", (text) => text.replace(/\W/g, (sign) => `&#${sign.charCodeAt(0)};`)],
    ["as base64", (text) => Buffer.from(text).toString("base64")],
  ];
  test.each([
    ...ECHOES.map(([how, echo]) => ["of a header", how, echo] as const),
    ...ECHOES.map(([how, echo]) => ["of the query string", how, echo] as const),
  ])("that echoes its credential %s %s leaves none of it in log and rejected records", async (place, _, echo) => {
    const token = "canary+/=\"'&%<>\\ k3y";
    using folder = temporaryFolder();
    using server = await httpSink((_, body) =>
      body.includes('"198.18.0.77"') ? [422, `\u001b[2Jyou sent ${echo(token)} here`] : [200],
    );
    const where =
      place === "of a header"
        ? { url: server.url, headers: { "x-token": token } }
        : { url: `${server.url}?x=1&token=${encodeURIComponent(token)}` };
    const sink = { name: "web", type: "http" as const, ...where };
    const { told } = await forwardOnce(config([sink]), folder.path);
    const kept = join(folder.path, "forwarder-state/rejected/web");
    const letters = readdirSync(kept).map((name) => readFileSync(join(kept, name), "utf8"));
    expect(letters).toEqual([expect.stringMatching(/you sent .{0,4}\[secret\].{0,4} here|the answer is not quoted/)]);
    for (const text of [...told, ...letters]) {
      expect(text).not.toMatch(/canary|k3y|Y2FuYXJ5/);
      expect(text).not.toContain(echo(token));
      expect(text).not.toContain("\u001b");
    }
  });

  test("that is busy is asked again, no sooner than it says", async () => {
    using folder = temporaryFolder();
    using server = await httpSink((_, __, nth) => (nth === 1 ? [429, "later", { "retry-after": "1" }] : [200]));
    const { ok, told, forwarder } = await forwardOnce(
      config([{ name: "web", type: "http" as const, url: server.url }], {
        watch: [{ arena: "edge", types: ["conn"] }],
      }),
      folder.path,
    );
    expect({ ok, told }).toEqual({
      ok: true,
      told: [
        `warn Sink "web" accepts no records: ${server.url}: HTTP 429: later. They are sent again.`,
        'info Sink "web" accepts records again.',
      ],
    });
    expect(new Set(server.bodies).size).toBe(1);
    expect(forwarder.metrics.get("retries_total", { sink: "web" })).toBe(1);
  });

  test("as elasticsearch: items that exist are delivered, busy ones come again alone, others are refused", async () => {
    using folder = temporaryFolder();
    const item = (status: number) => ({ create: { status, ...(status >= 400 && { error: { type: `e${status}` } }) } });
    using server = await httpSink((_, body, nth) => {
      const documents = body.trim().split("\n").length / 2;
      const statuses =
        nth === 1 ? [201, 409, 429, 503, 400, ...Array(documents - 5).fill(201)] : Array(documents).fill(201);
      return [200, JSON.stringify({ errors: nth === 1, items: statuses.map(item) })];
    });
    const { forwarder } = await forwardOnce(
      config([{ name: "search", type: "elasticsearch" as const, url: `${server.url}?x=1`, index: "marks" }], {
        watch: [{ arena: "edge", types: ["shost"] }],
      }),
      folder.path,
    );
    expect(server.bodies[1]?.trim().split("\n")).toHaveLength(4);
    expect(JSON.parse(server.bodies[1]?.split("\n")[0] ?? "")).toEqual({
      create: { _index: "marks", _id: expect.stringMatching(/^[\w-]{1,40}$/) },
    });
    const count = (metric: Parameters<typeof forwarder.metrics.get>[0]) =>
      forwarder.metrics.get(metric, { sink: "search" });
    expect([count("sent_records_total"), count("rejected_records_total")]).toEqual([COUNT - 1, 1]);
  });

  test("never learns what another sink is told, and its own secrets are in no message", async () => {
    using folder = temporaryFolder();
    using server = await httpSink((request) => [400, `bad token ${request.headers.authorization}`]);
    const sinks = [
      { name: "web", type: "http" as const, url: server.url, headers: { authorization: "Bearer s3cret-token" } },
    ];
    const { told } = await forwardOnce(config(sinks, { watch: [{ arena: "edge", types: ["conn"] }] }), folder.path);
    expect(told.join()).toContain("bad token");
    expect(told.join()).not.toContain("s3cret-token");
    expect(existsSync(join(folder.path, "forwarder-state/rejected/web/00000001.ndjson"))).toBe(true);
  });
});
