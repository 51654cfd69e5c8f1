import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on loopback, which ends with its block. */
export async function serveHere(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void close(), [Symbol.asyncDispose]: close };
}

/** The same, which answers every request, once it has come whole, as a test says. */
export const serveRaw = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  serveHere((request, response) => void request.resume().on("end", () => answer(request, response)));
