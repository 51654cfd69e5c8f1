/** A body is larger than its limit. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";

  constructor(readonly maxBytes: number) {
    super(`the answer is larger than ${maxBytes} bytes`);
  }
}

/**
 * The chunks of a foreign body, up to a limit. Its time is limited by the signal of its request.
 *
 * @throws {BodyTooLarge} as soon as the limit is passed, which ends a stream of Node or a browser with its connection
 */
export async function* limitedBody<T extends Uint8Array>(body: AsyncIterable<T>, maxBytes: number): AsyncGenerator<T> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new BodyTooLarge(maxBytes);
    yield chunk;
  }
}

/** The whole of it. @throws {BodyTooLarge} */
export async function wholeBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of limitedBody(body, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
