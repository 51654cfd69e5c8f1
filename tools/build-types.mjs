#!/usr/bin/env node
// @ts-check
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const made = join(root, "node_modules", ".cache", "types", "main.cjs");

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
for (const [file, text] of Object.entries(files)) {
  const path = join(root, file);
  // A file that stays as it is needs no new build.
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}
