#!/usr/bin/env node
// @ts-check
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { buildIfStale } from "./build.mjs";
import { tar } from "./lib/tar.mjs";

const root = join(import.meta.dirname, "..");
const MAIN = "dist/provider/plugin/main.js";
const LAUNCHERS = ["pulumi-resource-packetfilter", "pulumi-resource-packetfilter.cmd"];
/** The platforms that `pulumi plugin install --server` asks for. All get the same bytes. */
const PLATFORMS = ["linux", "darwin", "windows"].flatMap((os) => ["amd64", "arm64"].map((cpu) => `${os}-${cpu}`));

/**
 * The plugin as one archive, for programs that do not have the npm package: one script with its libraries in it, the schema, the licences,
 * and a launcher for each kind of system. It runs under the node of PATH.
 *
 * @returns {Promise<Buffer>} a compressed tar archive, the same bytes for the same sources and libraries
 */
export async function pluginArchive() {
  const { code, libraries } = await bundled();
  const launchers = LAUNCHERS.map((name) => ({
    name,
    // In the npm package they stand in a folder beside `dist`.
    content: read(join("plugin", name)).replace(/\.\.(?=[\\/]dist)[\\/]/, ""),
    executable: true,
  }));
  const { name, version, license } = JSON.parse(read("package.json"));
  return gzipSync(
    tar([
      ...launchers,
      { name: MAIN, content: code },
      { name: "package.json", content: `${JSON.stringify({ name, version, license, type: "commonjs" })}\n` },
      { name: "schemas/provider.schema.json", content: read("schemas/provider.schema.json") },
      { name: "LICENSE", content: read("LICENSE") },
      { name: "licenses.txt", content: libraries.map(licence).join("\n") },
    ]),
    { level: 9 },
  );
}

/** The script and the folders of the libraries that became part of it. */
async function bundled() {
  const bundle = await rolldown({
    input: join(root, MAIN),
    platform: "node",
    onLog: (level, log) => process.stderr.write(`${level}: ${log.message}\n`),
  });
  const { output } = await bundle.generate({ format: "cjs", minify: true, codeSplitting: false });
  await bundle.close();
  const [script] = output;
  const folders = script.moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  return { code: script.code, libraries: [...new Set(folders)].toSorted() };
}

/** Name, version and licence of a library, with the text of the licence where its package has one. */
function licence(/** @type {string} */ folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)(\.\w+)?$/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [`${name} ${version} (${license})`, ...texts].map((text) => `${text}\n`).join("\n");
}

function read(/** @type {string} */ file) {
  return readFileSync(join(root, file), "utf8");
}

/**
 * Writes the archive under the name of each platform, and a file with their digests in the form of `sha256sum`.
 *
 * @param {string} folder is made where it does not exist
 */
export async function writeArchives(folder) {
  const archive = await pluginArchive();
  const { version } = JSON.parse(read("package.json"));
  const digest = createHash("sha256").update(archive).digest("hex");
  const names = PLATFORMS.map((platform) => `pulumi-resource-packetfilter-v${version}-${platform}.tar.gz`);
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, name), archive);
  const sums = names.map((name) => `${digest}  ${name}\n`).join("");
  writeFileSync(join(folder, `pulumi-resource-packetfilter-v${version}-checksums.txt`), sums);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    process.stderr.write("usage: plugin-archive.mjs FOLDER\n");
    process.exitCode = 2;
  } else if (buildIfStale()) await writeArchives(folder);
  else process.exitCode = 1;
}
