import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dependenciesMatch } from "../../tools/bootstrap.mjs";

const root = join(import.meta.dirname, "../..");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "packetfilter-tools-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("installed dependencies", () => {
  const lock = (file: string, packages: object) => {
    mkdirSync(join(folder, "node_modules", "a"), { recursive: true });
    writeFileSync(join(folder, file), JSON.stringify({ packages }));
  };
  const locked = { "": { version: "1.0.0" }, "node_modules/a": { version: "1.2.3" } };

  test("match when each is there in its version", () => {
    lock("package-lock.json", { ...locked, "node_modules/darwin": { version: "1.0.0", optional: true } });
    lock("node_modules/.package-lock.json", { "node_modules/a": { version: "1.2.3" } });
    expect(dependenciesMatch(folder)).toBe(true);
  });

  test("do not match in a fresh clone", () => {
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: locked }));
    expect(dependenciesMatch(folder)).toBe(false);
  });

  test("do not match after the lock file changed", () => {
    lock("package-lock.json", locked);
    lock("node_modules/.package-lock.json", { "node_modules/a": { version: "1.2.2" } });
    expect(dependenciesMatch(folder)).toBe(false);
  });

  test("do not match when a folder was removed by hand", () => {
    lock("package-lock.json", locked);
    lock("node_modules/.package-lock.json", { "node_modules/a": { version: "1.2.3" } });
    rmSync(join(folder, "node_modules", "a"), { recursive: true });
    expect(dependenciesMatch(folder)).toBe(false);
  });
});

/** Runs vitest with the reporter on one test file, and gives what the reporter left. */
async function outcomeOf(source: string, ...args: string[]): Promise<unknown> {
  writeFileSync(join(folder, "a.test.mjs"), source);
  writeFileSync(join(folder, "vitest.config.mjs"), "export default { test: { globals: true, allowOnly: false } };");
  const outcome = join(folder, "outcome.json");
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporter = `--reporter=${join(root, "tools", "outcome-reporter.mjs")}`;
  const env = { ...process.env, PACKETFILTER_TEST_OUTCOME: outcome };
  await promisify(execFile)(process.execPath, [vitest, "run", reporter, ...args], { cwd: folder, env }).catch(() => {});
  return JSON.parse(readFileSync(outcome, "utf8"));
}

describe("the count of tests", () => {
  test("holds skipped and unwritten tests against the run", async () => {
    const source = 'test("a", () => {}); test.skip("b", () => {}); test.todo("c"); test("d", () => { throw 1; });';
    expect(await outcomeOf(source)).toEqual({
      passed: 1,
      failures: ["a.test.mjs: b (skipped)", "a.test.mjs: c (skipped)", "a.test.mjs: d (failed)"],
    });
  });

  test("does not hold against it what -t left out", async () => {
    expect(await outcomeOf('test("a", () => {}); test("b", () => {});', "-t", "a")).toEqual({
      passed: 1,
      failures: [],
    });
  });

  test("holds a file that cannot be loaded, or has no test, against it", async () => {
    expect(await outcomeOf('throw new Error("broken\\nfile");')).toEqual({
      passed: 0,
      failures: ["a.test.mjs: broken"],
    });
    expect(await outcomeOf("export {};")).toMatchObject({
      passed: 0,
      failures: [expect.stringContaining("a.test.mjs")],
    });
  });

  test("holds an error outside of tests against it", async () => {
    const source = 'test("a", () => { Promise.reject(new Error("stray")); });';
    expect(await outcomeOf(source)).toEqual({ passed: 1, failures: ["outside of any test: stray"] });
  });

  test("holds a hook that throws against it once a test is hit by it", async () => {
    const source = 'describe("s", () => { afterAll(() => { throw new Error("late"); }); test("a", () => {}); });';
    expect(await outcomeOf(source)).toEqual({ passed: 1, failures: ["a.test.mjs: late"] });
  });
});
