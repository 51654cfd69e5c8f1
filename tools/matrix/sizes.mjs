// @ts-check
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "./layouts.mjs";

/**
 * Size of an installation by npm: with the SDK, which a Pulumi program has in any case, without it, and without the
 * package.
 *
 * @param {string} folder
 * @param {Record<string, string>} dependencies
 * @param {readonly string[]} flags of npm
 * @returns {Promise<{ packages: number, bytes: number }>}
 */
export async function weigh(folder, dependencies, flags = []) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "program", private: true, dependencies }));
  await execute("npm", ["install", "--loglevel=error", "--ignore-scripts", ...flags], { cwd: folder });
  const modules = join(folder, "node_modules");
  const { packages } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
  return { packages: Object.keys(packages).length, bytes: sizeOf(modules) };
}

/** Bytes of all files below a folder; links are not followed. */
function sizeOf(/** @type {string} */ folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
