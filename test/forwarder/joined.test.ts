import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { TestClock, until } from "./support/clock";
import { configOf, recordsIn, scene, startForwarding, stateOf, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

/** A server that takes everything, and what it was sent by path. */
async function startServer() {
  const sent: Record<string, string[]> = {};
  const server = await httpSink(({ url: path = "" }, body) => {
    const lines = body.trim().split("\n");
    sent[path] = [...(sent[path] ?? []), ...lines];
    const items = path.endsWith("/_bulk") ? lines.filter((_, n) => n % 2 === 0) : [];
    return [200, JSON.stringify({ errors: false, items: items.map(() => ({ create: { status: 201 } })) })];
  });
  return { sent, url: server.url.replace("/in", "") };
}

test("one observation has one id, epoch and number in every sink, also in one that joined later", async () => {
  const { sent, url } = await startServer();
  const archive = { name: "archive", type: "file" as const, path: "marks.ndjson" };
  const lone = await scene(stateOf(0), { sinks: [archive] });
  const { emulator, clock, folder } = lone;
  await until(() => lone.forwarder.metrics.get("sent_records_total", { sink: "archive" }) === 1);
  await lone.forwarder.stop(0);

  const called: ForwardRecord[] = [];
  const search = { name: "search", type: "elasticsearch", url, index: "marks" };
  const config = configOf(emulator, [archive, { name: "web", type: "http", url: `${url}/in` }, search]);
  await startForwarding(config, folder, { world: clock, onRecord: (record) => void called.push(record) });
  for (const value of [1, 2, 3]) {
    emulator.seed(stateOf(value));
    await until(() => called.some((record) => record.value === value), clock);
  }
  const bulk = () => sent["/_bulk"] ?? [];
  await until(() => bulk().length === 6 && sent["/in"]?.length === 3);
  const read = (lines: readonly string[] = []) => lines.map((line): ForwardRecord => JSON.parse(line));
  expect(read(sent["/in"])).toEqual(called);
  expect(read(bulk().filter((_, n) => n % 2 === 1))).toEqual(called);
  const actions = bulk().filter((_, n) => n % 2 === 0);
  expect(actions.map((line) => JSON.parse(line).create._id)).toEqual(called.map(({ recordId }) => recordId));
  const archived = () => recordsIn(readFileSync(join(folder, "marks.ndjson"), "utf8"));
  await until(() => archived().length === 4);
  expect(archived().slice(1)).toEqual(called);
});

test("a node that refuses connections delays no other, also right after a kill", async () => {
  using folder = temporaryFolder();
  await using up = await startEmulator({ state: stateOf(0) });
  const clock = new TestClock();
  const down = { endpoint: "http://127.0.0.1:1" };
  const config = configOf(up, [], { nodes: { down, up: { endpoint: up.endpoint } } });
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
