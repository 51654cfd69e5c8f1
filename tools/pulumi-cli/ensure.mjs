#!/usr/bin/env node
// @ts-check
import { execFile } from "node:child_process";
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "./build.mjs";
import { download } from "./download.mjs";
import { locked } from "./lock.mjs";

/** The version that is downloaded or built: that of the npm wrapper in devDependencies and of engine/go.mod. */
export const VERSION = "3.259.0";

/**
 * The oldest CLI that is taken from PATH. The engine tests run with 3.259.0 on every change, so nothing older is known to keep the promises;
 * 3.254 would be the least, since `pulumi import --file` takes states without reading them from there on.
 */
export const LOWEST = VERSION;

/** The files that must be in one folder. */
const FILES = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs", "pulumi"];

/**
 * @typedef {object} Cli
 * @property {string} bin the folder to put first on PATH
 * @property {string} version for example "3.259.0"
 * @property {"path" | "home" | "downloaded" | "built"} source
 *
 * @typedef {(folder: string, options: { version: string, env: NodeJS.ProcessEnv, out: import("../lib/progress.mjs").Out }) => Promise<void>} Maker
 * fills a folder with FILES
 */

/**
 * Finds a Pulumi CLI with its Node language host, or makes one in the folder of the official npm wrapper.
 *
 * @param {{ env?: NodeJS.ProcessEnv, out?: import("../lib/progress.mjs").Out, makers?: { downloaded: Maker, built: Maker } }} [options]
 * @returns {Promise<Cli>}
 * @throws {Error} saying for each way why it was not possible, and what to do
 */
export async function ensurePulumiCli({
  env = process.env,
  out = process.stderr,
  makers = { downloaded: download, built: build },
} = {}) {
  /** @type {string[]} */
  const reasons = [];
  const versions = join(env.PULUMI_HOME || join(env.HOME || homedir(), ".pulumi"), "versions");
  const bin = join(versions, VERSION, "bin");
  const found = (await onPath(env, reasons)) ?? (await inHome(bin, env));
  if (found) return found;
  reasons.push(`${bin}: holds no working CLI`);

  mkdirSync(versions, { recursive: true });
  return locked(join(versions, `${VERSION}.lock`), {
    waiting: (owner) => out.write(`Waiting for process ${owner}, which makes the Pulumi CLI …\n`),
    work: async () => {
      const meanwhile = await inHome(bin, env);
      if (meanwhile) return meanwhile;
      removeStagings(versions);
      for (const source of /** @type {const} */ (["downloaded", "built"])) {
        const staging = mkdtempSync(join(versions, `.${VERSION}-`));
        try {
          await makers[source](staging, { version: VERSION, env, out });
          install(staging, bin);
          return { bin, version: VERSION, source };
        } catch (error) {
          reasons.push(`${source === "built" ? "build" : "download"}: ${/** @type {Error} */ (error).message}`);
        } finally {
          rmSync(staging, { recursive: true, force: true });
        }
      }
      throw new Error(
        [
          "No Pulumi CLI was found, and none could be made:",
          ...reasons.map((reason) => `- ${reason.replaceAll("\n", "\n  ")}`),
          `Do one of these and run the command again: install the Pulumi CLI ${LOWEST} or later (https://www.pulumi.com/docs/install/), or`,
          "install Go 1.26 or later (https://go.dev/doc/install), with which it is then built here.",
        ].join("\n"),
      );
    },
  });
}

/** @returns {Promise<Cli | undefined>} */
async function onPath(/** @type {NodeJS.ProcessEnv} */ env, /** @type {string[]} */ reasons) {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const seen = new Set();
  for (const folder of folders) {
    const pulumi = join(folder, "pulumi");
    // Under npm the wrapper stands on PATH too; asking it for its version would start its download.
    if (!isExecutable(pulumi) || isNpmWrapper(pulumi) || seen.has(realpathSync(pulumi))) continue;
    seen.add(realpathSync(pulumi));
    const version = await versionOf(pulumi, env);
    if (version === undefined) reasons.push(`PATH: ${pulumi} does not answer "pulumi version"`);
    else if (compareVersions(version, LOWEST) < 0) reasons.push(`PATH: ${pulumi} is ${version}, older than ${LOWEST}`);
    else {
      const missing = FILES.find((file) => ![folder, ...folders].some((place) => isExecutable(join(place, file))));
      if (missing === undefined) return { bin: resolve(folder), version, source: "path" };
      reasons.push(`PATH: ${pulumi} is there, but no ${missing}`);
    }
  }
  if (seen.size === 0) reasons.push("PATH: no pulumi there");
  return undefined;
}

/** @returns {Promise<Cli | undefined>} */
async function inHome(/** @type {string} */ bin, /** @type {NodeJS.ProcessEnv} */ env) {
  if (!FILES.every((file) => isExecutable(join(bin, file)))) return undefined;
  const version = await versionOf(join(bin, "pulumi"), env);
  return version === undefined ? undefined : { bin, version, source: "home" };
}

/** Removes what interrupted runs left behind: more than a hundred megabytes each. */
function removeStagings(/** @type {string} */ versions) {
  for (const name of readdirSync(versions)) {
    if (name.startsWith(`.${VERSION}-`)) rmSync(join(versions, name), { recursive: true, force: true });
  }
}

/**
 * Moves the files one by one, so that a half-made folder is completed and a running CLI is not disturbed;
 * `pulumi` comes last, because the npm wrapper looks for it alone.
 */
function install(/** @type {string} */ staging, /** @type {string} */ bin) {
  const missing = FILES.find((file) => !isExecutable(join(staging, file)));
  if (missing !== undefined) throw new Error(`${missing} was not among the files`);
  mkdirSync(bin, { recursive: true });
  const others = readdirSync(staging, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== "pulumi",
  );
  for (const file of [...others.map(({ name }) => name), "pulumi"]) renameSync(join(staging, file), join(bin, file));
}

async function versionOf(/** @type {string} */ pulumi, /** @type {NodeJS.ProcessEnv} */ env) {
  try {
    const options = { env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "1" }, timeout: 20_000 };
    const { stdout } = await promisify(execFile)(pulumi, ["version"], options);
    return /^v?(\d+\.\d+\.\d+)/.exec(stdout.trim())?.[1];
  } catch {
    return undefined;
  }
}

function compareVersions(/** @type {string} */ a, /** @type {string} */ b) {
  const [left, right] = [a, b].map((text) => text.split(".").map(Number));
  for (const index of [0, 1, 2]) {
    const order = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

function isExecutable(/** @type {string} */ file) {
  try {
    accessSync(file, constants.X_OK);
    const stat = statSync(file);
    return stat.isFile() && stat.size > 0;
  } catch {
    return false;
  }
}

function isNpmWrapper(/** @type {string} */ file) {
  return realpathSync(file).includes(`${sep}node_modules${sep}pulumi${sep}`);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const cli = await ensurePulumiCli();
    process.stdout.write(`${cli.bin}\n`);
  } catch (error) {
    process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
    process.exitCode = 1;
  }
}
