#!/usr/bin/env node
// @ts-check
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, utimesSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { writeForOlderCompilers } from "./lib/older-compilers.mjs";
import { keepReachedTypes } from "./lib/reached-types.mjs";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
/** Outside of dist, since all of dist is published. */
const buildInfo = join(root, "node_modules", ".cache", "tsc", "build.tsbuildinfo");
const SOURCES = ["provider", "policies", "tools/types", "tsconfig.json", "tsconfig.build.json", "package-lock.json"];

/**
 * Compiles `dist`. Fast when little changed; `clean` starts from nothing, for a package that is published.
 *
 * @returns {boolean} false when the compiler found errors, which it has then printed
 */
export function build({ clean = false } = {}) {
  // The compiler does not notice when single files of its output are missing, so its memory goes with them.
  if (clean || !existsSync(join(dist, "provider", "index.d.ts"))) rmSync(buildInfo, { force: true });
  if (clean) rmSync(dist, { recursive: true, force: true });
  const types = spawnSync(process.execPath, [join(root, "tools", "build-types.mjs")], { stdio: ["ignore", 2, 2] });
  removeOrphans();
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const incremental = ["--incremental", "--tsBuildInfoFile", buildInfo];
  const args = [compiler, "-p", join(root, "tsconfig.build.json"), ...incremental];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] });
  const entries = Object.values(/** @type {Record<string, { types?: string }>} */ (manifest().exports));
  const declarations = entries.flatMap(({ types }) => (types === undefined ? [] : [join(root, types)]));
  if (status === 0 && !keepReachedTypes(declarations, filesUnder(dist)) && !clean) return build({ clean: true });
  writeForOlderCompilers(filesUnder(dist));
  // The compiler makes declarations alone.
  const programs = ["build-code.mjs", "build-page.mjs"].map((tool) =>
    spawnSync(process.execPath, [join(root, "tools", tool)], { stdio: ["ignore", 2, 2] }),
  );
  for (const file of Object.values(/** @type {Record<string, string>} */ (manifest().bin))) {
    if (existsSync(join(root, file))) chmodSync(join(root, file), 0o755);
  }
  // A build with errors is never up to date, though its output is there.
  const ok = status === 0 && [types, ...programs].every((tool) => tool.status === 0);
  // The compiler does not touch its memory when no declaration changed.
  const built = ok ? new Date() : 0;
  if (existsSync(buildInfo)) utimesSync(buildInfo, built, built);
  return ok;
}

/** Compiles when a source is newer than the last build; false as for {@link build}. */
export function buildIfStale() {
  if (newest(SOURCES.map((path) => join(root, path))) <= modified(buildInfo) && existsSync(dist)) return true;
  process.stderr.write("Compiling …\n");
  return build();
}

function manifest() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
}

/** Declarations whose source was renamed or removed would be packed and imported for ever. */
function removeOrphans() {
  for (const file of filesUnder(dist)) {
    if (!file.endsWith(".d.ts")) continue;
    const source = relative(dist, file).replace(/\.d\.ts$/, ".ts");
    if (!existsSync(join(root, source))) rmSync(file);
  }
}

/** @returns {string[]} */
function filesUnder(/** @type {string} */ folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function newest(/** @type {string[]} */ paths) {
  // Folders count too: removing a file changes only them.
  const all = paths.flatMap((path) =>
    existsSync(path) && statSync(path).isDirectory()
      ? [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, String(name)))]
      : [path],
  );
  return Math.max(...all.map(modified));
}

function modified(/** @type {string} */ path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  if (!build({ clean: process.argv.includes("--clean") })) process.exitCode = 1;
}
