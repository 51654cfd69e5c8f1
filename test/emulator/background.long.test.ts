import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { connectEmulator, startEmulator } from "../../provider/emulator";
import { useFolder } from "../support/folder";
import { fapi } from "./calls";

const folder = useFolder();

const CLI = join(__dirname, "../../dist/provider/cli.js");

/** Runs the command to its end. */
async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [CLI, "emulator", ...args]);
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("an emulator in the background serves when the command returns, and until it is stopped", async () => {
  const pidFile = join(folder, "emulator.pid");
  const waiting = run("wait", "--pid-file", pidFile);
  const started = await run("--background", "--pid-file", pidFile, "--json", "--dialect", "strict");
  const { endpoint, control } = JSON.parse(started.out);
  expect(started).toMatchObject({ code: 0, err: expect.stringMatching(/^dialect strict: \{.*\}\n$/) });
  expect((await fapi({ endpoint }, { url: "arena://edge", cmd: "list" })).status).toBe(200);
  expect(await waiting).toEqual({ code: 0, out: `The emulator at ${control} is ready.\n`, err: "" });
  const [pid = "", address] = (await readFile(pidFile, "utf8")).split("\n");
  expect([isAlive(Number(pid)), address]).toEqual([true, control]);
  expect(await run("--background", "--pid-file", pidFile)).toMatchObject({
    code: 2,
    err: expect.stringContaining("is already running"),
  });

  expect(await run("stop", "--pid-file", pidFile)).toEqual({
    code: 0,
    out: `The emulator at ${control} has ended.\n`,
    err: "",
  });
  expect(isAlive(Number(pid))).toBe(false);
  expect(await run("stop", "--pid-file", pidFile)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^No emulator runs/),
  });
  expect(await run("wait", "--at", control, "--timeout", "100ms")).toMatchObject({
    code: 1,
    err: `No emulator is ready within 100ms: ${control}.\n`,
  });
}, 60_000);

test("what keeps an emulator from starting in the background is told, with its exit code", async () => {
  expect(await run("--background", "--port", "80000")).toMatchObject({ code: 2, err: expect.stringContaining("port") });
  expect(await run("--background", "--state", join(folder, "none.yaml"))).toMatchObject({
    code: 2,
    err: expect.stringContaining("none.yaml"),
  });
  const earlier = await startEmulator();
  const { control } = earlier;
  await earlier.close();
  const pidFile = join(folder, "absent", "emulator.pid");
  const failed = await run("--background", "--control-port", new URL(control).port, "--pid-file", pidFile);
  expect(failed).toMatchObject({ out: "", err: expect.stringContaining("folder does not exist") });
  const serves = () =>
    fetch(`${control}/health`).then(
      () => true,
      () => false,
    );
  await expect.poll(serves).toBe(false);
}, 30_000);

test.each(["SIGTERM", "SIGKILL"] as const)(
  "an emulator that npx started ends with npx, by %s",
  async (signal) => {
    const npx = spawn("npx", ["pulumi-packetfilter", "emulator", "--json"], { stdio: ["ignore", "pipe", "ignore"] });
    const [line] = (await once(npx.stdout, "data")) as [Buffer];
    const { control } = JSON.parse(line.toString());
    npx.kill(signal);
    await once(npx, "exit");
    const serves = () =>
      fetch(`${control}/health`).then(
        () => true,
        () => false,
      );
    for (let left = 100; left > 0 && (await serves()); left -= 1) await sleep(50);
    expect(await serves()).toBe(false);
  },
  30_000,
);

test("an emulator tells the address by which it is reached, and a client may know another", async () => {
  await using emulator = await startEmulator({ advertise: "http://192.0.2.10:8080/", dialect: { redirect: "307" } });
  expect(emulator.info()).toMatchObject({
    endpoint: "http://192.0.2.10:8080",
    signalingUrl: "http://192.0.2.10:8080/path",
    testSignalingUrl: "http://192.0.2.10:8080/request",
  });
  await using near = await connectEmulator(emulator.control);
  expect(near.endpoint).toBe("http://192.0.2.10:8080");
  await using mapped = await connectEmulator(emulator.control, {
    endpoint: "http://127.0.0.1:49152",
    testSignalingUrl: "http://127.0.0.1:49153/request/",
  });
  const here = {
    endpoint: "http://127.0.0.1:49152",
    signalingUrl: "http://127.0.0.1:49152/path",
    testSignalingUrl: "http://127.0.0.1:49153/request",
    control: emulator.control,
  };
  expect(await mapped.info()).toMatchObject(here);
  const { endpoint, signalingUrl, testSignalingUrl, control } = mapped;
  expect({ endpoint, signalingUrl, testSignalingUrl, control }).toEqual(here);
  await expect(connectEmulator(emulator.control, { endpoint: "127.0.0.1" })).rejects.toThrow(
    /endpoint: "127.0.0.1" is not an address/,
  );
});

test("a stop from afar is answered, and closes the emulator", async () => {
  const emulator = await startEmulator({ controlToken: "a-token-of-16-letters" });
  expect((await fetch(`${emulator.control}/stop`, { method: "POST" })).status).toBe(401);
  const headers = { authorization: "Bearer a-token-of-16-letters" };
  const answer = await fetch(`${emulator.control}/stop`, { method: "POST", headers });
  expect(await answer.json()).toEqual({ status: "ok" });
  await emulator.closed;
  await expect(fetch(`${emulator.control}/health`)).rejects.toThrow();
  await emulator.close();
});
