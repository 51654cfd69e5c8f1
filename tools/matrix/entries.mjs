// @ts-check
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute, withNode } from "./layouts.mjs";

/** Loads each entry point by `require` and `import`, and measures its weight. */

/**
 * `require` and `import` of every entry point give the same names.
 *
 * @param {import("./layouts.mjs").Layout} layout
 * @param {string} nodeBin
 * @param {readonly string[]} specifiers
 * @returns {Promise<string>} `yes`, or why not
 */
export async function load(layout, nodeBin, specifiers) {
  const script = `import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    for (const name of ${JSON.stringify(specifiers)}) {
      const required = Object.keys(require(name));
      const imported = await import(name);
      const missing = required.filter((one) => !(one in imported));
      if (required.length === 0 || missing.length > 0) throw new Error(name + " lacks " + missing);
    }`;
  const file = join(layout.folder, "load.mjs");
  writeFileSync(file, script);
  try {
    await execute("node", [file], { cwd: layout.folder, env: withNode(nodeBin) });
    return "yes";
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/**
 * Milliseconds of computing that `require` takes in a fresh process, the median of five: what else the machine does
 * counts for little then.
 *
 * @param {import("./layouts.mjs").Layout} layout
 * @param {string} nodeBin
 * @param {string} specifier
 */
export async function requireTime(layout, nodeBin, specifier) {
  const script = `const from = process.cpuUsage(); require(${JSON.stringify(specifier)});
    const { user, system } = process.cpuUsage(from);
    process.stdout.write(String((user + system) / 1000));`;
  const times = [];
  for (let i = 0; i < 5; i++) {
    times.push(Number(await execute("node", ["-e", script], { cwd: layout.folder, env: withNode(nodeBin) })));
  }
  return times.sort((a, b) => a - b)[2] ?? Number.NaN;
}
