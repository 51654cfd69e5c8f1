import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { until } from "./support/clock";
import { stateWith, temporaryFolder } from "./support/forward";

const CLI = join(__dirname, "../../dist/provider/cli.js");
/** Far more than a pipe holds. */
const COUNT = 3_000;

function forward(config: string, ...more: string[]) {
  const child = spawn(process.execPath, [CLI, "forward", "--config", config, ...more], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const told: { msg: string; url?: string }[] = [];
  createInterface(child.stderr).on("line", (line) => told.push(JSON.parse(line)));
  return { child, told };
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, "exit");
  return child.exitCode;
}

test("a reader of standard output that leaves, as head does, ends it cleanly; the rest comes later", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(COUNT) });
  const file = join(folder.path, "forwarder.yaml");
  writeFileSync(
    file,
    `nodes: { fra1: { endpoint: "${emulator.endpoint}" } }
watch: [{ arena: edge, types: [shost] }]
sinks: [{ name: out, type: stdout }, { name: disk, type: file, path: marks.ndjson }]
`,
  );
  const first = forward(file);
  const [chunk] = await once(first.child.stdout, "data");
  first.child.stdout.destroy();
  expect(await exitOf(first.child)).toBe(0);
  const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8"));
  const start = [
    `pulumi-packetfilter ${version} forwards with ${file}.`,
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
  const whole = [...`${chunk}`.split("\n").slice(0, -1), ...text.split("\n").slice(0, -1)];
  const records = whole.map((line): ForwardRecord => JSON.parse(line));
  const added = records.filter(({ event }) => event === "added");
  expect(new Set(added.map(({ sequence }) => sequence)).size).toBe(COUNT);
});

test("the reader of standard output may be slow: everything else goes on meanwhile", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(COUNT) });
  const file = join(folder.path, "forwarder.yaml");
  writeFileSync(
    file,
    `nodes: { fra1: { endpoint: "${emulator.endpoint}" } }
watch: [{ arena: edge, types: [shost] }]
listen: 127.0.0.1:0
sinks: [{ name: out, type: stdout }, { name: disk, type: file, path: marks.ndjson }]
`,
  );
  const { child, told } = forward(file);
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
