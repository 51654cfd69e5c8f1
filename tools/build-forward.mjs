#!/usr/bin/env node
// @ts-check
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { rolldown } from "rolldown";
import ts from "typescript";
import { membersOfZod } from "./lib/zod-members.mjs";

const root = join(import.meta.dirname, "..");
const target = join(root, "dist", "forward");
const packages = join(root, "node_modules");
/** Libraries that become part of it: as they are published, a start reads 201 files of them. */
const VENDORED = ["commander", "ipaddr.js", "undici", "yaml", "zod"];
/** Their modules; of undici only those that are named one by one. */
const WITHIN = /^(commander|ipaddr\.js|undici\/lib|yaml)(\/|$)/;
const LICENCES = "license.txt";
/** Modules in place of others, which a start would read in vain: their texts by the ids that they get. */
const INSTEAD = new Map([
  // Another command.
  ["\0unused", "export function register() {}"],
  // Asked for at no connection, and costs as much as the rest of undici.
  ["\0node:http2", "export const constants = {};"],
  ["\0zod", membersOfZod(join(root, "provider"), join(packages, "zod", "index.js"))],
]);

/**
 * Makes `dist/forward`: the command line with `forward` alone, and the thread of its state, in few files that load in a
 * fraction of the time. All other libraries stay the packages that they are; undici does too where a proxy wants the whole of it.
 */
const bundle = await rolldown({
  input: {
    main: join(root, "provider", "commands", "command-line.ts"),
    thread: join(root, "provider", "forwarder", "ledger", "thread.ts"),
  },
  platform: "node",
  external: (id) => !/^[./\0]/.test(id) && !INSTEAD.has(`\0${id}`) && !WITHIN.test(id),
  onLog: (level, log) => process.stderr.write(`${level}: ${log.message}\n`),
  plugins: [
    {
      name: "forward-alone",
      resolveId(id, importer) {
        if (INSTEAD.has(`\0${id}`)) return `\0${id}`;
        const isCommand = importer?.endsWith("program.ts") && /^\.\/[a-z]+\.js$/.test(id) && id !== "./forward.js";
        return isCommand ? "\0unused" : undefined;
      },
      // As in the other files: Node before 24 cannot read a declaration with `using`, and rolldown leaves it.
      transform: (code, id) => (/\busing \w+ =/.test(code) && id.endsWith(".ts") ? lowered(code) : undefined),
      load: (id) => INSTEAD.get(id),
    },
  ],
});
const chunkFileNames = (/** @type {{ name: string }} */ { name }) => `${name.replace(/^_/, "")}.js`;
const { output } = await bundle.write({ dir: target, format: "cjs", minify: true, chunkFileNames });
await bundle.close();
const licences = VENDORED.map((name) => {
  const { version } = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join(packages, name, "LICENSE"), "utf8").trim()}\n`;
});
writeFileSync(join(target, LICENCES), licences.join(`\n${"-".repeat(80)}\n\n`));
const made = new Set([LICENCES, ...output.map(({ fileName }) => fileName)]);
for (const name of readdirSync(target)) if (!made.has(name)) rmSync(join(target, name));

/** A module in the language level of all others. */
function lowered(/** @type {string} */ code) {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}
