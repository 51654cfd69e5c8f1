/** A name that one object of a JSON text has twice, and where the second one begins. */
interface RepeatedMember {
  readonly name: string;
  readonly offset: number;
}

/**
 * The first name that stands twice in one object of a JSON text. RFC 8259 (4) leaves its meaning to each parser: some take the
 * first value, most the last, some refuse it. `JSON.parse` takes the last without an error.
 *
 * @param value The parsed text, with each name once: only a text with more ends of names than the value has members can
 *   have such a name, and is searched for it.
 */
export function repeatedMember(text: string, value: unknown): RepeatedMember | undefined {
  return endsOfNames(text) === countMembers(value) ? undefined : search(text);
}

/** Counts each member, and the same characters inside strings. */
function endsOfNames(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    let before = at - 1;
    while (BLANKS.has(text.charCodeAt(before))) before -= 1;
    if (text.charCodeAt(before) === QUOTE) count += 1;
  }
  return count;
}

const QUOTE = 34;
const BLANKS = new Set([9, 10, 13, 32]);

/** Number of members of all objects in a value, at any depth. */
function countMembers(value: unknown): number {
  let count = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === "object") left.push(item);
      continue;
    }
    // `Object.values` would allocate an array for each of many thousand items.
    for (const name in next) {
      count += 1;
      const member: unknown = next[name as keyof typeof next];
      if (typeof member === "object") left.push(member);
    }
  }
  return count;
}

function search(text: string): RepeatedMember | undefined {
  const objects: Set<string>[] = [];
  let last = { start: 0, end: 0 };
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "{" || char === "[") objects.push(new Set());
    else if (char === "}" || char === "]") objects.pop();
    else if (char === '"') {
      last = { start: at, end: nextQuote(text, at + 1) };
      at = last.end;
    } else if (char === ":") {
      const name = String(JSON.parse(text.slice(last.start, last.end + 1)));
      const names = objects.at(-1);
      if (names?.has(name)) return { name, offset: last.start };
      names?.add(name);
    }
  }
  return undefined;
}

/** Position of the next quotation mark that begins or ends a text; the length if there is none. */
export function nextQuote(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
