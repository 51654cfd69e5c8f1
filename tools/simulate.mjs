#!/usr/bin/env node
// @ts-check
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
/** The Node of the package `node`, on which all tests run. */
export const NODE = join(root, "node_modules", "node", "bin", "node");

/**
 * Makes one file of a program and all of its modules, which loads in a fraction of the time; packages stay packages.
 *
 * @param {string} input
 * @param {string} folder below the repository, so that the packages are found
 * @returns {Promise<string>} the file
 */
export async function bundled(input, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    input,
    platform: "node",
    external: (id) => !/^[./\0]/.test(id) || id.endsWith(".json"),
    onLog: () => {},
  });
  await bundle.write({
    dir: folder,
    format: "cjs",
    entryFileNames: "simulate.cjs",
    chunkFileNames: "[name].cjs",
    sourcemap: true,
  });
  await bundle.close();
  return join(folder, "simulate.cjs");
}

/**
 * Runs the bundle, with the terminal of this process.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
export function run(file, args) {
  const child = spawn(NODE, [file, ...args], { stdio: "inherit", cwd: root });
  return new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const file = await bundled(join(root, "test", "simulation", "main.ts"), join(root, ".tmp", "simulation"));
  process.exitCode = await run(file, process.argv.slice(2));
}
