// @ts-check
import { readFileSync, writeFileSync } from "node:fs";

/**
 * Takes the word `type` from before the names that declarations import and export. Compilers below 4.5 cannot read it, and
 * Pulumi compiles a program by its own 3.8 where TypeScript is not installed. In a declaration it says nothing.
 *
 * @param {readonly string[]} files All files of the build.
 */
export function writeForOlderCompilers(files) {
  for (const file of files.filter((file) => file.endsWith(".d.ts"))) {
    const text = readFileSync(file, "utf8");
    const older = text.replace(/^(?:im|ex)port \{[^}]*\}/gm, (names) => names.replace(/\btype (?=\w)/g, ""));
    if (older !== text) writeFileSync(file, older);
  }
}
