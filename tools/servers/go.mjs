// @ts-check
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

/**
 * Builds a program with the machine's Go, from the module that is pinned in a folder beside this file.
 *
 * @param {{ module: string, main: string, tags?: string }} program the folder, and the package of its `main` @param {string} target
 * @param {NodeJS.ProcessEnv} env @param {(detail: string) => void} tell
 * @returns {Promise<void>}
 */
export function goBuild({ module, main, tags = "" }, target, env, tell) {
  return new Promise((resolve, reject) => {
    const args = [
      "build",
      "-v",
      "-trimpath",
      "-buildvcs=false",
      "-ldflags",
      "-s -w",
      "-tags",
      tags,
      "-o",
      target,
      main,
    ];
    // Without cgo the result needs no C compiler. A workspace or flags of the user must not leak in.
    const goEnv = { ...env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=readonly" };
    const cwd = join(import.meta.dirname, module);
    const child = spawn("go", args, { cwd, env: goEnv, stdio: ["ignore", "ignore", "pipe"] });
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
