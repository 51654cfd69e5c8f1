import { Prefix } from "../../provider/model/prefix";
import { serveHere } from "./raw-server";
import type { ReceiverShape } from "./shapes/receivers";
import { Told } from "./told";

/** A receiver with answers of a test's own. */
export interface ShapedReceiver extends AsyncDisposable {
  readonly url: string;
  /** Active prefixes. */
  readonly active: Set<string>;
  /** Requests: `status`, `start 2`. */
  readonly asked: string[];
}

/** Behaviour of a receiver apart from its answers. */
interface Manners {
  /** Another secret is refused in the contract's words. Default: any is accepted. */
  readonly secret?: string;
  /** Prefixes are kept as they were sent, a single address without its length included. */
  readonly keepsSent?: boolean;
  /** The answer to a request of this number, whatever it asks for. */
  readonly instead?: (request: number) => unknown;
  /** Number of the start after which every connection breaks off. */
  readonly diesAtStart?: number;
}

/** Starts such a receiver on loopback. It carries out all of a request, or refuses all of it. */
export async function startShapedReceiver(shape: ReceiverShape, manners: Manners = {}): Promise<ShapedReceiver> {
  const { secret, keepsSent = false, instead = () => {}, diesAtStart = Number.POSITIVE_INFINITY } = manners;
  let [starts, requests] = [0, 0];
  const { status = (IP_prefix) => ({ IP_prefix }), done = () => "ok", refused = refusal } = shape;
  const active = new Set<string>();
  const asked: string[] = [];
  const answer = (operation: string, body: string, given?: string): unknown => {
    if (secret !== undefined && given !== secret) return refused("secret");
    if (operation !== "start" && operation !== "stop") return status([...active]);
    const prefixes: string[] = JSON.parse(body).IP_prefix.map((text: string) =>
      keepsSent ? text : Prefix.parse(text).toString(),
    );
    if (prefixes.some((prefix) => active.has(prefix) === (operation === "start"))) return refused(operation);
    for (const prefix of prefixes) operation === "start" ? active.add(prefix) : active.delete(prefix);
    if (operation === "start") starts += 1;
    return done(operation, prefixes.length);
  };
  const { url, [Symbol.asyncDispose]: dispose } = await serveHere(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [, , , given, operation = ""] = request.url?.split("/") ?? [];
    asked.push(operation);
    const isDead = () => starts >= diesAtStart && request.socket.destroy();
    if (isDead()) return;
    const told = instead(++requests) ?? answer(operation, Buffer.concat(chunks).toString("utf8"), given);
    if (isDead()) return;
    const { status: code, headers, body } = told instanceof Told ? told : new Told(200, told);
    response.writeHead(code, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  return { url: `${url}/path`, active, asked, [Symbol.asyncDispose]: dispose };
}

function refusal(operation: "start" | "stop" | "secret"): Told {
  if (operation === "secret") return new Told(401, "secret_key invalid");
  return new Told(409, operation === "start" ? "cloud signaling already active" : "cloud signaling is not active");
}
