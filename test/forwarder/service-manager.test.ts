import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { ServiceManager } from "../../provider/forwarder/operating/service-manager";
import { ForwardProcess } from "./support/child";
import { TestClock, until } from "./support/clock";
import { configFile, configOf, stateWith, Told, temporaryFolder } from "./support/forward";

beforeAll(async () => {
  const { ensureSystemd } = await import("../../tools/systemd.mjs");
  ensureSystemd();
}, 300_000);

/** A service manager at a datagram socket, with what it was told. */
async function startReceiver(socket: string) {
  const child = spawn("python3", [join(__dirname, "support/notify-receiver.py"), socket], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let written = "";
  child.stdout.on("data", (chunk) => {
    written += chunk;
  });
  const messages = () =>
    written
      .split("\n")
      .slice(1, -1)
      .map((line): string => JSON.parse(line));
  await until(() => written.includes("\n"));
  return {
    messages,
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

test("systemd is told when the service is ready, reads its configuration again, lives, and stops", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(2) });
  const socket = join(folder.path, "notify");
  await using manager = await startReceiver(socket);
  const config = configOf(emulator, [{ name: "disk", type: "file", path: "marks.ndjson" }]);
  const file = configFile(folder.path, config);
  const line = ["pulumi-packetfilter", "forward", "--config", file];
  const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "400000" };
  const forward = ForwardProcess.command(line, folder.path, env);
  const told = (message: string) => manager.messages().filter((one) => one === message).length;
  await until(() => told("READY=1") === 1 && told("WATCHDOG=1") >= 3);

  forward.child.kill("SIGHUP");
  await until(() => told("READY=1") === 2);
  // One that is not taken ends the reload as well: the last good configuration is at work.
  configFile(folder.path, { nodes: {} });
  forward.child.kill("SIGHUP");
  await until(() => told("READY=1") === 3);
  expect(await forward.end("SIGTERM")).toBe(0);

  const monotonic = /^RELOADING=1\nMONOTONIC_USEC=(\d+)$/;
  const now = Number(process.hrtime.bigint() / 1_000n);
  const course = manager.messages().filter((one) => one !== "WATCHDOG=1");
  expect(course.map((one) => (monotonic.test(one) ? "RELOADING=1" : one))).toEqual([
    "READY=1",
    "RELOADING=1",
    "READY=1",
    "RELOADING=1",
    "READY=1",
    "STOPPING=1",
  ]);
  // The manager compares with its own clock when the reload was asked for.
  const since = course.flatMap(
    (one) =>
      monotonic
        .exec(one)
        ?.slice(1)
        .map((time) => now - Number(time)) ?? [],
  );
  expect(since.map((one) => one > 0 && one < 60_000_000)).toEqual([true, true]);
});

/** A manager whose program is the test's. */
function managerWith(env: Record<string, string>, execute = async (_: readonly string[]): Promise<string> => "") {
  const clock = new TestClock();
  const log = new Told();
  const said: string[] = [];
  const parts = {
    env: { NOTIFY_SOCKET: "/run/notify", ...env },
    clock,
    log,
    execute: (program: string, args: readonly string[]) => {
      said.push([program, ...args].join(" "));
      return execute(args);
    },
  };
  const manager = ServiceManager.of(parts);
  if (!manager) throw new Error("There is no manager.");
  return { manager, clock, log, said, settled: () => new Promise((resolve) => setImmediate(resolve)) };
}

test("the watchdog hears of a service twice in its time, and nothing of one that stands still", async () => {
  const { manager, clock, said, settled } = managerWith({ WATCHDOG_USEC: "10000000", WATCHDOG_PID: `${process.pid}` });
  let isAlive = true;
  manager.watch(() => isAlive);
  clock.advance(20_000);
  await settled();
  expect(said).toEqual(Array(5).fill("systemd-notify WATCHDOG=1"));
  isAlive = false;
  clock.advance(60_000);
  await settled();
  expect(said).toHaveLength(5);
  isAlive = true;
  clock.advance(5_000);
  manager.stopping();
  clock.advance(60_000);
  await settled();
  expect(said.slice(5)).toEqual(["systemd-notify WATCHDOG=1", "systemd-notify STOPPING=1"]);
});

test("without a manager, or with a watchdog for another process, none is told", async () => {
  expect(ServiceManager.of({ env: {}, clock: new TestClock(), log: new Told(), execute: async () => "" })).toBe(
    undefined,
  );
  const others: Record<string, string>[] = [{}, { WATCHDOG_USEC: "10000000", WATCHDOG_PID: "1" }];
  for (const env of others) {
    const { manager, clock, said, settled } = managerWith(env);
    manager.watch(() => true);
    clock.advance(60_000);
    await settled();
    expect(said).toEqual([]);
  }
});

test("a manager that cannot be told is told of once, and tried again", async () => {
  let isThere = false;
  const { manager, log, said, settled } = managerWith({}, async () => {
    if (!isThere) throw new Error("spawn systemd-notify ENOENT");
    return "";
  });
  for (let turn = 0; turn < 3; turn++) manager.ready();
  await settled();
  isThere = true;
  manager.stopping();
  await settled();
  expect(said).toHaveLength(4);
  expect(log.lines).toEqual([
    "warn The service manager does not get the status of the service: spawn systemd-notify ENOENT.",
    "info The service manager gets the status of the service again.",
  ]);
});
