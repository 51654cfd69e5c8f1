// @ts-check
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { execute } from "./layouts.mjs";

/** Compiles the types of every entry point, in each way of finding modules. */

/** 5.9 is what the package is developed with; 7 has no `node10` any more. 4.7 cannot read zod's types, nor ours. */
export const COMPILERS = ["5.9.3", "7.0.2"];

/** @type {Record<string, { module: string, moduleResolution: string }>} */
export const RESOLUTIONS = {
  node10: { module: "commonjs", moduleResolution: "node" },
  node16: { module: "node16", moduleResolution: "node16" },
  bundler: { module: "es2022", moduleResolution: "bundler" },
};

/** The compiler of a version, among the tools of the matrix. */
export const compilerName = (/** @type {string} */ version) => `typescript-${version}`;

/**
 * Compiles a program that imports everything, and names that do not exist: an import that resolved to `any` would have
 * those too.
 *
 * @param {{ layout: import("./layouts.mjs").Layout, compiler: string, resolution: string, specifiers: readonly string[], skipLibCheck: boolean }} cell
 * @returns {Promise<string>} `yes`, or why not
 */
export async function compile({ layout, compiler, resolution, specifiers, skipLibCheck }) {
  const project = join(layout.folder, `tsconfig.${resolution}.json`);
  // The names that are there where it runs: another file than that one would lack them.
  const load = createRequire(join(layout.folder, "everything.js"));
  const lines = specifiers.flatMap((name, i) => [
    `import * as m${i} from "${name}"; export type T${i} = keyof typeof m${i};`,
    `export { ${Object.keys(load(name))
      .map((one) => `${one} as ${one}${i}`)
      .join(", ")} } from "${name}";`,
    `// @ts-expect-error\nexport { no${i} } from "${name}";`,
  ]);
  writeFileSync(join(layout.folder, "everything.ts"), lines.join("\n"));
  const compilerOptions = {
    ...RESOLUTIONS[resolution],
    noEmit: true,
    strict: true,
    skipLibCheck,
    target: "es2022",
    lib: ["es2022"],
    types: [],
  };
  writeFileSync(project, JSON.stringify({ compilerOptions, files: ["everything.ts"] }));
  const script = ["tsc", "tsc.js"].map((name) => join(compiler, "bin", name)).find(existsSync) ?? compiler;
  try {
    await execute(process.execPath, [script, "-p", project], { cwd: layout.folder });
    return "yes";
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}
