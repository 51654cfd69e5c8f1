import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { packageVersion } from "../../provider/files/package-version";
import { forward } from "./support/child";
import { until } from "./support/clock";
import { configFile, configOf, recordsIn, stateWith, temporaryFolder } from "./support/forward";

/** Far more than a pipe holds. */
const COUNT = 3_000;

/** Runs it with more members of its configuration, into standard output and a file. */
async function forwarding(folder: string, members = {}) {
  const emulator = await startEmulator({ state: stateWith(COUNT) });
  onTestFinished(() => emulator.close());
  const sinks = [
    { name: "out", type: "stdout" },
    { name: "disk", type: "file", path: "marks.ndjson" },
  ];
  const file = configFile(folder, configOf(emulator, sinks, members));
  return { file, ...forward(file) };
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, "exit");
  return child.exitCode;
}

test("a reader of standard output that leaves, as head does, ends it cleanly; the rest comes later", async () => {
  using folder = temporaryFolder();
  const { file, ...first } = await forwarding(folder.path);
  const [chunk] = await once(first.child.stdout, "data");
  first.child.stdout.destroy();
  expect(await exitOf(first.child)).toBe(0);
  const start = [
    `pulumi-packetfilter ${packageVersion()} forwards with ${file}.`,
    "Watches arena edge on fra1: profiles *, shost, every 3000 ms, changes.",
    "Sinks: out (stdout), disk (file).",
    `State: ${join(folder.path, "forwarder-state")}.`,
  ];
  expect(first.told.map(({ msg }) => msg)).toEqual([
    start.join(" "),
    'Sink "out" has ended: standard output has no reader any more. Records that it has not taken stay in the spool.',
    "Stopping: records in the spool are delivered while time allows, and the rest is kept.",
  ]);

  const second = forward(file, "--once");
  let text = "";
  second.child.stdout.on("data", (more) => {
    text += more;
  });
  expect({ code: await exitOf(second.child), told: second.told }).toEqual({ code: 0, told: [] });
  const begun = `${chunk}`;
  const records = [...recordsIn(begun.slice(0, begun.lastIndexOf("\n"))), ...recordsIn(text)];
  const added = records.filter(({ event }) => event === "added");
  expect(new Set(added.map(({ sequence }) => sequence)).size).toBe(COUNT);
});

test("the reader of standard output may be slow: everything else goes on meanwhile", async () => {
  using folder = temporaryFolder();
  const { child, told } = await forwarding(folder.path, { listen: "127.0.0.1:0" });
  const url = await until(() => told.find((line) => line.url !== undefined)?.url);
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  // The file has everything while the pipe is not read.
  await until(async () => (await metrics()).includes(`sent_records_total{sink="disk"} ${COUNT}`));
  expect(await metrics()).toContain('sent_records_total{sink="out"} 0\n');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.stdout.resume();
  await until(async () => (await metrics()).includes(`sent_records_total{sink="out"} ${COUNT}`));
  child.kill("SIGTERM");
  expect(await exitOf(child)).toBe(0);
});
