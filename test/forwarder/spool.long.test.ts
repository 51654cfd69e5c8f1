import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { main } from "../../provider/commands/program";
import { startEmulator } from "../../provider/emulator";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { run as runCommand } from "../commands/support";
import { TestClock, until } from "./support/clock";
import {
  configFile,
  configOf,
  openForwarder,
  recordsIn,
  startForwarding,
  stateOf,
  temporaryFolder,
} from "./support/forward";
import { recordSink } from "./support/http-sink";

const MARKS = 1_500;
const idsOf = (records: readonly ForwardRecord[]) => records.map(({ recordId }) => recordId);

const run = (...args: string[]) => runCommand(["forward", ...args]);

/** Spoils one page of a store, whose batches can be read all the same. */
function spoil(file: string): void {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const { page_size: size } = db.prepare("PRAGMA page_size").get() as { page_size: number };
  const page = db.prepare("SELECT pageno FROM dbstat WHERE name = 'baseline_of_table'").get() as { pageno: number };
  db.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, (page.pageno - 1) * size, page.pageno * size));
}

test("what a state held that was set aside is counted, listed, exported and sent, beside the service", async () => {
  using folder = temporaryFolder();
  const web = await recordSink(503);
  await using emulator = await startEmulator({ state: stateOf(0, MARKS) });
  const disk = { name: "disk", type: "file", path: "marks.ndjson" };
  const config = configOf(emulator, [disk, { name: "web", type: "http", url: web.url }]);
  const file = configFile(folder.path, config);
  const clock = new TestClock();
  const { forwarder: first } = await openForwarder(config, folder.path, { world: clock });
  first.start();
  const sent = () => first.metrics.get("sent_records_total", { sink: "disk" });
  await until(() => sent() === MARKS);
  emulator.seed(stateOf(1, MARKS));
  await until(() => sent() === 2 * MARKS, clock);
  await first.stop(0);
  const written = recordsIn(readFileSync(join(folder.path, "marks.ndjson"), "utf8"));
  spoil(join(folder.path, "forwarder-state/forwarder.db"));

  const { told } = await startForwarding(config, folder.path, { world: clock });
  const [aside] = told.lines.flatMap(
    (line) => /^error .* set aside as (\S+): it holds 3 000 records/.exec(line)?.[1] ?? [],
  );
  if (aside === undefined) throw new Error(told.lines.join("\n"));
  expect(await run("spool", "list", aside)).toEqual({
    code: 0,
    out: expect.stringMatching(
      /^Sink "disk" has not taken 0 records \(0 bytes\)\.\nSink "web" has not taken 3000 records \(\d+ bytes\), the oldest of 2026-01-01T00:00:\S+\.\n$/,
    ),
    err: "",
  });
  const { code, out } = await run("spool", "export", aside);
  expect([code, recordsIn(out)]).toEqual([0, written]);

  // The service goes on meanwhile, and has its own.
  web.status = 204;
  expect(await run("spool", "requeue", aside, "--config", file)).toEqual({
    code: 0,
    out: "",
    err: "3000 records were delivered, 0 are left.\n",
  });
  expect(idsOf(web.taken)).toEqual(expect.arrayContaining(idsOf(written)));
  expect(readdirSync(join(folder.path, "forwarder-state")).filter((name) => name.includes("requeue"))).toEqual([]);
  expect((await run("spool", "requeue", aside)).code).toBe(2);
  expect((await run("spool", "list", join(folder.path, "nothing"))).code).toBe(2);
});

test("what is no state is told apart from a state that cannot be read", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  writeFileSync(at("empty"), "");
  const other = new DatabaseSync(at("other.db"));
  other.exec("CREATE TABLE a (b)");
  other.close();
  mkdirSync(at("locked/forwarder.db"), { recursive: true });
  for (const name of ["nothing", "empty", "other.db"]) {
    const err = `There is no state of a forwarder at ${at(name)}.\n`;
    expect(await run("spool", "list", at(name))).toEqual({ code: 2, out: "", err });
  }
  // It may be readable later.
  expect(await run("spool", "export", at("locked"))).toEqual({
    code: 1,
    out: "",
    err: expect.stringMatching(/^The state at \S+\/locked cannot be read: .+\. To read it, use its owner.s account/),
  });
});

test("a requeue that is broken off goes on where it was", async () => {
  using folder = temporaryFolder();
  const web = await recordSink(503);
  await using emulator = await startEmulator({ state: stateOf(0, MARKS) });
  const config = configOf(emulator, [{ name: "web", type: "http", url: web.url }]);
  const file = configFile(folder.path, { ...config, state: "other" });
  const { forwarder } = await openForwarder(config, folder.path);
  forwarder.start();
  await until(() => forwarder.status.sinks[0]?.records === MARKS);
  await forwarder.stop(0);
  const stop = new AbortController();
  const io = { out: () => {}, err: () => {}, env: {}, stop: stop.signal };
  const left = join(folder.path, "forwarder-state");
  const broken = main(["forward", "spool", "requeue", left, "--config", file], io);
  await until(() => readdirSync(left).includes("forwarder.db.requeue"));
  stop.abort();
  expect(await broken).toBe(143);
  web.status = 204;
  expect((await run("spool", "requeue", left, "--config", file)).err).toBe(
    `${MARKS} records were delivered, 0 are left.\n`,
  );
  expect(new Set(idsOf(web.taken)).size).toBe(MARKS);
});
