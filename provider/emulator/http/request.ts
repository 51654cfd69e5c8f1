import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * Turns a request target that is a whole address, which every server must accept (RFC 9112, 3.2.2), into path and query; the
 * host in it counts instead of the header Host. Credentials in it are dropped. The scheme is not looked at: something in front
 * may have ended TLS.
 */
export function toOriginForm(request: IncomingMessage): void {
  const [, authority, rest] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? "") ?? [];
  if (authority === undefined || rest === undefined) return;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  request.headers.host = authority.replace(/^.*@/s, "");
}

/** Whether a request has this header Authorization; takes a time that does not tell where the two differ. */
export function isAuthorized({ headers }: IncomingMessage, authorization: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(headers.authorization ?? ""), digest(authorization));
}

/** Reads a body of at most `limit` bytes; a larger one is not read to its end, and one that breaks off is `"aborted"`. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | "too-large" | "aborted"> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve("too-large");
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.pause();
        resolve("too-large");
      } else chunks.push(chunk);
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", () => resolve("aborted"));
    request.on("close", () => resolve("aborted"));
  });
}

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

/**
 * A name that stands twice in one object of a body, which RFC 8259 (4) leaves to each reader: some take the first, most the
 * last, some refuse. `undefined` where there is none.
 *
 * @param value What JSON makes of the body: it has each name once, so that a body with more ends of names than it has members
 *   may repeat one. Only then the body is read for its name.
 */
export function repeatedMember(body: Buffer, value: unknown): string | undefined {
  const source = body.toString("utf8");
  return (source.match(NAME_END) ?? []).length === countMembers(value) ? undefined : nameOfRepeated(source);
}

/** One a member, and one more wherever a string holds the same. */
const NAME_END = /"\s*:/g;

/** Members of all objects in a value, however deep they lie. */
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
    // `Object.values` would make an array for each of many thousand items.
    for (const name in next) {
      count += 1;
      const member: unknown = next[name as keyof typeof next];
      if (typeof member === "object") left.push(member);
    }
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
