#!/usr/bin/env node
// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { bootstrap, root } from "./bootstrap.mjs";
import { ensurePulumiCli } from "./pulumi-cli/ensure.mjs";

/**
 * `npm test`, in a fresh clone too: installs, lints, builds, makes sure of a Pulumi CLI, runs the tests and checks types meanwhile.
 * Arguments go to vitest: `npm test -- test/model`. Without any, tests that go through every case or need servers of others are left out:
 * `npm run test:long` and `npm run test:servers` run those, `.ci/run` all. The last line is `N passed, N failed`; every step that fails counts as one failure.
 */
await bootstrap({ build: false });
const args = process.argv.slice(2);
const chosen = args.length > 0 ? args : ["--project=unit", "--project=e2e"];
const filters = args.filter((arg) => !arg.startsWith("--project="));

/** @type {string[]} */
const failures = [];
// All that reads sources finds them there.
await step("types of the schemas (tools/build-types.mjs)", () => script(join(root, "tools", "build-types.mjs")));
await Promise.all([
  step("lint and format (biome check)", () => node("@biomejs/biome/bin/biome", "check", "--error-on-warnings")),
  step("unused files, exports and dependencies (knip)", () => node("knip/bin/knip.js")),
  step("types of the page (tsc)", () => node("typescript/bin/tsc", "-p", "provider/emulator/page/client")),
  step("build (tools/build.mjs)", () => script(join(root, "tools", "build.mjs"))),
  // A run of chosen tests makes the CLI only if an engine test is among them: vitest's set-up of test/e2e sees to that.
  filters.length === 0 && step("Pulumi CLI (tools/pulumi-cli/ensure.mjs)", pulumiCli),
]);
// After the build, since tests and tools import what is built; beside the tests, which leave some of a core idle.
const memory = ["--incremental", "--tsBuildInfoFile", "node_modules/.cache/tsc/check.tsbuildinfo"];
const types = step("types (tsc)", () => node("typescript/bin/tsc", ...memory));
const tests = await vitest();
await types;

failures.push(...tests.failures);
for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
process.stdout.write(`${tests.passed} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 && tests.passed > 0 ? 0 : 1;

/** Runs a step, says how it ended, below all that it printed, and notes when it failed. */
async function step(/** @type {string} */ name, /** @type {() => Promise<{ ok: boolean, said: string }>} */ run) {
  const started = Date.now();
  const { ok, said } = await run();
  const took = ((Date.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${said}${ok ? "ok    " : "FAILED"} ${name}, ${took} s\n`);
  if (!ok) failures.push(name);
}

/** A program of a package, see {@link script}. */
function node(/** @type {string} */ file, /** @type {string[]} */ ...args) {
  return script(join(root, "node_modules", file), ...args);
}

/** Runs a script and keeps what it prints, since others print meanwhile. */
async function script(/** @type {string} */ file, /** @type {string[]} */ ...args) {
  const child = spawn(process.execPath, [file, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  const [status] = await once(child, "close");
  return { ok: status === 0, said };
}

async function pulumiCli() {
  try {
    const { bin } = await ensurePulumiCli();
    process.env.PATH = `${bin}${delimiter}${process.env.PATH}`;
    return { ok: true, said: "" };
  } catch (error) {
    return { ok: false, said: `${/** @type {Error} */ (error).message}\n` };
  }
}

/** @returns {Promise<{ passed: number, failures: string[] }>} */
async function vitest() {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-test-"));
  process.env.PACKETFILTER_TEST_OUTCOME = join(folder, "outcome.json");
  const reporters = ["--reporter=default", `--reporter=${join(root, "tools", "outcome-reporter.mjs")}`];
  const command = [join(root, "node_modules", "vitest", "vitest.mjs"), "run", ...reporters, ...chosen];
  const [status] = await once(spawn(process.execPath, command, { cwd: root, stdio: ["ignore", 1, 2] }), "close");
  try {
    /** @type {{ passed: number, failures: string[] }} */
    const outcome = JSON.parse(readFileSync(process.env.PACKETFILTER_TEST_OUTCOME, "utf8"));
    if (status !== 0 && outcome.failures.length === 0) outcome.failures.push("vitest, without naming a test");
    if (outcome.passed + outcome.failures.length === 0) outcome.failures.push("no test was found");
    return outcome;
  } catch {
    return { passed: 0, failures: ["vitest ended before its report"] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
