import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { main } from "../../provider/commands/program";
import { startEmulator } from "../../provider/emulator";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { Service } from "../../provider/forwarder/operating/service";
import { asking } from "./support/asking";
import { TestClock, until } from "./support/clock";
import { openForwarder, stateWith, temporaryFolder } from "./support/forward";

/** Members of the unit that say which exit codes are tried again. */
const UNIT = readFileSync(resolve(__dirname, "../../examples/forwarder-service/packetfilter-forward.service"), "utf8");
const unit = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(UNIT)?.[1] ?? "";
const isStartedAgain = (code: number): boolean =>
  unit("Restart") === "always" && !unit("RestartPreventExitStatus").split(" ").includes(String(code));

async function listening(): Promise<Server & { port: number }> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  onTestFinished(() => void server.close());
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

/** Runs the service with a configuration. @returns the lines of its log, and its exit code once it has ended. */
function serve(file: string, env: Record<string, string> = {}) {
  const lines: string[] = [];
  const stop = new AbortController();
  const err = (text: string) => void lines.push(...text.trim().split("\n"));
  const ended = main(["forward", "--config", file], { out: () => {}, err, env, stop: stop.signal });
  const told = (part: string) => until(() => lines.some((line) => line.includes(part)));
  const end = () => {
    stop.abort();
    return ended;
  };
  return { lines, told, ended, end };
}

const CONFIG = (endpoint: string, more = "") => `nodes: { fra1: { endpoint: "${endpoint}" } }
watch: [{ arena: edge, types: [shost] }]
drainMs: 0
sinks: [{ name: disk, type: file, path: marks.ndjson }]
${more}`;

/** Errors of the machine or the configuration: exit code, member, the line of the log, and the remedy without an operator. */
const ERRORS: Record<string, [code: number, more: string, line: RegExp, mend?: (folder: string) => void]> = {
  "a file of a secret that is not there yet": [
    1,
    "listen: { address: 127.0.0.1:0, token: { file: token } }",
    /^forwarder\.yaml:5:40: `listen\.token` needs the file \S+\/token: ENOENT/,
    (folder) => writeFileSync(join(folder, "token"), "t0ken\n"),
  ],
  "a file of a secret that is still empty": [
    1,
    "listen: { address: 127.0.0.1:0, token: { file: empty } }",
    /^forwarder\.yaml:5:40: `listen\.token` must not be empty/,
    (folder) => writeFileSync(join(folder, "empty"), "t0ken\n"),
  ],
  "a state folder whose disk is not there yet": [
    1,
    "state: taken/state",
    /taken\/state.*ENOTDIR/,
    (folder) => {
      rmSync(join(folder, "taken"));
      mkdirSync(join(folder, "taken"));
    },
  ],
  "a variable that is not set": [2, `state: "\${NOT_SET}"`, /`state` needs the variable NOT_SET, which is not set/],
  "a secret whose file has an unset variable in its name": [
    2,
    `listen: { address: 127.0.0.1:0, token: { file: "\${NOT_SET}/token" } }`,
    /needs the variable NOT_SET, which is not set/,
  ],
  "a member that is wrong": [2, "format: nonsense", /`format` must be one of plain, ecs, otel/],
  "a missing file beside a member that is wrong": [
    2,
    "format: nonsense\nlisten: { address: 127.0.0.1:0, token: { file: token } }",
    /`format` must be one of/,
  ],
};

test.each(Object.entries(ERRORS))("%s: exit code, line, and whether it is started again", async (_, error) => {
  const [code, more, line, mend] = error;
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(2) });
  const file = join(folder.path, "forwarder.yaml");
  writeFileSync(file, CONFIG(emulator.endpoint, more));
  writeFileSync(join(folder.path, "empty"), "");
  writeFileSync(join(folder.path, "taken"), "");
  const first = serve(file);
  expect(await first.ended).toBe(code);
  expect(
    first.lines.some((one) => line.test(one)),
    first.lines.join("\n"),
  ).toBe(true);
  expect(isStartedAgain(code)).toBe(mend !== undefined);
  if (!mend) return;
  mend(folder.path);
  const again = serve(file);
  await again.told(" forwards with ");
  expect(await again.end()).toBe(0);
});

test("a configuration that is not there yet is tried again, too", async () => {
  using folder = temporaryFolder();
  const service = serve(join(folder.path, "forwarder.yaml"));
  expect([await service.ended, service.lines]).toEqual([1, [expect.stringMatching(/cannot be read: ENOENT/)]]);
  expect(isStartedAgain(1)).toBe(true);
});

test.each([
  ["a port that is in use", async () => `127.0.0.1:${(await listening()).port}`, "EADDRINUSE"],
  ["an address that is not up yet", async () => "192.0.2.1:9464", "EADDRNOTAVAIL"],
  ["a name that does not resolve", async () => "forwarder.invalid:9464", "getaddrinfo"],
])("%s keeps no mark from being forwarded", async (_, taken, reason) => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(2) });
  const file = join(folder.path, "forwarder.yaml");
  writeFileSync(file, CONFIG(emulator.endpoint, `listen: "${await taken()}"`));
  const service = serve(file);
  await service.told("cannot be used: ");
  const line = service.lines.find((one) => one.includes("cannot be used"));
  expect(line).toContain(reason);
  expect(JSON.parse(line ?? "")).toMatchObject({
    level: "warn",
    msg: expect.stringMatching(/It is tried again, and marks are forwarded meanwhile\.$/),
  });
  const marks = join(folder.path, "marks.ndjson");
  await until(() => existsSync(marks) && readFileSync(marks, "utf8").trim().split("\n").length === 2);
  expect(await service.end()).toBe(0);
});

test("a port that is free again is listened on without a restart, after one line", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(2) });
  const other = await listening();
  const config = {
    nodes: { fra1: { endpoint: emulator.endpoint } },
    watch: [{ arena: "edge", types: ["shost" as const] }],
    listen: `127.0.0.1:${other.port}`,
  };
  const clock = new TestClock();
  const { forwarder, told } = await openForwarder(config, folder.path, { world: clock, onRecord() {} });
  const live = await LiveConfig.ofObject(config, {}, folder.path);
  const service = await Service.start(live, { log: told, world: clock, open: async () => forwarder });
  onTestFinished(async () => void (await service.stop()));
  clock.advance(60_000);
  await until(() => told.lines.some((line) => line.includes("cannot be used")));
  // A reload that leaves the address alone is no failure of it.
  service.reload(async () => LiveConfig.ofObject({ ...config, everyMs: 4_000 }, {}, folder.path));
  await until(() => told.lines.includes("info The configuration was read again."));
  await new Promise((done) => other.close(done));
  await until(() => told.lines.some((line) => line.startsWith("info Answers on")), clock);
  expect(told.lines.filter((line) => line.includes("cannot be used"))).toHaveLength(1);
  expect((await fetch(`http://${config.listen}/healthz`)).status).toBe(200);
  expect((await (await asking(forwarder))("/healthz"))[0]).toBe(200);
});
