// @ts-check
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Removes declarations that no entry point of the package leads to: half of all, which no program can import.
 *
 * @param {readonly string[]} entries Declarations of the entry points.
 * @param {readonly string[]} files All files of the build.
 * @returns {boolean} false when one is missing that is needed now: the compiler writes it again only from nothing.
 */
export function keepReachedTypes(entries, files) {
  const reached = new Set(entries);
  for (const file of reached) {
    if (!existsSync(file)) return false;
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/(?:from|import\(|import)\s*"(\.[^"]*)"/g)) {
      const target = join(dirname(file), path.replace(/\.js$/, ""));
      const isFolder = !existsSync(`${target}.d.ts`) && existsSync(join(target, "index.d.ts"));
      reached.add(isFolder ? join(target, "index.d.ts") : `${target}.d.ts`);
    }
  }
  for (const file of files) if (file.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
  return true;
}
