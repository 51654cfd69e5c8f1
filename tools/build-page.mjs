#!/usr/bin/env node
// @ts-check
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const source = join(root, "provider", "emulator", "page", "client");
const target = join(root, "dist", "page");
/** Libraries that become part of the page's script. */
const VENDORED = ["preact", "uplot"];
const STYLES = ["base", "controls", "layout", "wide", "content", "journal", "forced-colours"].map((name) =>
  join(source, `${name}.css`),
);

/**
 * Makes `dist/page`, the emulator's page: one script with its libraries in it, one style sheet, and the licences of the
 * libraries. Nothing of it is fetched or compiled when it is looked at.
 */
const bundle = await rolldown({
  input: join(source, "main.tsx"),
  platform: "browser",
  transform: { target: "es2022" },
  onLog: (level, log) => process.stderr.write(`${level}: ${log.message}\n`),
});
const { output } = await bundle.generate({ format: "esm", minify: true });
await bundle.close();
const styles = [join(root, "node_modules", "uplot", "dist", "uPlot.min.css"), ...STYLES].map(read);
const licences = VENDORED.map((name) => `${name}\n\n${read(join(root, "node_modules", name, "LICENSE"))}`);

mkdirSync(target, { recursive: true });
write("app.js", `/* Licences of the libraries in it: licenses.txt */\n${output[0].code}`);
write("app.css", styles.join("\n"));
write("licenses.txt", licences.join("\n\n"));
for (const name of ["index.html", "icon.svg"]) write(name, read(join(source, name)));

function read(/** @type {string} */ file) {
  return readFileSync(file, "utf8");
}

/** By rename, so that a running emulator never serves half a file. */
function write(/** @type {string} */ name, /** @type {string} */ text) {
  const file = join(target, name);
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}
