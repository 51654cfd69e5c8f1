import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** Answer of the server of a sink. */
type Reply = readonly [status: number, text?: string, headers?: Record<string, string>];

/** A server on loopback that answers what a sink posts as `answer` says, and keeps each body. */
export async function httpSink(
  answer: (request: IncomingMessage, body: string, nth: number) => Reply | Promise<Reply> = () => [204],
) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    bodies.push(body);
    const [status, text = "", headers = {}] = await answer(request, body, bodies.length);
    response.writeHead(status, headers).end(text);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/in`, bodies, [Symbol.dispose]: () => void server.close() };
}
