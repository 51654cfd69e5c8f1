#!/usr/bin/env node
// @ts-check
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
/** Of this process: two that build at the same time do not meet. */
const made = join(root, "node_modules", ".cache", "types", `${process.pid}.cjs`);

/** Writes the types that are told by schemas into files beside these, which git ignores: before anything is compiled. */
const bundle = await rolldown({
  input: join(root, "tools", "types", "main.ts"),
  platform: "node",
  external: /^[^./]/,
});
await bundle.write({ file: made, format: "cjs" });
await bundle.close();
/** @type {{ files: Record<string, string> }} */
const { files } = createRequire(import.meta.url)(made);
rmSync(made);
for (const [file, text] of Object.entries(files)) {
  const path = join(root, file);
  // A file that stays as it is needs no new build.
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}
