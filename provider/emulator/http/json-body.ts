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
