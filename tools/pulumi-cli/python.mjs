#!/usr/bin/env node
// @ts-check
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { buildPythonHost } from "./build.mjs";
import { VERSION } from "./ensure.mjs";
import { locked } from "./lock.mjs";

/** The host starts the script, which must be in the same folder. */
const FILES = ["pulumi-language-python-exec", "pulumi-language-python"];

const STAGING = ".python-";

/** @typedef {(folder: string, options: { version: string, env: NodeJS.ProcessEnv, out: import("../lib/progress.mjs").Out }) => Promise<void>} Maker */

/**
 * The folder of Pulumi's Python language host: that of an installed CLI on PATH, else one that was built with Go beside
 * the others, in `~/.pulumi/versions/3.259.0/bin` (`PULUMI_HOME` is honoured), once per machine.
 *
 * @param {{ env?: NodeJS.ProcessEnv, out?: import("../lib/progress.mjs").Out, built?: Maker }} [options]
 * @throws {Error} saying what is missing: the test that needs it fails then, it is not skipped
 */
export async function ensurePythonHost({ env = process.env, out = process.stderr, built = buildPythonHost } = {}) {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = folders.find((folder) => isComplete(folder));
  if (found !== undefined) return resolve(found);
  const bin = join(env.PULUMI_HOME || join(env.HOME || homedir(), ".pulumi"), "versions", VERSION, "bin");
  if (isComplete(bin)) return bin;
  mkdirSync(bin, { recursive: true });
  return locked(join(dirname(bin), "python.lock"), {
    waiting: (owner) => out.write(`Waiting for process ${owner}, which makes Pulumi's Python language host …\n`),
    work: async () => {
      if (isComplete(bin)) return bin;
      removeStagings(dirname(bin));
      const staging = mkdtempSync(join(dirname(bin), STAGING));
      try {
        await built(staging, { version: VERSION, env, out });
        // The host comes last: where it stands, its script does.
        for (const file of FILES) renameSync(join(staging, file), join(bin, file));
        return bin;
      } catch (error) {
        const reason = /** @type {Error} */ (error).message;
        throw new Error(
          `Pulumi's Python language host is not on PATH and could not be built: ${reason}. Install the Pulumi CLI ${VERSION} or later (https://www.pulumi.com/docs/install/), or Go 1.26 or later (https://go.dev/doc/install).`,
        );
      } finally {
        rmSync(staging, { recursive: true, force: true });
      }
    },
  });
}

/** Removes what interrupted runs left behind. */
function removeStagings(/** @type {string} */ folder) {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(STAGING)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isComplete(/** @type {string} */ folder) {
  return FILES.every((file) => {
    try {
      accessSync(join(folder, file), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    process.stdout.write(`${await ensurePythonHost()}\n`);
  } catch (error) {
    process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
    process.exitCode = 1;
  }
}
