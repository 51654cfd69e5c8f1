import { isUtf8 } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * Turns a request target in absolute form, which every server must accept (RFC 9112, 3.2.2), into path and query; its host
 * replaces the header Host. Credentials in it are dropped. The scheme is ignored, since a proxy may have ended TLS.
 */
export function toOriginForm(request: IncomingMessage): void {
  const [, authority, rest] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? "") ?? [];
  if (authority === undefined || rest === undefined) return;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  request.headers.host = authority.replace(/^.*@/s, "");
}

/** Text of a header: its bytes as UTF-8 or, where they are not, as Latin-1, as Node.js reads them. */
export function headerText(value: string): string {
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : value;
}

/** A text for a header of Node.js, which sends it as UTF-8. */
export function asHeader(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** True if a request has this header Authorization; compares in constant time. */
export function isAuthorized({ headers }: Pick<IncomingMessage, "headers">, authorization: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(headerText(headers.authorization ?? "")), digest(authorization));
}

/** Reads a body of at most `limit` bytes. A larger one is `"too-large"` and not read to its end; one that breaks off is `"aborted"`. */
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

/** A malformed request, answered with 400; `message` is for the author of the client. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}

/** Parses the JSON of a body strictly: UTF-8 without a byte order mark, no extensions of JSON. @throws {BadRequest} */
export function parseJson(body: Buffer): unknown {
  const source = decode(body);
  if (source === "") throw new BadRequest("the body is empty; it must be a JSON object");
  try {
    return JSON.parse(source);
  } catch {
    const quote = /[“”„‟‘’]/u.exec(source)?.[0];
    const hint = quote ? `: it contains a typographic quote (${quote}); JSON strings need straight ones (")` : "";
    throw new BadRequest(`the body is not JSON${hint}`);
  }
}

/** @throws {BadRequest} */
function decode(body: Buffer): string {
  if (!isUtf8(body)) throw new BadRequest("the body is not UTF-8");
  return body.toString("utf8");
}
