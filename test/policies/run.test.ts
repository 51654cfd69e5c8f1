import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { rules } from "../../policies/index";
import { useFolder } from "../support/folder";
import { SDK_ENVIRONMENT } from "../support/sdk-process";

const RUN = join(__dirname, "../../policies/run");
const ENGINE = ["127.0.0.1:1", "."];

const folder = realpathSync(useFolder());
writeFileSync(join(folder, "packetfilter-policies.yaml"), "emergency: of the change\n");
writeFileSync(join(folder, "target.yaml"), "sets: of the target branch\n");
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

describe("a pack of one's own", () => {
  const pack = (file: string, text: string, mode = 0o644) => writeFileSync(join(folder, "pack", file), text, { mode });
  const start = (args: string[]) =>
    spawnSync(join(folder, "pack/run"), args, { cwd: folder, env: environment, encoding: "utf8" });

  beforeAll(() => {
    mkdirSync(join(folder, "pack"));
    pack("package.json", '{ "version": "1.0.0" }');
    const policies = JSON.stringify(join(__dirname, "../../dist/policies/index.js"));
    pack("run", `#!/usr/bin/env node\nrequire(${policies}).startPack(__dirname, () => require("./pack.js"));\n`, 0o755);
  });

  test("runs in its own folder, with the folder of the program and what its options name", () => {
    pack(
      "pack.js",
      "const { PACKETFILTER_PROGRAM_FOLDER: program, PACKETFILTER_POLICIES: file } = process.env;\n" +
        "console.log(JSON.stringify({ folder: process.cwd(), program, file, args: process.argv.slice(2) }));",
    );
    const { status, stdout, stderr } = start(["--policies", "target.yaml", ...ENGINE]);
    expect([status, stderr, JSON.parse(stdout)]).toEqual([
      0,
      "",
      { folder: join(folder, "pack"), program: folder, file: join(folder, "target.yaml"), args: ENGINE },
    ]);
  });

  test("says what is wrong in the configuration in a sentence, and ends with 1", () => {
    const policies = JSON.stringify(join(__dirname, "../../dist/policies/index.js"));
    pack("pack.js", `require(${policies}).policiesOf();`);
    const { status, stdout, stderr } = start(["--policies", "target.yaml", ...ENGINE]);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${join(folder, "target.yaml")} is not a valid policy configuration:\n  - sets: `);
    expect(stderr).not.toContain("    at ");
  });

  test("that cannot be loaded says why, with the place", () => {
    pack("pack.js", 'throw new Error("no rules today");');
    const { status, stderr } = start(ENGINE);
    expect(status).toBe(1);
    expect(stderr).toMatch(/Error: no rules today\n {4}at .*pack\.js/);
  });
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
