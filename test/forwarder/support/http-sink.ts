import type { IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import type { ForwardRecord } from "../../../provider/forwarder/record/record";
import { serveHere } from "../../support/raw-server";
import { recordsIn } from "./forward";

/** Answer of the server of a sink. */
type Reply = readonly [status: number, text?: string, headers?: Record<string, string>];

/**
 * A server on loopback that answers what a sink posts as `answer` says, which has the body as text and as bytes, and keeps each body. It
 * ends with its test.
 */
export async function httpSink(
  answer: (request: IncomingMessage, body: string, nth: number, bytes: Buffer) => Reply | Promise<Reply> = () => [204],
) {
  const bodies: string[] = [];
  const server = await serveHere(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const body = bytes.toString();
    bodies.push(body);
    const [status, text = "", headers = {}] = await answer(request, body, bodies.length, bytes);
    response.writeHead(status, headers).end(text);
  });
  onTestFinished(() => server[Symbol.dispose]());
  return { url: `${server.url}/in`, bodies };
}

/** The same with a status that a test sets, and the records that were taken. */
export async function recordSink(status = 204) {
  const sink = { status, taken: [] as ForwardRecord[], asked: 0 };
  const { url } = await httpSink((_, body) => {
    sink.asked++;
    if (sink.status < 300) sink.taken.push(...recordsIn(body));
    return [sink.status];
  });
  return Object.assign(sink, { url });
}
