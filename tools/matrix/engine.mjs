// @ts-check
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { execute, installed, withNode } from "./layouts.mjs";
import { writeProgram } from "./programs.mjs";

/**
 * `pulumi up` of a program with the real engine against the emulator of the same installation, run by the same Node:
 * what the node holds afterwards is the answer.
 *
 * @param {{ layout: import("./layouts.mjs").Layout, program: string, nodeBin: string, cliBin: string }} cell
 * @returns {Promise<string>} `yes`, or why not
 */
export async function up({ layout, program, nodeBin, cliBin }) {
  const home = mkdtempSync(join(tmpdir(), "packetfilter-matrix-stack-"));
  mkdirSync(join(home, "backend"));
  const env = withNode(nodeBin, {
    PATH: `${cliBin}:${process.env.PATH}`,
    HOME: home,
    PULUMI_HOME: join(home, "pulumi"),
    PULUMI_BACKEND_URL: `file://${join(home, "backend")}`,
    PULUMI_CONFIG_PASSPHRASE: "matrix",
    PULUMI_SKIP_UPDATE_CHECK: "1",
  });
  writeFileSync(join(home, "state.json"), JSON.stringify({ arenas: { edge: { sets: { blocked: {} } } } }));
  const emulator = await startEmulator(layout, join(home, "state.json"), env);
  try {
    const cwd = writeProgram(layout.folder, program);
    const stack = { cwd, env: { ...env, PACKETFILTER_ENDPOINT: emulator.endpoint } };
    await execute("pulumi", ["stack", "init", "matrix", "--non-interactive"], stack);
    await execute("pulumi", ["up", "--yes", "--skip-preview", "--non-interactive"], stack);
    await execute("pulumi", ["preview", "--refresh", "--expect-no-changes", "--non-interactive"], stack);
    const held = await list(emulator.endpoint);
    return held === '{"data":[{"p":"192.0.2.0/24","v":1}]}' ? "yes" : `the node holds ${held}`;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  } finally {
    await emulator.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * The command of the package, as a process.
 *
 * @param {import("./layouts.mjs").Layout} layout
 * @param {string} state
 * @param {NodeJS.ProcessEnv} env
 */
async function startEmulator(layout, state, env) {
  const command = join(installed(layout), "dist", "provider", "cli.js");
  const args = [command, "emulator", "--port", "0", "--control-port", "0", "--state", state];
  const child = spawn("node", args, { cwd: layout.folder, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([lines[Symbol.asyncIterator]().next(), ended.then(() => ({ value: undefined }))]);
  lines.removeAllListeners();
  child.stdout.resume();
  const endpoint = /http:\/\/[\d.]+:\d+/.exec(String(first.value))?.[0];
  if (!endpoint) throw new Error(`the emulator did not start: ${first.value}`);
  return {
    endpoint,
    async close() {
      child.kill();
      await ended;
    },
  };
}

async function list(/** @type {string} */ endpoint) {
  const body = JSON.stringify({ url: "prefixset://edge/blocked", cmd: "list" });
  const headers = { "Content-Type": "application/json" };
  return (await fetch(`${endpoint}/fapi`, { method: "POST", headers, body })).text();
}
