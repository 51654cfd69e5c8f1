import { setImmediate } from "node:timers/promises";

/**
 * Hands chunks on and lets the event loop turn after every `bytes` of them, so that a long list does not keep
 * other requests waiting.
 *
 * @param bytes Default 1 MiB: a few milliseconds of encoding.
 * @param turn What waiting for other work is. Default: one turn of the event loop.
 * @example
 * ```ts
 * for await (const chunk of paced(marks.list("shost"))) if (!response.write(chunk)) await once(response, "drain");
 * ```
 */
export async function* paced(
  chunks: Iterable<Buffer>,
  bytes = 1024 * 1024,
  turn: () => Promise<unknown> = () => setImmediate(),
): AsyncGenerator<Buffer, void> {
  let sent = 0;
  for (const chunk of chunks) {
    yield chunk;
    sent += chunk.length;
    if (sent < bytes) continue;
    sent = 0;
    await turn();
  }
}
