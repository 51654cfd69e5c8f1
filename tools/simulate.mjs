#!/usr/bin/env node
// @ts-check
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";

export const root = join(import.meta.dirname, "..");
/** The Node of the package `node`, on which all tests run. */
export const NODE = join(root, "node_modules", "node", "bin", "node");

/**
 * Makes one file of a program and all of its modules, which loads in a fraction of the time; packages stay packages.
 *
 * @param {string} input
 * @param {string} folder below the repository, so that the packages are found
 * @param {ReadonlyMap<string, string>} [texts] texts that replace those of modules, by path
 * @returns {Promise<string>} the file
 */
export async function bundled(input, folder, texts = new Map()) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    input,
    platform: "node",
    external: (id) => !/^[./\0]/.test(id) || id.endsWith(".json"),
    onLog: () => {},
    plugins: [{ name: "texts", load: (id) => texts.get(id) }],
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

/**
 * Copies the product and the simulation, and applies a unified diff to the copy.
 *
 * @param {string} diff the file
 * @returns {string} the folder of the copy
 * @throws {Error} if the diff does not apply
 */
function patched(diff) {
  const folder = join(OWN, "patched");
  for (const part of ["provider", join("test", "simulation")])
    cpSync(join(root, part), join(root, folder, part), { recursive: true });
  execFileSync("git", ["apply", `--directory=${folder}`, resolve(diff)], { cwd: root, stdio: "inherit" });
  return join(root, folder);
}

/** Folder of this process, so that several play at once. */
const OWN = join(".tmp", `simulation-${process.pid}`);

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  // The program checks all options.
  const { patch } = parseArgs({ options: { patch: { type: "string" } }, strict: false }).values;
  try {
    const from = typeof patch === "string" ? patched(patch) : root;
    const file = await bundled(join(from, "test", "simulation", "main.ts"), join(root, OWN, "bundle"));
    process.exitCode = await run(file, process.argv.slice(2));
  } finally {
    rmSync(join(root, OWN), { recursive: true, force: true });
  }
}
