// @ts-check
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The same program in each form in which a program can be written, each in a folder below an installation. */

const SET = 'new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } });\n';

/** @type {Record<string, { files: Record<string, string>, options?: string }>} */
export const PROGRAMS = {
  JavaScript: { files: { "index.js": `const pf = require("pulumi-packetfilter");\n${SET}` } },
  // Compiled by the SDK's own copies of ts-node and TypeScript 3.8, as in any folder that installs neither.
  "default TypeScript": {
    files: {
      "index.ts": `import * as pf from "pulumi-packetfilter";\nconst set = ${SET}export const held = set.count;\n`,
      "tsconfig.json": '{ "compilerOptions": { "strict": true, "target": "es2018", "module": "commonjs" } }',
    },
  },
  "ES modules": {
    files: { "index.js": `import * as pf from "pulumi-packetfilter";\n${SET}export const held = 1;\n` },
  },
};

/**
 * Writes one of them.
 *
 * @param {string} parent the folder of the installation
 * @param {string} name one of {@link PROGRAMS}
 * @returns {string} its folder
 */
export function writeProgram(parent, name) {
  const program = PROGRAMS[name];
  if (!program) throw new Error(`no program is named ${name}`);
  const folder = join(parent, name.replaceAll(" ", "-"));
  mkdirSync(folder, { recursive: true });
  const type = name === "ES modules" ? "module" : "commonjs";
  const main = name === "default TypeScript" ? "index.ts" : "index.js";
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "program", private: true, type, main }));
  writeFileSync(join(folder, "Pulumi.yaml"), "name: matrix\nruntime: nodejs\n");
  for (const [file, text] of Object.entries(program.files)) writeFileSync(join(folder, file), text);
  return folder;
}
