/** Why a request cannot be read. Becomes a 400; `message` is for the person who wrote the client. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}

/**
 * JSON of a body, read strictly: UTF-8 without a byte order mark, and nothing that JSON does not allow.
 *
 * @throws {BadRequest}
 */
export function parseJson(body: Buffer): unknown {
  const source = decode(body);
  if (source === "") throw new BadRequest("the body is empty; it must be a JSON object");
  try {
    return JSON.parse(source);
  } catch {
    const quote = /[“”„‟‘’]/u.exec(source)?.[0];
    const hint = quote ? `: it contains a typographic quote (${quote}), JSON strings stand in straight ones (")` : "";
    throw new BadRequest(`the body is not JSON${hint}`);
  }
}

/** @throws {BadRequest} */
function decode(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new BadRequest("the body is not UTF-8");
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/**
 * A name that stands twice in one object of a body, which RFC 8259 (4) leaves to each reader: some take the first, most the
 * last, some refuse. `undefined` where there is none.
 *
 * @param value What JSON makes of the body: it has each name once, so that a body with more colons than it has members
 *   repeats one. Only then the body is read for its name.
 */
export function repeatedMember(body: Buffer, value: unknown): string | undefined {
  return countColons(body) === countMembers(value) ? undefined : nameOfRepeated(body.toString("utf8"));
}

/** Colons outside of strings: one a member. */
function countColons(body: Buffer): number {
  let count = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === COLON) count += 1;
    else if (byte === QUOTE) {
      at += 1;
      while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
    }
  }
  return count;
}

/** Members of all objects in a value, however deep they lie. */
function countMembers(value: unknown): number {
  let count = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== "object" || next === null) continue;
    const members = Array.isArray(next) ? next : Object.values(next);
    if (members !== next) count += members.length;
    for (const member of members) if (typeof member === "object") left.push(member);
  }
  return count;
}

/** Strings, and the signs that JSON is built of. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

function nameOfRepeated(source: string): string | undefined {
  const objects: Set<string>[] = [];
  let last = "";
  for (const [token] of source.matchAll(TOKENS)) {
    if (token === "{" || token === "[") objects.push(new Set());
    else if (token === "}" || token === "]") objects.pop();
    else if (token !== ":") last = token;
    else {
      const name: unknown = JSON.parse(last);
      const names = objects.at(-1);
      if (typeof name !== "string" || !names) continue;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return undefined;
}
