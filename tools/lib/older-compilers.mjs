// @ts-check
import { readFileSync, writeFileSync } from "node:fs";

/**
 * Gives the types among the names that a declaration imports or exports a statement of their own: compilers below 4.5 cannot
 * read `type` before a single name, and Pulumi compiles a program by its own 3.8 where TypeScript is not installed. Typed arrays lose
 * the type of their memory, which compilers below 5.7 do not know.
 *
 * @param {readonly string[]} files All files of the build.
 */
export function writeForOlderCompilers(files) {
  for (const file of files.filter((file) => file.endsWith(".d.ts"))) {
    const text = readFileSync(file, "utf8");
    const plain = text.replace(/\b((?:Big)?(?:Uint|Int|Float)\d+Array)<ArrayBuffer(?:Like)?>/g, "$1");
    const older = plain.replace(/^(import|export) \{([^}]*\btype \w[^}]*)\}([^;]*);/gm, (_, word, names, from) => {
      const all = names
        .split(",")
        .map((/** @type {string} */ name) => name.trim())
        .filter(Boolean);
      const types = all.filter((/** @type {string} */ name) => name.startsWith("type "));
      const values = all.filter((/** @type {string} */ name) => !types.includes(name));
      const typed = types.map((/** @type {string} */ name) => name.replace("type ", ""));
      const rest = values.length > 0 ? `${word} { ${values.join(", ")} }${from}; ` : "";
      return `${rest}${word} type { ${typed.join(", ")} }${from};`;
    });
    if (older !== text) writeFileSync(file, older);
  }
}
