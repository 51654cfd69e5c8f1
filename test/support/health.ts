import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that says of each node how it is, and what it was asked. */
export async function startHealth() {
  const ill = new Map<string, number>();
  const silent = new Set<string>();
  const asked: string[] = [];
  const headers: Record<string, string | string[] | undefined>[] = [];
  const server = createServer((request, response) => {
    const node = (request.url ?? "").slice(1);
    const status = ill.get(node.replace(/\?.*/, "")) ?? 200;
    asked.push(node);
    headers.push(request.headers);
    server.onAsked?.(node, status);
    if (!silent.has(node)) response.writeHead(status).end();
  }) as Server & { onAsked?: (node: string, status: number) => void };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    /** The status that a node is answered with, where it is not 200. */
    ill,
    /** Is called at each question, before its answer. */
    set onAsked(call: (node: string, status: number) => void) {
      server.onAsked = call;
    },
    /** Nodes of which nothing is answered. */
    silent,
    /** Headers of each request. */
    headers,
    /** As the argument of a check. */
    url: `http://127.0.0.1:${port}/{node}`,
    of: (node: string) => `http://127.0.0.1:${port}/${node}`,
    /** Each node once, in the order in which it was asked, since the last call. */
    asked: () => [...new Set(asked.splice(0))],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
