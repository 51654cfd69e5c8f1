#!/usr/bin/env node
// @ts-check
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { MUTANTS } from "../test/simulation/mutants/all.mjs";
import { OPEN } from "../test/simulation/mutants/open.mjs";
import { bundled, NODE, root } from "./simulate.mjs";

/**
 * `npm run simulate:mutants [-- NAME…] [--seeds 500]`: plants one fault at a time in the product and plays seeds until one fails that does not fail without
 * the fault. Prints a table; the exit code is 1 if a fault is not found. Those of `open.mjs` are planted by name alone.
 *
 * The seed that a table names is played first; the search goes on to the others if it no longer finds the fault.
 *
 * Stories follow from code and seed alone, so a result holds until the code changes: it is kept in `.tmp`, by a digest of the code.
 */
const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: "string", default: "500" } },
});
const most = Number(values.seeds);
const folder = join(root, ".tmp", "simulation-mutants");
mkdirSync(folder, { recursive: true });

/** @typedef {{ readonly seed: number, readonly promise: string, readonly sentence: string } | null} Found */

const memory = join(folder, "results.json");
/** @type {Record<string, Found>} */
const known = existsSync(memory) ? JSON.parse(readFileSync(memory, "utf8")) : {};

/**
 * The first seed of a range that breaks a promise.
 *
 * @param {{ readonly file: string, readonly digest: string }} code
 * @param {number} from
 * @param {number} to
 * @returns {Promise<Found>}
 */
async function hunt({ file, digest }, from, to) {
  const key = `${digest} ${from}-${to}`;
  const earlier = known[key];
  if (earlier !== undefined) return earlier;
  const output = await new Promise((resolve, reject) =>
    execFile(NODE, [file, String(from), String(to)], { cwd: root }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    ),
  );
  const found = JSON.parse(output);
  // Another process may have written meanwhile.
  Object.assign(known, existsSync(memory) && JSON.parse(readFileSync(memory, "utf8")), { [key]: found });
  writeFileSync(memory, JSON.stringify(known));
  return found;
}

/**
 * The code of the simulation with some texts replaced.
 *
 * @param {string} name
 * @param {ReadonlyMap<string, string>} [texts]
 */
async function codeOf(name, texts) {
  const input = join(root, "test", "simulation", "mutants", "hunt.ts");
  const file = await bundled(input, join(folder, name), texts);
  return { file, digest: createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 32) };
}

/**
 * The text of a module with the fault in it.
 *
 * @param {import("../test/simulation/mutants/mutant.mjs").Mutant} mutant
 * @throws {Error} unless the place is found exactly once
 */
function planted({ name, file, find, replace }) {
  const path = join(root, "provider", file);
  const parts = readFileSync(path, "utf8").split(find);
  if (parts.length !== 2)
    throw new Error(`Mutant ${name}: its text occurs ${parts.length - 1} times in provider/${file}, not once: ${find}`);
  return new Map([[path, parts.join(replace)]]);
}

const all = [...MUTANTS, ...OPEN];
const unknown = names.filter((name) => !all.some((mutant) => mutant.name === name));
if (unknown.length > 0) throw new Error(`No such mutant: ${unknown.join(", ")}.`);
const wanted = names.length === 0 ? MUTANTS : all.filter(({ name }) => names.includes(name));
const chosen = wanted.map((mutant) => ({
  ...mutant,
  texts: planted(mutant),
}));
const whole = await codeOf(`unchanged-${process.pid}`);

/**
 * A seed that fails with a fault and does not fail without it: the one that found it last, which is a matter of a second, or the first one.
 *
 * @param {{ readonly file: string, readonly digest: string }} code
 * @param {number | undefined} hint
 */
async function findingOf(code, hint) {
  const again = hint !== undefined && hint <= most && (await hunt(code, hint, hint));
  if (again && !(await hunt(whole, again.seed, again.seed))) return again;
  for (let from = 1; from <= most; ) {
    const found = await hunt(code, from, most);
    if (!found) return undefined;
    if (!(await hunt(whole, found.seed, found.seed))) return found;
    from = found.seed + 1;
  }
  return undefined;
}

const width = Math.max(...chosen.map(({ name }) => name.length));
let missed = 0;
process.stdout.write(`promise  ${"mutant".padEnd(width)}  seed  broken promise\n`);
for (const { name, promise, seed, texts } of chosen) {
  const found = await findingOf(await codeOf(`planted-${process.pid}`, texts), seed);
  if (!found) missed += 1;
  const result = found ? `${String(found.seed).padStart(4)}  ${found.promise}` : "   -  not found";
  process.stdout.write(`${String(promise).padStart(7)}  ${name.padEnd(width)}  ${result}\n`);
}
for (const name of ["planted", "unchanged"])
  rmSync(join(folder, `${name}-${process.pid}`), { recursive: true, force: true });
process.stdout.write(`${chosen.length} mutants, ${missed} not found\n`);
process.exitCode = missed > 0 ? 1 : 0;
