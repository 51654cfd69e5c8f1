/**
 * Positions in JSON text, which `JSON.parse` does not report. They are searched only for messages, and without recursion, so
 * that no nesting is too deep.
 */

const BLANK = /[ \t\n\r]*/y;
const WORD = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The offset at which `text` stops being JSON; its length if it ends too early, `undefined` if it is JSON. */
export function syntaxErrorAt(text: string): number | undefined {
  const open: ("{" | "[")[] = [];
  let at = skipBlank(text, 0);
  // The token that may come next: a value, a member name, or one that follows a value.
  let next: "value" | "first" | "name" | "after" = "value";
  for (; at < text.length; at = skipBlank(text, at)) {
    const char = text.charAt(at);
    if (next === "after") {
      const opener = open.at(-1);
      if (opener === undefined) return at;
      if (char === ",") next = opener === "{" ? "name" : "value";
      else if (char === (opener === "{" ? "}" : "]")) open.pop();
      else return at;
      at++;
    } else if (next === "first" && char === (open.at(-1) === "{" ? "}" : "]")) {
      open.pop();
      next = "after";
      at++;
    } else if (next === "name" || (next === "first" && open.at(-1) === "{")) {
      const end = stringEnd(text, at);
      if (end < 0) return -end - 1;
      const colon = skipBlank(text, end);
      if (text.charAt(colon) !== ":") return colon;
      next = "value";
      at = colon + 1;
    } else if (char === "{" || char === "[") {
      open.push(char);
      next = "first";
      at++;
    } else {
      const end = char === '"' ? stringEnd(text, at) : wordEnd(text, at);
      if (end < 0) return -end - 1;
      next = "after";
      at = end;
    }
  }
  return next === "after" && open.length === 0 ? undefined : text.length;
}

/** The offset of a member's name or of an element in JSON text. */
export function offsetOf(text: string, path: readonly (string | number)[]): number {
  let at = skipBlank(text, 0);
  let found = at;
  for (const step of path) {
    const child = findChild(text, at, step);
    if (!child) return found;
    found = child.start;
    at = child.value;
  }
  return found;
}

/** Line and column, from 1, of an offset. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  let [line, start] = [1, 0];
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}

/** The member or element with a name or number, in the value that begins at `at` of JSON text. */
function findChild(text: string, at: number, step: string | number) {
  const isObject = text.charAt(at) === "{";
  if (!isObject && text.charAt(at) !== "[") return undefined;
  let start = skipBlank(text, at + 1);
  for (let index = 0; text.charAt(start) !== "}" && text.charAt(start) !== "]"; index++) {
    const nameEnd = isObject ? stringEnd(text, start) : start;
    const key = isObject ? unquoted(text.slice(start, nameEnd)) : index;
    const value = isObject ? skipBlank(text, skipBlank(text, nameEnd) + 1) : start;
    if (key === step) return { start, value };
    const end = skipBlank(text, valueEnd(text, value));
    start = text.charAt(end) === "," ? skipBlank(text, end + 1) : end;
  }
  return undefined;
}

function unquoted(name: string): string {
  return name.includes("\\") ? String(JSON.parse(name)) : name.slice(1, -1);
}

function valueEnd(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const char = text.charAt(at);
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    const isSign = "{}[],:".includes(char);
    at = isSign ? at + 1 : char === '"' ? stringEnd(text, at) : wordEnd(text, at);
    if (depth > 0) at = skipBlank(text, at);
  } while (depth > 0 && at < text.length);
  return at;
}

function skipBlank(text: string, at: number): number {
  BLANK.lastIndex = at;
  BLANK.test(text);
  return BLANK.lastIndex;
}

/** The offset after a string; for a malformed string, -1 minus the offset of the mistake. */
function stringEnd(text: string, start: number): number {
  if (text.charAt(start) !== '"') return -start - 1;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code < 32) return -at - 1;
    if (code === 92) {
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) return -at - 1;
      at = ESCAPE.lastIndex - 1;
    }
  }
  return -text.length - 1;
}

function wordEnd(text: string, start: number): number {
  WORD.lastIndex = start;
  return WORD.test(text) ? WORD.lastIndex : -start - 1;
}
