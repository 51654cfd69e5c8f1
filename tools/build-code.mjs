#!/usr/bin/env node
// @ts-check
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { rolldown } from "rolldown";
import ts from "typescript";
import { membersOfZod } from "./lib/zod-members.mjs";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const packages = join(root, "node_modules");

/** Files that something outside starts or loads; `package.json` names the others. */
const STARTED = ["policies/pack", "policies/start-pack", "provider/plugin/main", "provider/forwarder/ledger/thread"];

/** Modules of libraries that become part of the package, by their file: as they are published, a start reads 200 files of them. */
const LIBRARIES = new Map([
  ["commander", "commander"],
  ["ipaddr.js", "ipaddr"],
  ["undici/lib/api/api-request.js", "undici-request"],
  ["undici/lib/dispatcher/agent.js", "undici-agent"],
  ["yaml", "yaml"],
  ["zod", "zod"],
]);
const LICENCES = "license.txt";
/** Begins the name of a library's file until it is known from where it is loaded. */
const PLACE = "libraries:";

/** Modules in place of others in libraries: their texts by the ids that they get. */
const INSTEAD = new Map([
  // Asked for at no connection, and costs as much as the rest of undici.
  ["\0node:http2", "export const constants = {};"],
  [
    "\0zod",
    membersOfZod(
      ["provider", "policies"].map((folder) => join(root, folder)),
      join(packages, "zod", "index.js"),
    ),
  ],
]);
/** Read where a machine cannot use the other form of it, which is part of the package. */
const RARE = "undici/lib/llhttp/llhttp-wasm.js";

/** @type {import("rolldown").InputOptions["onLog"]} */
const onLog = (level, log) => process.stderr.write(`${level}: ${log.message}\n`);

/**
 * Makes the programs of `dist`: everything once, in few files that load in a fraction of the time of one for each source. What a
 * command or a call loads on demand stays in files of its own, and so do libraries. Names of functions stay, for stack traces.
 */
const made = new Map([...(await libraries()), ...(await own())]);
for (const [name, text] of made) {
  const file = join(dist, name);
  mkdirSync(dirname(file), { recursive: true });
  // Programs that run load a file later: what stays as it is is not touched.
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const name = relative(dist, join(entry.parentPath, entry.name)).replaceAll("\\", "/");
  if (entry.isFile() && !/^page\/|\.d\.ts$/.test(name) && !made.has(name)) rmSync(join(dist, name));
}

/** @returns {Promise<[name: string, text: string][]>} */
async function own() {
  const { exports, bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const files = [...Object.values(exports).map((entry) => entry.default), ...Object.values(bin)];
  const published = files.flatMap(
    (/** @type {unknown} */ file) => /^(?:\.\/)?dist\/(.*)\.js$/.exec(String(file))?.[1] ?? [],
  );
  const bundle = await rolldown({
    input: Object.fromEntries([...published, ...STARTED].map((name) => [name, join(root, `${name}.ts`)])),
    platform: "node",
    onLog,
    // The compiler, loaded for `using`, takes most of the time.
    checks: { bundlerTimings: false },
    plugins: [
      {
        name: "own",
        resolveId(id) {
          const library = LIBRARIES.get(id);
          if (library !== undefined) return { id: PLACE + library, external: true };
          return /^[./\0]/.test(id) ? undefined : { id, external: true };
        },
        // Node before 24 cannot read a declaration with `using`, and rolldown leaves it.
        transform: { filter: { id: /\.ts$/, code: /\busing \w+ =/ }, handler: (code) => lowered(code) },
        renderChunk: (code, { fileName }) => withPlainExports(withLibraries(code, fileName)),
      },
    ],
  });
  const { output } = await bundle.generate({
    format: "cjs",
    comments: false,
    chunkFileNames: "parts/[name].js",
    strict: true,
  });
  await bundle.close();
  return textsOf(output);
}

/** @returns {Promise<[name: string, text: string][]>} */
async function libraries() {
  const bundle = await rolldown({
    input: Object.fromEntries([...LIBRARIES].map(([id, name]) => [name, id])),
    platform: "node",
    onLog,
    plugins: [
      {
        name: "libraries",
        resolveId(id) {
          if (id.endsWith("/llhttp-wasm.js")) return { id: RARE, external: true };
          return INSTEAD.has(`\0${id}`) ? `\0${id}` : undefined;
        },
        load: (id) => INSTEAD.get(id),
      },
    ],
  });
  const { output } = await bundle.generate({
    format: "cjs",
    minify: true,
    strict: true,
    entryFileNames: "libraries/[name].js",
    chunkFileNames: "libraries/[name].js",
  });
  await bundle.close();
  const names = [...LIBRARIES.keys()].map((id) => id.split("/")[0] ?? id);
  const licences = [...new Set(names)].map((name) => {
    const { version } = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8"));
    return `${name} ${version}\n\n${readFileSync(join(packages, name, "LICENSE"), "utf8").trim()}\n`;
  });
  return [...textsOf(output), [`libraries/${LICENCES}`, licences.join(`\n${"-".repeat(80)}\n\n`)]];
}

/**
 * @param {import("rolldown").RolldownOutput["output"]} output
 * @returns {[name: string, text: string][]}
 */
function textsOf(output) {
  return output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file.code]] : []));
}

/** A module in the language level of all others. */
function lowered(/** @type {string} */ code) {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}

/** @param {string} code @param {string} fileName */
function withLibraries(code, fileName) {
  const up = "../".repeat(fileName.split("/").length - 1);
  return code.replace(new RegExp(`(["'])${PLACE}([a-z-]+)\\1`, "g"), `"${up}libraries/$2.js"`);
}

/** Values in place of functions that return them: nothing that is exported changes, and files load one way. */
function withPlainExports(/** @type {string} */ code) {
  return code.replace(
    /Object\.defineProperty\(exports, (['"])([\w$]+)\1, \{\s*enumerable: true,\s*get: function \(\) \{\s*return ([\w$]+);\s*\}\s*\}\);/g,
    "exports.$2 = $3;",
  );
}
