// @ts-check
import { parseSync } from "rolldown/utils";

/**
 * A script without its comments, and without the lines that held nothing else. A first line that names an interpreter stays.
 *
 * @param {string} name For errors.
 * @param {string} text CommonJS.
 * @returns {string}
 */
export function withoutComments(name, text) {
  // Nearly all that went through this before.
  if (!/\/[/*]/.test(text)) return text;
  const { comments, errors } = parseSync(name, text, { sourceType: "commonjs" });
  if (errors[0]) throw new Error(`${name}: ${errors[0].message}`);
  let bare = text;
  for (const { value, start, end } of comments.reverse()) {
    if (bare.startsWith("#!", start)) continue;
    const lineStart = bare.lastIndexOf("\n", start - 1) + 1;
    const lineEnd = bare.indexOf("\n", end);
    const isBegun = bare.slice(lineStart, start).trim() !== "";
    const goesOn = lineEnd >= 0 && bare.slice(end, lineEnd).trim() !== "";
    if (!isBegun && !goesOn) bare = bare.slice(0, lineStart) + (lineEnd < 0 ? "" : bare.slice(lineEnd + 1));
    // The words beside it stay apart, and a line break within it counts as one.
    else if (goesOn) bare = bare.slice(0, start) + (value.includes("\n") ? "\n" : " ") + bare.slice(end);
    else bare = bare.slice(0, start).trimEnd() + (lineEnd < 0 ? "" : bare.slice(lineEnd));
  }
  return bare;
}
