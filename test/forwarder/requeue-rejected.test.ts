import { appendFileSync, cpSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { RejectedFiles } from "../../provider/forwarder/delivery/rejected";
import { StoredLedger } from "../../provider/forwarder/ledger/ledger";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { run as runCommand } from "../commands/support";
import {
  configFile,
  configOf,
  forwardOnce,
  openForwarder,
  RECORD,
  recordsIn,
  stateOf,
  temporaryFolder,
} from "./support/forward";
import { recordSink } from "./support/http-sink";

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

describe("requeue of a state", () => {
  const run = (...args: string[]) => runCommand(["forward", "spool", ...args]);

  /** A state folder that a server has taken nothing of, and a configuration that has another one. */
  async function leftState(sinks = ["web"]) {
    const { path, [Symbol.dispose]: remove } = temporaryFolder();
    onTestFinished(remove);
    const web = await recordSink(503);
    const emulator = await startEmulator({ state: stateOf(0, 5) });
    onTestFinished(() => emulator.close());
    const urlOf = (name: string) => (name === "dead" ? "http://127.0.0.1:1/" : web.url);
    const sinkOf = (name: string) => ({ name, type: "http" as const, url: urlOf(name) });
    const config = configOf(emulator, sinks.map(sinkOf), { onceDeadlineMs: 200 });
    /** A run of the forwarder, in which the marks get this value. */
    const goOn = async (value: number) => {
      emulator.seed(stateOf(value, 5));
      await forwardOnce(config, path);
    };
    const state = join(path, "forwarder-state");
    const own = configFile(path, config);
    const requeue = (...names: string[]) => {
      const other = join(path, "other.yaml");
      writeFileSync(other, JSON.stringify({ ...config, state: "other-state", sinks: names.map(sinkOf) }));
      return run("requeue", state, "--config", other);
    };
    await goOn(1);
    return { path, state, config, own, web, goOn, requeue };
  }

  test("adds what came after a run that was broken off, and what one for other sinks left out, and sends nothing twice", async () => {
    const { state, own, web, goOn, requeue } = await leftState(["web", "other", "dead"]);
    for (const name of ["web", "other"])
      expect(await requeue(name)).toMatchObject({ code: 1, err: expect.stringContaining("5 are left") });
    expect(await run("requeue", join(state, "forwarder.db"), "--sink", "web", "--config", own)).toEqual({
      code: 2,
      out: "",
      err: `--sink sends what a sink refused, which is in a state folder: ${join(state, "forwarder.db")} is none.\n`,
    });
    web.status = 204;
    const some = await requeue("other", "dead");
    expect(some).toMatchObject({ code: 1, err: expect.stringContaining("5 records were delivered, 5 are left") });
    web.status = 503;
    await goOn(2);
    const stored = recordsIn((await run("export", state)).out);
    web.status = 204;
    const err = expect.stringMatching(/"sink":"dead".*\n15 records were delivered, 0 are left\.\n$/s);
    expect(await requeue("web", "other")).toEqual({ code: 0, out: "", err });
    expect(ids(web.taken).sort()).toEqual(ids([...stored, ...stored]).sort());
    expect(readdirSync(state).filter((name) => name.includes("requeue"))).toEqual([]);
  });

  test("goes on with that of a store which was set aside since, and then with the new one", async () => {
    const { path, state, web, goOn, requeue } = await leftState();
    // A copy of a state, whose tables begin with a reset.
    cpSync(state, join(path, "copy"), { recursive: true });
    rmSync(state, { recursive: true });
    renameSync(join(path, "copy"), state);
    await goOn(1);
    const first = recordsIn((await run("export", state)).out);
    expect(await requeue("web")).toMatchObject({ code: 1 });
    renameSync(join(state, "forwarder.db"), join(state, "aside"));
    await goOn(2);
    const stored = [...first, ...recordsIn((await run("export", state)).out)];
    web.status = 204;
    expect(await requeue("web")).toEqual({
      code: 0,
      out: "",
      err: `${stored.length} records were delivered, 0 are left.\n`,
    });
    expect(ids(web.taken)).toEqual(ids(stored));
    expect(web.taken.filter(({ resent }) => resent)).toHaveLength(5);
  });

  test("keeps its copy where that does not say what is left", async () => {
    const { state, requeue } = await leftState();
    const status = vi.spyOn(StoredLedger.prototype, "status").mockRejectedValue(new Error("disk I/O error"));
    onTestFinished(() => status.mockRestore());
    expect(await requeue("web")).toMatchObject({ code: 1, err: expect.stringContaining("disk I/O error") });
    expect(readdirSync(state)).toContain("forwarder.db.requeue");
  });

  test("refuses the state of the configuration, and one that a forwarder has", async () => {
    const { path, state, config, own, web, requeue } = await leftState();
    web.status = 204;
    symlinkSync(state, join(path, "link"));
    for (const named of [state, join(state, "forwarder.db"), join(path, "link")]) {
      expect(await run("requeue", named, "--config", own)).toEqual({
        code: 2,
        out: "",
        err: `${named} is the state of the configuration: start the forwarder, it sends these records. Without a path, requeue sends those that sinks refused.\n`,
      });
    }
    const { forwarder } = await openForwarder(config, path);
    expect(await requeue("web")).toEqual({
      code: 1,
      out: "",
      err: `The state ${join(state, "forwarder.db")} is in use by a forwarder, which sends these records itself.\n`,
    });
    await forwarder.stop(0);
    expect(web.taken).toEqual([]);
    expect(await requeue("web")).toMatchObject({ code: 0 });
  });
});
