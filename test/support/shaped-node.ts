import { serveHere } from "./raw-server";
import { Told } from "./told";

/** Content of a set: the node's own text of a prefix, and any value. */
export type Held = Map<string, unknown>;

/** Answers of a node; each has a default. A value other than a {@link Told} is the body of a 200. */
export interface Shape {
  /** A list, from what the set holds. */
  readonly list?: (held: Held, url: string) => unknown;
  /** A list of anything but a set. Default: as of a set that is not there. */
  readonly others?: (asked: { readonly url: string; readonly type?: string | undefined }) => unknown;
  /** A success of insert, delete or commit. */
  readonly success?: (cmd: string, count: number) => unknown;
  /** A command to a set that the node does not know: status and body. */
  readonly unknown?: readonly [status: number, body: unknown] | Told;
  /** False: changes are acknowledged and come to nothing. */
  readonly obeys?: boolean;
  /** True: the first insert makes a set that is not there. */
  readonly makesSets?: boolean;
  /** True: a set that a commit left empty is not there any more. */
  readonly dropsEmpty?: boolean;
  /** True for an entry of an insert or delete for which the whole request is refused, given what is there or staged. */
  readonly refuses?: (entry: { readonly p?: string; readonly a?: string }, held: Held) => boolean;
  /** The key under which a set holds what a delete names. Default: the text itself. */
  readonly key?: (spelling: string) => string;
}

/** A node with answers of a test's own, which holds sets and applies what was staged at a commit. */
export interface ShapedNode extends AsyncDisposable {
  readonly endpoint: string;
  /** Requests, without the lists' bodies: `insert 2`, `commit`. */
  readonly asked: string[];
  /** Sets by url; a test changes them as another writer would. */
  readonly sets: Map<string, Held>;
  shape: Shape;
}

interface Command {
  readonly url: string;
  readonly cmd: string;
  readonly type?: string;
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
  const answer = ({ url, cmd, type, data = [] }: Command): unknown => {
    const { list, others, success = () => ({ status: "ok" }), key = String, ...shape } = node.shape;
    const { unknown = [404, { error: "no such set" }] } = shape;
    const at = url.replace(/\/$/, "");
    asked.push(data.length > 0 ? `${cmd} ${data.length}` : cmd);
    if (others && !at.startsWith("prefixset:")) return others({ url: at, type });
    if (!held.has(at) && !(shape.makesSets && cmd === "insert"))
      return unknown instanceof Told ? unknown : new Told(...unknown);
    const applied = held.get(at) ?? new Map();
    held.set(at, applied);
    if (cmd === "list") return list ? list(applied, at) : [...applied].map(([p, v]) => ({ p, v }));
    const next = staged.get(at) ?? new Map(applied);
    if (shape.refuses && data.some((entry) => shape.refuses?.(entry, next))) return new Told(400, { error: "refused" });
    for (const { p, a, v } of data) p === undefined ? next.delete(key(a ?? "")) : next.set(p, v);
    staged.set(at, next);
    if (cmd === "commit") {
      if (shape.obeys !== false) held.set(at, next);
      if (shape.dropsEmpty && next.size === 0) held.delete(at);
      staged.delete(at);
    }
    return success(cmd, data.length);
  };
  const { url, [Symbol.asyncDispose]: dispose } = await serveHere(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const told = answer(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    const { status, headers, body } = told instanceof Told ? told : new Told(200, told);
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  return Object.assign(node, { endpoint: url, asked, sets: held, [Symbol.asyncDispose]: dispose });
}
