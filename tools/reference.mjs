#!/usr/bin/env node
// @ts-check
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { bootstrap, root } from "./bootstrap.mjs";
import { execute, installTools } from "./matrix/layouts.mjs";

/**
 * `npm run reference`: docs/api/ from the doc comments, by TypeDoc as Markdown. Dead links and names that are used
 * but not exported fail it. TypeDoc is installed for the run: 60 MB that nothing else needs.
 */
const TOOLS = ["typedoc@0.28.20", "typedoc-plugin-markdown@4.14.1", "typescript@5.9.3"];

await bootstrap();
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entryPoints = Object.values(/** @type {Record<string, { default?: string }>} */ (exports))
  .flatMap((entry) => entry.default ?? [])
  .map((file) => join(root, file.replace("./dist/", "").replace(/\.js$/, ".ts")));
const folder = mkdtempSync(join(tmpdir(), "packetfilter-reference-"));
try {
  await installTools(folder, TOOLS);
  const options = {
    entryPoints,
    tsconfig: join(root, "tsconfig.build.json"),
    basePath: root,
    out: join(root, "docs", "api"),
    plugin: [join(folder, "node_modules", "typedoc-plugin-markdown", "dist", "index.js")],
    outputFileStrategy: "modules",
    readme: "none",
    disableSources: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    validation: { notExported: false, invalidLink: true, notDocumented: false },
    treatValidationWarningsAsErrors: true,
  };
  writeFileSync(join(folder, "typedoc.json"), JSON.stringify(options));
  const typedoc = join(folder, "node_modules", "typedoc", "bin", "typedoc");
  await execute(process.execPath, [typedoc, "--options", join(folder, "typedoc.json")], { cwd: root });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
