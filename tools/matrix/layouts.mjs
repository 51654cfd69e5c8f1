// @ts-check
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";

/**
 * Folders as users have them: the packed tarball and an SDK, installed by each package manager; and the Nodes and
 * package managers themselves, from the registry that this machine uses.
 */

const run = promisify(execFile);

/** Pinned, so that a run can be repeated. */
export const NODES = ["20.18.1", "22.23.3", "24.21.0"];
/** The lowest of the peer range, and the newest. */
export const SDKS = ["3.252.0", "3.276.0"];
export const MANAGERS = { npm: undefined, pnpm: "pnpm@12.21.0", Yarn: "@yarnpkg/cli-dist@4.18.1" };

/** @typedef {{ manager: string, sdk: string, folder: string }} Layout */

/**
 * Runs a command, of which only the end matters.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<string>} its standard output
 * @throws {Error} with its output when it fails
 */
export async function execute(command, args, { cwd, env = process.env }) {
  try {
    const { stdout } = await run(command, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout: string, stderr: string }} */ (error);
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  }
}

/** Installs tools of the matrix itself; nothing of it is seen by what is tried. */
export async function installTools(/** @type {string} */ folder, /** @type {readonly string[]} */ packages) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  await execute("npm", ["install", "--no-save", "--loglevel=error", ...packages], { cwd: folder });
}

/** The folder of a Node's binary, for PATH. */
export async function installNode(/** @type {string} */ folder, /** @type {string} */ version) {
  const name = `node-${process.platform}-${process.arch}`;
  await installTools(folder, [`${name}@${version}`]);
  return join(folder, "node_modules", name, "bin");
}

/** The environment in which `node` is one of {@link NODES}. */
export function withNode(/** @type {string} */ bin, /** @type {NodeJS.ProcessEnv} */ more = {}) {
  return { ...process.env, ...more, PATH: [bin, more.PATH ?? process.env.PATH].join(delimiter) };
}

/**
 * A program's folder with the package and the SDK, by one package manager.
 *
 * @param {{ manager: string, sdk: string, tarball: string, folder: string, tools: string }} wanted
 * @returns {Promise<Layout>}
 */
export async function install({ manager, sdk, tarball, folder, tools }) {
  mkdirSync(folder, { recursive: true });
  const dependencies = { "pulumi-packetfilter": `file:${tarball}`, "@pulumi/pulumi": sdk };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "program", private: true, dependencies }));
  const modules = join(tools, "node_modules");
  if (manager === "npm") await execute("npm", ["install", "--loglevel=error"], { cwd: folder });
  if (manager === "pnpm") {
    const args = [join(modules, "pnpm", "bin", "pnpm.mjs"), "install", "--ignore-workspace", "--ignore-scripts"];
    await execute(process.execPath, args, { cwd: folder });
  }
  if (manager === "Yarn") {
    // A folder of its own, also below another project; and without what Yarn would send home.
    writeFileSync(join(folder, "yarn.lock"), "");
    writeFileSync(
      join(folder, ".yarnrc.yml"),
      "nodeLinker: node-modules\nenableTelemetry: false\nenableScripts: false\n",
    );
    const yarn = join(modules, "@yarnpkg", "cli-dist", "bin", "yarn.js");
    await execute(process.execPath, [yarn, "install"], { cwd: folder, env: { ...process.env, CI: "" } });
  }
  return { manager, sdk, folder };
}

/** The package as it lies in a layout. */
export function installed(/** @type {Layout} */ { folder }) {
  return join(folder, "node_modules", "pulumi-packetfilter");
}
