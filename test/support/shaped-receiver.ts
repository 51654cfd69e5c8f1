import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Prefix } from "../../provider/model/prefix";
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

/** Starts such a receiver on loopback. It carries out all of a request, or refuses all of it. */
export async function startShapedReceiver(shape: ReceiverShape): Promise<ShapedReceiver> {
  const { status = (IP_prefix) => ({ IP_prefix }), done = () => "ok", refused = refusal } = shape;
  const active = new Set<string>();
  const asked: string[] = [];
  const answer = (operation: string, body: string): unknown => {
    if (operation !== "start" && operation !== "stop") return status([...active]);
    const prefixes: string[] = JSON.parse(body).IP_prefix.map((text: string) => Prefix.parse(text).toString());
    if (prefixes.some((prefix) => active.has(prefix) === (operation === "start"))) return refused(operation);
    for (const prefix of prefixes) operation === "start" ? active.add(prefix) : active.delete(prefix);
    return done(operation, prefixes.length);
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const operation = request.url?.split("/").pop() ?? "";
    asked.push(operation);
    const told = answer(operation, Buffer.concat(chunks).toString("utf8"));
    const { status: code, headers, body } = told instanceof Told ? told : new Told(200, told);
    response.writeHead(code, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/path`,
    active,
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refusal(operation: "start" | "stop"): Told {
  return new Told(409, operation === "start" ? "cloud signaling already active" : "cloud signaling is not active");
}
