import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { RejectedFiles } from "../../provider/forwarder/delivery/rejected";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { requeueRejected } from "../../provider/forwarder/requeue-rejected";
import { forwarderWorld } from "../../provider/forwarder/world";
import { until } from "./support/clock";
import { lettersIn, RECORD, recordsIn, scene, stateOf, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

const ids = (records: readonly ForwardRecord[]) => records.map(({ recordId }) => recordId);
const letter = (recordId: string) => ({ record: { ...RECORD, recordId }, reason: "no such field" });
const january = () => Date.UTC(2026, 0, 1);

/** All that a folder holds, and that a sink would take. */
async function requeuedFrom(folder: string): Promise<string[]> {
  const taken: string[] = [];
  await new RejectedFiles(folder, january).requeue(async (records) => {
    taken.push(...ids(records));
    return [];
  });
  return taken;
}

test("a requeue beside a service that is refused goes on: each record arrives, or is kept", async () => {
  const arrived: ForwardRecord[] = [];
  let answer: (() => void) | undefined;
  let isRequeue = false;
  const server = await httpSink((_, body) => {
    const records = recordsIn(body);
    const taken = isRequeue && records.every(({ value }) => value === 0);
    if (taken) arrived.push(...records);
    if (!taken || answer) return [taken ? 204 : 406];
    return new Promise((resolve) => {
      answer = () => resolve([204]);
    });
  });
  const sinks = [{ name: "web", type: "http" as const, url: server.url }];
  const { forwarder, clock, emulator, config, folder } = await scene(stateOf(0, 50), { sinks });
  const folderOfWeb = join(folder, "forwarder-state/rejected/web");
  const linesKept = () => lettersIn(folderOfWeb).length;
  const refused = () => forwarder.metrics.get("rejected_records_total", { sink: "web" });
  await until(() => refused() === 50, clock);
  expect(linesKept()).toBe(50);

  isRequeue = true;
  const live = await LiveConfig.ofObject(config, {}, folder);
  const parts = { world: forwarderWorld, stdout: async () => {}, signal: new AbortController().signal };
  const requeued = requeueRejected(live, parts, "web");
  await until(() => answer);
  // Its request is under way. Meanwhile the service is refused more.
  emulator.seed(stateOf(1, 50));
  await until(() => refused() === 100, clock);
  expect(linesKept()).toBe(100);
  answer?.();
  expect(await requeued).toEqual({ delivered: 50, left: 0, failures: [] });
  await forwarder.stop(0);

  const kept = await requeuedFrom(folderOfWeb);
  const all = [...ids(arrived), ...kept];
  expect([arrived.length, kept.length, new Set(all).size]).toEqual([50, 50, 100]);
});

test("what is refused again is kept beside what came meanwhile, and what failed is tried the next time", async () => {
  using folder = temporaryFolder();
  const service = new RejectedFiles(folder.path, january);
  await service.add([letter("r-1"), letter("r-2")]);
  const again = await new RejectedFiles(folder.path, january).requeue(async () => {
    await service.add([letter("r-3")]);
    return [letter("r-2")];
  });
  expect(again).toEqual({ delivered: 1, kept: 1 });
  const failed = new RejectedFiles(folder.path, january).requeue(async () => {
    await service.add([letter("r-4")]);
    throw new Error("no answer");
  });
  await expect(failed).rejects.toThrow("no answer");
  expect((await requeuedFrom(folder.path)).sort()).toEqual(["r-2", "r-3", "r-4"]);
  expect(readdirSync(folder.path)).toEqual([]);
});

test("half a line that a kill left spoils no letter that follows it", async () => {
  using folder = temporaryFolder();
  await new RejectedFiles(folder.path, january).add([letter("r-1")]);
  appendFileSync(join(folder.path, "00000001.ndjson"), '{"refused":"2026-');
  await new RejectedFiles(folder.path, january).add([letter("r-2")]);
  expect(await requeuedFrom(folder.path)).toEqual(["r-1", "r-2"]);
});
