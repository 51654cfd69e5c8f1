// @ts-check
import { execFile } from "node:child_process";
import { existsSync, readdirSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { step } from "../lib/progress.mjs";

const INSTALLER = "https://get.pulumi.com/install.sh";
const REACH_MS = 5_000;
const DOWNLOAD_MS = 5 * 60_000;

/**
 * Lets the official npm wrapper `pulumi` download the CLI, after a quick check that it can.
 * The wrapper has no time-out of its own, and many build machines reach nothing but package registries.
 *
 * @param {string} folder where the files go; it exists
 * @param {{ version: string, env: NodeJS.ProcessEnv, out: import("../lib/progress.mjs").Out }} options
 * @throws {Error} a sentence that says what was not there
 */
export async function download(folder, { version, env, out }) {
  const wrapper = resolve(import.meta.dirname, "../../node_modules/pulumi/run.js");
  if (!existsSync(wrapper)) throw new Error('the npm package "pulumi" is not installed (run "npm ci")');
  await fetch(INSTALLER, { method: "HEAD", signal: AbortSignal.timeout(REACH_MS) }).catch((error) => {
    throw new Error(`${new URL(INSTALLER).host} cannot be reached (${error.cause?.code ?? error.message})`);
  });
  const progress = step(`Downloading Pulumi ${version}`, { out });
  try {
    // A separate home keeps a broken download out of the real one.
    const wrapperEnv = { ...env, PULUMI_HOME: folder, PULUMI_VERSION: version };
    await promisify(execFile)(process.execPath, [wrapper, "version"], { env: wrapperEnv, timeout: DOWNLOAD_MS });
    const bin = join(folder, "versions", version, "bin");
    for (const file of readdirSync(bin)) renameSync(join(bin, file), join(folder, file));
    progress.done();
  } catch (error) {
    progress.fail();
    throw error;
  }
}
