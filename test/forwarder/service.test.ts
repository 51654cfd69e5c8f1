import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { packageVersion } from "../../provider/files/package-version";
import { ForwardProcess, packagesOfForward } from "./support/child";
import { until } from "./support/clock";
import { serve } from "./support/command";
import { configFile, configOf, stateWith, temporaryFolder } from "./support/forward";

const ROOT = resolve(__dirname, "../..");
const EXAMPLE = join(ROOT, "examples/forwarder-service");
const read = (name: string) => readFileSync(join(EXAMPLE, name), "utf8");
const MARKS = 50;

/** The value of a member of the unit. */
const unit = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(read("packetfilter-forward.service"))?.[1] ?? "";

/** An instruction of the container file that is written as a list of words. */
const words = (instruction: string): string[] =>
  JSON.parse(new RegExp(`^${instruction}.*?(\\[.*\\])$`, "m").exec(read("Containerfile"))?.[1] ?? "[]");

test("the container has exactly the packages that were tried, by their digests, and runs no script of one", async () => {
  expect(read("Containerfile").match(/npm (ci|install|i)\b[^&\n]*/g)).toEqual(["npm ci --omit=peer --ignore-scripts "]);
  const { dependencies } = JSON.parse(read("package.json"));
  // All that the command loads from elsewhere.
  expect(Object.keys(dependencies)).toEqual(packagesOfForward());

  const { containerFiles } = await import("../../tools/container-lock.mjs");
  // In the versions and with the digests of the project's own lock file.
  expect({ manifest: read("package.json"), lock: read("package-lock.json") }).toEqual(containerFiles());
  const { "": _, ...locked } = JSON.parse(read("package-lock.json")).packages;
  expect(
    Object.values<{ integrity?: string }>(locked).filter(({ integrity = "" }) => !/^sha512-/.test(integrity)),
  ).toEqual([]);
});

test("the service runs as its unit says: starts, answers, reloads with its spool, and ends", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(MARKS) });
  const example = read("forwarder.yaml")
    .replaceAll("/var/lib/packetfilter-forward", join(folder.path, "state"))
    .replace("listen: 0.0.0.0:9464", "listen: 127.0.0.1:0")
    .replace("{ arena: edge }", "{ arena: edge, types: [shost, conn] }");
  const file = join(folder.path, "forwarder.yaml");
  // At first its sink is one that cannot be reached.
  writeFileSync(file, example.replace(/type: file, path: \S+/, 'type: http, url: "http://127.0.0.1:1/"'));
  const line = unit("ExecStart").replace("/etc/packetfilter", folder.path).split(" ");
  const forward = ForwardProcess.command(line, folder.path, { NODE_ENDPOINT: emulator.endpoint });
  const told = (part: string) => until(() => forward.lines.find((one) => one.includes(part)));
  await told('Sink \\"disk\\" accepts no records');
  const reload = () => execFileSync("sh", ["-c", unit("ExecReload").replace("$MAINPID", String(forward.child.pid))]);
  writeFileSync(file, `${example}format: nonsense\n`);
  reload();
  await told("The new configuration is refused");
  writeFileSync(file, `${example}format: ecs\n`);
  reload();
  await told("The configuration was read again.");

  const { url } = JSON.parse(await told("Answers on"));
  const page = async (path: string) => (await fetch(`${url}${path}`)).text();
  await until(async () => (await page("/metrics")).includes(`sent_records_total{sink="disk"} ${MARKS + 1}\n`));
  const health = words("HEALTHCHECK").at(-1);
  expect(JSON.parse(await page(new URL(health ?? "").pathname)).ok).toBe(true);
  expect(new URL(health ?? "").port).toBe(/listen: .*:(\d+)/.exec(read("forwarder.yaml"))?.[1]);
  expect(await forward.end("SIGTERM")).toBe(0);
  const documents = readFileSync(join(folder.path, "state/marks.ndjson"), "utf8").trim().split("\n");
  expect(new Set(documents.map((one) => JSON.parse(one).event.id)).size).toBe(MARKS + 1);
  expect(emulator.journal.filter(({ tooSoon }) => tooSoon)).toEqual([]);
  // In a pipe each line is an event, for programs.
  const logs = forward.lines.map((one) => JSON.parse(one));
  expect(logs.map(({ level, time, msg }) => [level, new Date(time).toISOString() === time, msg])).toEqual([
    [
      "info",
      true,
      expect.stringMatching(
        /^pulumi-packetfilter \d+\.\d+\.\d+ forwards with .*forwarder\.yaml\. Watches arena edge on fra1: .* Sinks: disk \(http\)\. State: .*state\.$/,
      ),
    ],
    ["info", true, `Answers on ${url}/metrics.`],
    ["warn", true, expect.stringMatching(/^Sink "disk" accepts no records: .*ECONNREFUSED.* They are sent again\.$/)],
    ["error", true, expect.stringContaining("`format` must be one of plain, ecs, otel")],
    ["info", true, "The configuration was read again."],
    ["info", true, 'Sink "disk" accepts records again.'],
    ["info", true, "Stopping: records in the spool are delivered while time allows, and the rest is kept."],
  ]);

  // The container runs the same command.
  expect(["/usr/bin/env", ...words("ENTRYPOINT")]).toEqual(unit("ExecStart").split(" "));
});

