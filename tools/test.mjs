#!/usr/bin/env node
// @ts-check
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { bootstrap, root } from "./bootstrap.mjs";
import { build } from "./build.mjs";
import { ensurePulumiCli } from "./pulumi-cli/ensure.mjs";

/**
 * `npm test`, in a fresh clone too: installs, lints, checks types, builds, makes sure of a Pulumi CLI, runs the tests.
 * Arguments go to vitest: `npm test -- test/model`. The last line is `N passed, N failed`; every step that fails counts as one failure.
 */
await bootstrap({ build: false });
const filters = process.argv.slice(2);

/** @type {{ name: string, run(): boolean | Promise<boolean> }[]} */
const steps = [
  {
    name: "lint and format (biome check)",
    run: () => node("@biomejs/biome/bin/biome", "check", "--error-on-warnings"),
  },
  // Before the types, since tests and tools import what is built.
  { name: "types of the page (tsc)", run: () => node("typescript/bin/tsc", "-p", "provider/emulator/page/client") },
  { name: "build (tsc -p tsconfig.build.json)", run: () => build() },
  {
    name: "types (tsc)",
    run: () =>
      node("typescript/bin/tsc", "--incremental", "--tsBuildInfoFile", "node_modules/.cache/tsc/check.tsbuildinfo"),
  },
];
// A run of chosen tests makes the CLI only if an engine test is among them: vitest's set-up of test/e2e sees to that.
if (filters.length === 0) steps.push({ name: "Pulumi CLI (tools/pulumi-cli/ensure.mjs)", run: pulumiCli });

/** @type {string[]} */
const failures = [];
for (const { name, run } of steps) {
  const started = Date.now();
  const ok = await run();
  process.stdout.write(`${ok ? "ok    " : "FAILED"} ${name}, ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
  if (!ok) failures.push(name);
}

const tests = vitest();
failures.push(...tests.failures);
for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
process.stdout.write(`${tests.passed} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 && tests.passed > 0 ? 0 : 1;

/** @returns {boolean} */
function node(/** @type {string} */ script, /** @type {string[]} */ ...args) {
  const { status } = spawnSync(process.execPath, [join(root, "node_modules", script), ...args], {
    cwd: root,
    stdio: ["ignore", 1, 2],
  });
  return status === 0;
}

async function pulumiCli() {
  try {
    const { bin } = await ensurePulumiCli();
    process.env.PATH = `${bin}${delimiter}${process.env.PATH}`;
    return true;
  } catch (error) {
    process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
    return false;
  }
}

/** @returns {{ passed: number, failures: string[] }} */
function vitest() {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-test-"));
  process.env.PACKETFILTER_TEST_OUTCOME = join(folder, "outcome.json");
  const reporters = ["--reporter=default", `--reporter=${join(root, "tools", "outcome-reporter.mjs")}`];
  const ok = node("vitest/vitest.mjs", "run", ...reporters, ...filters);
  try {
    /** @type {{ passed: number, failures: string[] }} */
    const outcome = JSON.parse(readFileSync(process.env.PACKETFILTER_TEST_OUTCOME, "utf8"));
    if (!ok && outcome.failures.length === 0) outcome.failures.push("vitest, without naming a test");
    if (outcome.passed + outcome.failures.length === 0) outcome.failures.push("no test was found");
    return outcome;
  } catch {
    return { passed: 0, failures: ["vitest ended before its report"] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
