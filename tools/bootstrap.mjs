// @ts-check
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { buildIfStale } from "./build.mjs";

/** The root of the clone. */
export const root = join(import.meta.dirname, "..");

/**
 * Makes a fresh clone ready: installs the locked dependencies when they are not there, and goes on under the Node of the
 * `node` dependency whatever Node the machine has. Call it first, before anything from node_modules is imported:
 * where it has to change the Node it runs the whole command again there, and ends with its exit code.
 *
 * @param {{ build?: boolean }} [options] `build`: also compile `dist` when sources are newer; true by default
 */
export async function bootstrap({ build = true } = {}) {
  if (!dependenciesMatch()) install();
  useOwnBin();
  if (process.version !== wantedNode()) await runAgain();
  if (build && !buildIfStale()) fail("The package could not be compiled, see above.");
}

/** True when every package of the lock file is installed in its version; optional ones are for other platforms. */
export function dependenciesMatch(folder = root) {
  const locked = packagesOf(join(folder, "package-lock.json"));
  const installed = packagesOf(join(folder, "node_modules", ".package-lock.json"));
  return Object.entries(locked).every(
    ([path, wanted]) =>
      path === "" ||
      wanted.optional === true ||
      (installed[path]?.version === wanted.version && existsSync(join(folder, path))),
  );
}

/** @returns {Record<string, { version?: string, optional?: boolean }>} */
function packagesOf(/** @type {string} */ file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : {};
}

function install() {
  process.stderr.write("Installing dependencies (npm ci) …\n");
  // Some want a newer Node than the machine's; they will run under the one that is installed here.
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  const { status, error } = spawnSync("npm", ["ci", ...quiet], { cwd: root, stdio: ["ignore", 2, 2] });
  if (error) fail(`npm could not be started: ${error.message}`);
  if (status !== 0) fail('"npm ci" failed, see above. A package registry must be reachable.');
}

/** Children find the tools of this clone, the right `node` among them, before those of the machine. */
function useOwnBin() {
  const bin = join(root, "node_modules", ".bin");
  const others = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== bin);
  process.env.PATH = [bin, ...others].join(delimiter);
}

function wantedNode() {
  return `v${JSON.parse(readFileSync(join(root, "node_modules", "node", "package.json"), "utf8")).version}`;
}

/** @returns {Promise<never>} */
function runAgain() {
  const node = join(root, "node_modules", ".bin", "node");
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout?.trim();
  if (version !== wantedNode()) {
    fail(
      `Node ${wantedNode()} was not installed by the npm package "node" (its install script must be allowed to run). ` +
        'Run "npm ci --foreground-scripts" to see why.',
    );
  }
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: "inherit" });
  // The terminal sends Ctrl-C to both; this one waits for the other to clean up.
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(error.message));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  return new Promise(() => {});
}

/** @returns {never} */
function fail(/** @type {string} */ message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