/** Lines on a terminal after these texts; knows the control sequences of the table only. */
function screenOf(text: string): string[] {
  const lines = [""];
  let row = 0;
  const parts = text.replaceAll("\u001b[", "␛").match(/␛\d+A|␛K|␛J|\r|\n|[^␛\r\n]+/g) ?? [];
  for (const part of parts) {
    if (part === "␛K" || part === "\r") continue;
    if (part === "␛J") lines.splice(row, lines.length, "");
    else if (part.startsWith("␛")) row -= Number.parseInt(part.slice(1), 10);
    else if (part === "\n") row++;
    else lines[row] = part;
    while (lines.length <= row) lines.push("");
  }
  return lines.filter((line) => line !== "");
}

test("on a terminal a table of nodes and sinks is redrawn, with events above it", async () => {
  using folder = temporaryFolder();
  await using sound = await startEmulator({ state: stateWith(MARKS) });
  await using sick = await startEmulator({ state: stateWith(MARKS) });
  sick.fail({ cmd: "list", url: "mark://edge/web", type: "conn", status: 503, times: 100 });
  const nodes = { fra1: { endpoint: sound.endpoint }, fra2: { endpoint: sick.endpoint } };
  const sinks = [
    { name: "disk", type: "file", path: "marks.ndjson" },
    { name: "web", type: "http", url: "http://127.0.0.1:1/" },
  ];
  const watch = [{ arena: "edge", types: ["shost" as const, "conn" as const] }];
  const file = configFile(folder.path, configOf(sound, sinks, { nodes, watch, drainMs: 0 }));
  const service = serve(file, 60);
  const table = [
    "fra2                         50 marks   1 of 2 tables fail",
    "fra1                         51 marks   2 tables",
    "→ disk                      101 sent    0 waiting (… KiB)",
    "→ web                         0 sent    101 waiting (… KiB)",
  ];
  const screen = () => screenOf(service.written()).map((line) => line.replace(/\d+ KiB/, "… KiB"));
  await until(() => screen().some((line) => line.includes(" 101 sent ")));
  // The next drawing stands where this one stood.
  const drawn = service.written().length;
  await until(() => service.written().slice(drawn).includes("→ web"));
  const lines = screen();
  expect(await service.end()).toBe(0);
  expect(lines.slice(-table.length)).toEqual(table);
  expect(lines.slice(0, -table.length).sort()).toEqual([
    // There is no `listen`, whose page would tell this.
    `pulumi-packetfilter ${packageVersion()} forwards with ${file}. Watches arena edge on fra1, fra2: profiles *, shost, conn, every 3000 ms, changes. Sinks: disk (file), web (http). State: ${join(folder.path, "forwarder-state")}.`,
    expect.stringMatching(/^warning: Marks \(conn\) of mark:\/\/edge\/web on fra2 .*HTTP 503/),
    expect.stringMatching(/^warning: Sink "web" accepts no records: .*ECONNREFUSED/),
  ]);
});
