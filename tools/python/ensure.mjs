#!/usr/bin/env node
// @ts-check
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { step } from "../lib/progress.mjs";
import { locked } from "../pulumi-cli/lock.mjs";

const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");

/** Requirements of the Pulumi SDK for Python. */
const LOWEST = [3, 10];

/** Prints the version, and where packages of a virtual environment in the current folder are. */
const ABOUT = `import json, sys, sysconfig
place = sysconfig.get_path("purelib", "venv" if "venv" in sysconfig.get_scheme_names() else "posix_prefix", {"base": "."})
print(json.dumps({"version": sys.version_info[:3], "packages": place}))`;

/**
 * A virtual environment with the packages of requirements.txt, made once per machine and state of that file.
 *
 * It is made without ensurepip, which Debian keeps in a package of its own, and filled by the pip of the machine's Python
 * from the index that this pip is set up for; a Python without pip brings ensurepip.
 *
 * @param {{ env?: NodeJS.ProcessEnv, out?: import("../lib/progress.mjs").Out }} [options]
 * @returns {Promise<string>} the folder of the environment, whose `bin` goes first on PATH
 * @throws {Error} saying what is missing: the tests that need it fail then, none is skipped
 */
export async function ensurePython({ env = process.env, out = process.stderr } = {}) {
  const { version, packages } = await about(env);
  const wanted = createHash("sha256")
    .update(readFileSync(REQUIREMENTS))
    .update(`${version}`)
    .digest("hex")
    .slice(0, 12);
  const cache = join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache"), "pulumi-packetfilter", "python");
  const folder = join(cache, wanted);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  return locked(`${folder}.lock`, {
    waiting: (owner) => out.write(`Waiting for process ${owner}, which sets up Python …\n`),
    work: async () => {
      if (existsSync(folder)) return folder;
      removeStagings(folder);
      const staging = mkdtempSync(`${folder}-`);
      const progress = step("Installing Pulumi for Python with pip (once per machine, about 15 s)", { out });
      try {
        await run(["-m", "venv", "--without-pip", staging], env);
        const into = ["--target", join(staging, packages), "--requirement", REQUIREMENTS, "--no-deps"];
        const how = ["--ignore-installed", "--only-binary", ":all:", "--no-compile", "--no-input"];
        await run([...(await pip(staging, env)), "install", "--quiet", ...how, ...into], env);
        // Moved into place whole, so that no process ever uses half of it.
        renameSync(staging, folder);
        progress.done();
        return folder;
      } catch (error) {
        progress.fail();
        throw new Error(
          `Python ${version.join(".")} could not be set up, and the tests need it: ${/** @type {Error} */ (error).message}`,
        );
      } finally {
        rmSync(staging, { recursive: true, force: true });
      }
    },
  });
}

/** Arguments and environment with which Python runs pip. @param {string} staging @param {NodeJS.ProcessEnv} env */
async function pip(staging, env) {
  const own = ["-m", "pip"];
  const isThere = await run([...own, "--version"], env).then(
    () => true,
    () => false,
  );
  if (isThere) return own;
  const place = join(staging, "pip");
  await run(["-m", "ensurepip", "--root", place], env).catch(() => {
    throw new Error("this Python has neither pip nor ensurepip: install one of them (Debian: python3-pip)");
  });
  const found = readdirSync(place, { recursive: true, encoding: "utf8" }).find((name) => /-packages\/pip$/.test(name));
  if (found === undefined) throw new Error("ensurepip of this Python made no pip");
  return [join(place, found)];
}

/** Removes what interrupted runs left behind. */
function removeStagings(/** @type {string} */ folder) {
  for (const name of readdirSync(dirname(folder))) {
    if (name.startsWith(`${basename(folder)}-`)) rmSync(join(dirname(folder), name), { recursive: true, force: true });
  }
}

/** @returns {Promise<{ version: [number, number, number], packages: string }>} */
async function about(/** @type {NodeJS.ProcessEnv} */ env) {
  const found = JSON.parse(await run(["-c", ABOUT], env));
  const [major, minor] = found.version;
  if (major !== LOWEST[0] || minor < (LOWEST[1] ?? 0)) {
    throw new Error(`python3 on PATH is ${found.version.join(".")}: the tests need ${LOWEST.join(".")} or later`);
  }
  return found;
}

/** Output of a Python program. @param {string[]} args @param {NodeJS.ProcessEnv} env */
async function run(args, env) {
  try {
    return (await promisify(execFile)("python3", args, { env, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const { code, stderr = "" } = /** @type {NodeJS.ErrnoException & { stderr?: string }} */ (error);
    if (code === "ENOENT") throw new Error("there is no python3 on PATH: install Python 3.10 or later");
    const last = stderr.trim().split("\n").slice(-10).join("\n");
    throw new Error(`"python3 ${args.slice(0, 3).join(" ")}" failed:\n${last}`);
  }
}

if (process.argv[1] === import.meta.filename) process.stdout.write(`${await ensurePython()}\n`);
