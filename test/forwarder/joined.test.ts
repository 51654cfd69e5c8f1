import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { TestClock, until } from "./support/clock";
import { openForwarder, scene, startForwarding, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

const stateOf = (value: number, lifetime = 3_600) => ({
  arenas: { edge: { profiles: { web: { marks: { shost: [{ address: "203.0.113.45", id: 1, value, lifetime }] } } } } },
});

/** A server that takes everything, and what it was sent by path. */
async function startServer() {
  const sent: Record<string, string[]> = {};
  const server = await httpSink(({ url: path = "" }, body) => {
    const lines = body.trim().split("\n");
    sent[path] = [...(sent[path] ?? []), ...lines];
    const items = path.endsWith("/_bulk") ? lines.filter((_, n) => n % 2 === 0) : [];
    return [200, JSON.stringify({ errors: false, items: items.map(() => ({ create: { status: 201 } })) })];
  });
  onTestFinished(() => server[Symbol.dispose]());
  return { sent, url: server.url.replace("/in", "") };
}

test.each(["changes", "all"] as const)(
  "one observation has one id, epoch and number in every sink, also in one that joined later (%s)",
  async (mode) => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: stateOf(0) });
    const { sent, url } = await startServer();
    const clock = new TestClock();
    const called: ForwardRecord[] = [];
    const first = { name: "archive", type: "file" as const, path: "marks.ndjson" };
    const config = {
      nodes: { fra1: { endpoint: emulator.endpoint } },
      watch: [{ arena: "edge", types: ["shost" as const] }],
      records: mode,
      sinks: [first],
    };
    const lone = await openForwarder(config, folder.path, { world: clock });
    lone.forwarder.start();
    await until(() => lone.forwarder.metrics.get("sent_records_total", { sink: "archive" }) === 1);
    await lone.forwarder.stop(0);

    const sinks = [
      first,
      { name: "web", type: "http" as const, url: `${url}/in` },
      { name: "search", type: "elasticsearch" as const, url, index: "marks" },
    ];
    await startForwarding({ ...config, sinks }, folder.path, {
      world: clock,
      onRecord: (record) => void called.push(record),
    });
    for (const value of [1, 2, 3]) {
      emulator.seed(stateOf(value));
      await until(() => called.some((record) => record.value === value), clock);
    }
    const bulk = () => sent["/_bulk"] ?? [];
    const named = ({ recordId, epoch, sequence }: ForwardRecord) => ({ recordId, epoch, sequence });
    const expected = called.map(named);
    const read = (lines: readonly string[] = []) => lines.map((line) => named(JSON.parse(line)));
    const archive = () => readFileSync(join(folder.path, "marks.ndjson"), "utf8").trim().split("\n");
    await until(() => bulk().length >= 2 * expected.length && (sent["/in"] ?? []).length >= expected.length);
    const size = expected.length;
    expect(read(sent["/in"]).slice(0, size)).toEqual(expected);
    expect(read(bulk().filter((_, n) => n % 2 === 1)).slice(0, size)).toEqual(expected);
    const ids = bulk().flatMap((line, n) => (n % 2 === 0 ? [JSON.parse(line).create._id] : []));
    expect(ids.slice(0, size)).toEqual(expected.map(({ recordId }) => recordId));
    await until(() => archive().length >= size + 1);
    expect(read(archive()).slice(1, size + 1)).toEqual(expected);
  },
);

test("a mark that was renewed before a list broke off is told once", async () => {
  const { forwarder, records, emulator, clock } = await scene(stateOf(1, 600));
  const polls = (outcome: string) => forwarder.metrics.get("polls_total", { node: "fra1", outcome });
  const listed = async (lifetime: number, outcome = "taken") => {
    emulator.seed(stateOf(1, lifetime));
    const before = polls(outcome);
    await until(() => polls(outcome) > before, clock);
  };
  await until(() => records.length === 1);
  await listed(500);
  await listed(900);
  emulator.fail({ kind: "truncated", cmd: "list", url: "mark://edge/web" });
  await listed(899, "failed");
  await listed(897);
  await listed(894);
  // The emulator counts lifetimes down in real time.
  expect(records.map(({ event, lifetime }) => [event, Math.ceil(Number(lifetime) / 100) * 100])).toEqual([
    ["added", 600],
    ["renewed", 900],
  ]);
});

test("a node that refuses connections delays no other, also right after a kill", async () => {
  using folder = temporaryFolder();
  await using up = await startEmulator({ state: stateOf(0) });
  const clock = new TestClock();
  const config = {
    nodes: {
      down: { endpoint: "http://127.0.0.1:1" },
      up: { endpoint: up.endpoint },
    },
    watch: [{ arena: "edge", types: ["shost" as const] }],
  };
  const lists = () => up.requests({ cmd: "list", type: "shost" }).length;
  const first = await startForwarding(config, folder.path, { world: clock, onRecord: () => {} });
  await until(() => first.forwarder.metrics.get("polls_total", { node: "up", outcome: "taken" }) === 1);
  // What a kill -9 leaves.
  cpSync(join(folder.path, "forwarder-state"), join(folder.path, "killed"), { recursive: true });
  const { forwarder } = await startForwarding({ ...config, state: "killed" }, folder.path, {
    world: clock,
    onRecord: () => {},
  });
  await first.forwarder.stop(0);
  const taken = () => forwarder.metrics.get("polls_total", { node: "up", outcome: "taken" });
  const before = lists();
  // It is not known when the killed one listed last: a whole pause, and no more.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
  for (let round = 1; round <= 4; round++) {
    clock.advance(2_999);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([lists() - before, taken()]).toEqual([round - 1, round - 1]);
    clock.advance(1);
    await until(() => taken() === round);
  }
});
