import { serveHere } from "./raw-server";

/** A server that says of each node how it is, and what it was asked. */
export async function startHealth() {
  const ill = new Map<string, number>();
  const silent = new Set<string>();
  const asked: string[] = [];
  const headers: Record<string, string | string[] | undefined>[] = [];
  let onAsked: (node: string, status: number) => void = () => {};
  const { url, [Symbol.asyncDispose]: dispose } = await serveHere((request, response) => {
    const node = (request.url ?? "").slice(1);
    const status = ill.get(node.replace(/\?.*/, "")) ?? 200;
    asked.push(node);
    headers.push(request.headers);
    onAsked(node, status);
    if (!silent.has(node)) response.writeHead(status).end();
  });
  return {
    /** The status that a node is answered with, where it is not 200. */
    ill,
    /** Is called at each question, before its answer. */
    set onAsked(call: (node: string, status: number) => void) {
      onAsked = call;
    },
    /** Nodes of which nothing is answered. */
    silent,
    /** Headers of each request. */
    headers,
    /** As the argument of a check. */
    url: `${url}/{node}`,
    of: (node: string) => `${url}/${node}`,
    /** Each node once, in the order in which it was asked, since the last call. */
    asked: () => [...new Set(asked.splice(0))],
    [Symbol.asyncDispose]: dispose,
  };
}
