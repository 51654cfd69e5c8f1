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

/**
 * A script with a tab for each four blanks at the start of a line, which are a tenth of the compiler's output. Lines within a
 * template's text stay as they are.
 *
 * @param {string} name For errors.
 * @param {string} text CommonJS.
 * @returns {string}
 */
export function withTabs(name, text) {
  if (!/^ {4}/m.test(text)) return text;
  const { program, errors } = parseSync(name, text, { sourceType: "commonjs" });
  if (errors[0]) throw new Error(`${name}: ${errors[0].message}`);
  const texts = templateTexts(program).filter(([start, end]) => text.slice(start, end).includes("\n"));
  return text.replace(/^(?: {4})+/gm, (blanks, /** @type {number} */ at) => {
    const isText = texts.some(([start, end]) => start < at && at < end);
    return isText ? blanks : "\t".repeat(blanks.length / 4);
  });
}

/**
 * @param {unknown} node
 * @returns {[start: number, end: number][]}
 */
function templateTexts(node) {
  if (Array.isArray(node)) return node.flatMap(templateTexts);
  if (typeof node !== "object" || node === null) return [];
  if ("type" in node && node.type === "TemplateElement" && "start" in node && "end" in node)
    return [[Number(node.start), Number(node.end)]];
  return Object.values(node).flatMap(templateTexts);
}
