#!/usr/bin/env node
// @ts-check
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { rolldown } from "rolldown";
import ts from "typescript";

const root = join(import.meta.dirname, "..");
const target = join(root, "dist", "forward");
/** The one library that becomes part of it: as it is published, it is loaded from some 140 files, half of them languages. */
const VENDORED = "zod";
const LICENCE = "license.txt";
/** Another command, or a language of error texts: never asked for here. */
const UNUSED = "\0unused";

/**
 * Makes `dist/forward`: the command line with `forward` alone, and the thread of its state, in few files that load in a
 * fraction of the time. All other libraries stay the packages that they are, and are updated as such.
 */
const bundle = await rolldown({
  input: {
    main: join(root, "provider", "commands", "command-line.ts"),
    thread: join(root, "provider", "forwarder", "ledger", "thread.ts"),
  },
  platform: "node",
  external: (id) => !/^[./\0]/.test(id) && id !== VENDORED,
  onLog: (level, log) => process.stderr.write(`${level}: ${log.message}\n`),
  plugins: [
    {
      name: "forward-alone",
      resolveId(id, importer) {
        if (id === VENDORED) return join(root, "node_modules", VENDORED, "index.js");
        const isCommand = importer?.endsWith("program.ts") && /^\.\/[a-z]+\.js$/.test(id) && id !== "./forward.js";
        return isCommand || id.endsWith("/locales/index.js") ? UNUSED : undefined;
      },
      // As in the other files: Node before 24 cannot read a declaration with `using`, and rolldown leaves it.
      transform: (code, id) => (/\busing \w+ =/.test(code) && id.endsWith(".ts") ? lowered(code) : undefined),
      load: (id) => (id === UNUSED ? "export function register() {}" : undefined),
    },
  ],
});
const { output } = await bundle.write({ dir: target, format: "cjs", minify: true, chunkFileNames: "[name].js" });
await bundle.close();
writeFileSync(
  join(target, LICENCE),
  `${VENDORED}\n\n${readFileSync(join(root, "node_modules", VENDORED, "LICENSE"), "utf8")}`,
);
const made = new Set([LICENCE, ...output.map(({ fileName }) => fileName)]);
for (const name of readdirSync(target)) if (!made.has(name)) rmSync(join(target, name));

/** A module in the language level of all others. */
function lowered(/** @type {string} */ code) {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}
