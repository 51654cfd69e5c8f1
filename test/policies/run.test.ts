import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rules } from "../../policies/index";
import { SDK_ENVIRONMENT } from "../support/sdk-process";

const RUN = join(__dirname, "../../policies/run");
const ENGINE = ["127.0.0.1:1", "."];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "packetfilter-run-"));
  writeFileSync(join(folder, "packetfilter-policies.yaml"), "emergency: of the change\n");
  writeFileSync(join(folder, "target.yaml"), "sets: of the target branch\n");
});
afterAll(() => rmSync(folder, { recursive: true }));
const environment = { ...process.env, ...SDK_ENVIRONMENT };

test("the file that --policies names counts, whatever stands in the program's folder or in the environment", () => {
  const env = { ...environment, PACKETFILTER_POLICIES: "packetfilter-policies.yaml" };
  const given = spawnSync(RUN, ["--policies", "target.yaml", ...ENGINE], { cwd: folder, env, encoding: "utf8" });
  expect([given.status, given.stdout]).toEqual([1, ""]);
  expect(given.stderr).toContain(`${join(folder, "target.yaml")} is not a valid policy configuration:\n  - sets: `);
  expect(given.stderr).not.toContain("    at ");
});

test("an option without a file is wrong use", () => {
  const wrong = spawnSync(RUN, ["--report", "--policies", "target.yaml"], {
    cwd: folder,
    env: environment,
    encoding: "utf8",
  });
  expect([wrong.status, wrong.stderr]).toEqual([2, "--report needs a file.\n"]);
});

test("a pack that has started says so in the file that --report names", async () => {
  const child = spawn(RUN, ["--report", "found.ndjson", ...ENGINE], { cwd: folder, env: environment });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (text) => resolve(String(text).trim()));
    child.once("exit", (code) => reject(new Error(`The pack ended with ${code}.`)));
  });
  child.removeAllListeners("exit");
  child.kill();
  expect(port).toMatch(/^\d+$/);
  expect(readFileSync(join(folder, "found.ndjson"), "utf8")).toBe(`{"rules":${rules.length}}\n`);
});
