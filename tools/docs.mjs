// @ts-check
// The site of the documentation: "npm run docs" builds this checkout into .site, "npm run docs -- v0.1.0 v0.2.0" those versions beside it,
// each in a folder of its name. DOCS_BASE is the path at which the site will stand (default: /), DOCS_OUT another folder than .site.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";

const root = resolve(import.meta.dirname, "..");
const base = process.env.DOCS_BASE ?? "/";
const out = resolve(process.env.DOCS_OUT ?? join(root, ".site"));
const versions = process.argv.slice(2);

/**
 * @param {string} file
 * @param {readonly string[]} args
 * @param {Record<string, string>} env
 */
const run = (file, args, env = {}) =>
  execFileSync(file, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });

/** @param {string} folder @param {string} [version] */
function build(folder, version) {
  /** @type {Record<string, string>} */
  const place = version === undefined ? {} : { DOCS_BASE: `${base}${version}/`, DOCS_OUT: join(out, version) };
  const env = { DOCS_OUT: out, DOCS_HOME: base, DOCS_VERSIONS: versions.join(" "), DOCS_ROOT: folder, ...place };
  run(process.execPath, [join(root, "node_modules/vitepress/bin/vitepress.js"), "build", "tools/site"], env);
}

build(root);
// Below this folder, where the pages find the packages of the site.
const past = join(root, ".tmp");
mkdirSync(past, { recursive: true });
for (const version of versions) {
  const folder = mkdtempSync(join(past, "docs-"));
  try {
    run("git", ["archive", "--output", join(folder, "all.tar"), version]);
    run("tar", ["-xf", join(folder, "all.tar"), "-C", folder]);
    build(folder, version);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
