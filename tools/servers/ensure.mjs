#!/usr/bin/env node
// @ts-check
import { spawn } from "node:child_process";
import { accessSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { step } from "../lib/progress.mjs";
import { locked } from "../pulumi-cli/lock.mjs";

/**
 * The servers that the forwarder's tests deliver to, by the folder of their pinned Go module beside this file. The versions are
 * those of the `go.mod` there; a test compares the two.
 *
 * @typedef {"nats" | "victoria-logs"} Name
 * @type {Record<Name, { version: string, package: string, seconds: number }>}
 */
export const SERVERS = {
  nats: { version: "2.15.2", package: "github.com/nats-io/nats-server/v2", seconds: 15 },
  "victoria-logs": {
    version: "1.110.0",
    package: "github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-logs",
    seconds: 40,
  },
};

/**
 * The path of a server's program: built with the machine's Go once per machine and version, found there from then on.
 *
 * @param {Name} name
 * @param {{ env?: NodeJS.ProcessEnv, out?: import("../lib/progress.mjs").Out }} [options]
 * @throws {Error} saying what is missing: the tests that need it fail then, none is skipped
 */
export async function ensureServer(name, { env = process.env, out = process.stderr } = {}) {
  const { version, package: main, seconds } = SERVERS[name];
  const cache = join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache"), "pulumi-packetfilter", "servers");
  const file = join(cache, `${name}-${version}`);
  if (isExecutable(file)) return file;
  mkdirSync(cache, { recursive: true });
  return locked(`${file}.lock`, {
    waiting: (owner) => out.write(`Waiting for process ${owner}, which builds ${name} …\n`),
    work: async () => {
      if (isExecutable(file)) return file;
      const staging = mkdtempSync(`${file}-`);
      const progress = step(`Building ${name} ${version} (once per machine, about ${seconds} s)`, { out });
      try {
        await build(join(import.meta.dirname, name), main, join(staging, name), env, progress.update);
        // Moved into place whole, so that nobody ever starts half a program.
        renameSync(join(staging, name), file);
        progress.done();
        return file;
      } catch (error) {
        progress.fail();
        const reason = /** @type {Error} */ (error).message;
        throw new Error(`${name} ${version} could not be built, and the tests need it: ${reason}`);
      } finally {
        rmSync(staging, { recursive: true, force: true });
      }
    },
  });
}

/**
 * @param {string} module @param {string} main @param {string} target
 * @param {NodeJS.ProcessEnv} env @param {(detail: string) => void} tell
 * @returns {Promise<void>}
 */
function build(module, main, target, env, tell) {
  return new Promise((resolve, reject) => {
    const args = ["build", "-v", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", target, main];
    // Without cgo the result needs no C compiler. A workspace or flags of the user must not leak in.
    const goEnv = { ...env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=readonly" };
    const child = spawn("go", args, { cwd: module, env: goEnv, stdio: ["ignore", "ignore", "pipe"] });
    /** @type {string[]} */
    const last = [];
    let packages = 0;
    createInterface({ input: child.stderr }).on("line", (line) => {
      last.push(line);
      if (last.length > 10) last.shift();
      tell(line.startsWith("go: ") ? line.slice(4) : `${++packages} packages compiled`);
    });
    child.on("error", (error) => {
      const missing = /** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT";
      reject(
        missing ? new Error("there is no go on PATH: install Go 1.26 or later (https://go.dev/doc/install)") : error,
      );
    });
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`"go build" ended with ${signal ?? code}:\n${last.join("\n")}`));
    });
  });
}

function isExecutable(/** @type {string} */ file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === import.meta.filename) {
  for (const name of /** @type {Name[]} */ (Object.keys(SERVERS)))
    process.stdout.write(`${await ensureServer(name)}\n`);
}
