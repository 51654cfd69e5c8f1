import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a set holds: the node's own text of a prefix, and any value. */
export type Held = Map<string, unknown>;

/** How a node answers; everything has a default. */
export interface Shape {
  /** A list, from what the set holds. */
  readonly list?: (held: Held) => unknown;
  /** A success of insert, delete or commit. */
  readonly success?: (cmd: string) => unknown;
  /** A command to a set that the node does not know: status and body. */
  readonly unknown?: readonly [status: number, body: unknown];
  /** False: changes are acknowledged and come to nothing. */
  readonly obeys?: boolean;
  /** True: the first insert makes a set that is not there. */
  readonly makesSets?: boolean;
}

/** A node with answers of a test's own, which holds sets and applies what was staged at a commit. */
export interface ShapedNode extends AsyncDisposable {
  readonly endpoint: string;
  /** What was asked, without the lists' bodies: `insert 2`, `commit`. */
  readonly asked: string[];
  /** Sets by url; a test changes them as somebody else would. */
  readonly sets: Map<string, Held>;
  shape: Shape;
}

interface Command {
  readonly url: string;
  readonly cmd: string;
  readonly data?: readonly { readonly p?: string; readonly a?: string; readonly v?: unknown }[];
}

/** Starts such a node on loopback. */
export async function startShapedNode(
  sets: Record<string, Record<string, unknown>>,
  shape: Shape,
): Promise<ShapedNode> {
  const held = new Map(Object.entries(sets).map(([url, entries]) => [url, new Map(Object.entries(entries))]));
  const staged = new Map<string, Held>();
  const asked: string[] = [];
  const node = { shape };
  const answer = ({ url, cmd, data = [] }: Command): readonly [number, unknown] => {
    const { list, success = () => ({ status: "ok" }), unknown = [404, { error: "no such set" }] } = node.shape;
    const key = url.replace(/\/$/, "");
    asked.push(data.length > 0 ? `${cmd} ${data.length}` : cmd);
    if (!held.has(key) && !(node.shape.makesSets && cmd === "insert")) return unknown;
    const applied = held.get(key) ?? new Map();
    held.set(key, applied);
    if (cmd === "list") return [200, list ? list(applied) : [...applied].map(([p, v]) => ({ p, v }))];
    const next = staged.get(key) ?? new Map(applied);
    for (const { p, a, v } of data) p === undefined ? next.delete(a ?? "") : next.set(p, v);
    staged.set(key, next);
    if (cmd === "commit") {
      if (node.shape.obeys !== false) held.set(key, next);
      staged.delete(key);
    }
    return [200, success(cmd)];
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [status, body] = answer(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(node, {
    endpoint: `http://127.0.0.1:${port}`,
    asked,
    sets: held,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
