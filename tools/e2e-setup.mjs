// @ts-check
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { root } from "./bootstrap.mjs";
import { buildIfStale } from "./build.mjs";
import { startKeyService } from "./lib/key-service.mjs";
import { ensurePulumiCli } from "./pulumi-cli/ensure.mjs";

/**
 * Runs once before the engine tests: they need the compiled package, a Pulumi CLI on PATH, and a folder for their stacks with an empty one in it,
 * of which each takes a copy.
 * Without a CLI they fail with the reason.
 */
export async function setup() {
  // Output exists in spite of type errors, which are "npm test"'s own step to fail.
  if (!buildIfStale())
    process.stderr.write("The package has errors, see above; the engine tests run with it as it is.\n");
  const { bin } = await ensurePulumiCli();
  const folders = (process.env.PATH ?? "").split(delimiter);
  process.env.PATH = [bin, ...folders.filter((folder) => folder !== bin)].join(delimiter);
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-e2e-"));
  // Beside the stacks, where their programs find them and the engine does not: it looks for plugins in every folder under a program.
  mkdirSync(join(folder, "node_modules"));
  for (const name of ["@pulumi", "typescript", "@types"]) {
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  mkdirSync(join(folder, "empty"));
  const keys = await startKeyService();
  await initialize(join(folder, "empty"), keys.url);
  process.env.PACKETFILTER_E2E_STACKS = folder;
  process.env.PACKETFILTER_E2E_KEYS = keys.url;
  return () => {
    keys.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}

/** `pulumi stack init`, for the project that test/e2e/support/stack.ts makes. */
async function initialize(/** @type {string} */ folder, /** @type {string} */ keys) {
  mkdirSync(join(folder, ".backend"));
  writeFileSync(join(folder, "Pulumi.yaml"), "name: journey\nruntime: nodejs\n");
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    PULUMI_HOME: join(folder, ".home"),
    PULUMI_BACKEND_URL: `file://${join(folder, ".backend")}`,
    PULUMI_SKIP_UPDATE_CHECK: "1",
    VAULT_ADDR: keys,
  };
  const provider = "--secrets-provider=hashivault://journeys";
  await promisify(execFile)("pulumi", ["stack", "init", "test", provider, "--non-interactive", "--cwd", folder], {
    env,
  });
  rmSync(join(folder, ".home"), { recursive: true });
}
