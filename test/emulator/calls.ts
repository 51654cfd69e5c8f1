import { connect } from "node:net";

/** Raw calls of the two APIs, with nothing of the client stack. */

/** An answer: status, headers and text, and the text as JSON where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

/** The set that most tests use, and commands for it. */
export const BLOCKED = "prefixset://edge/blocked";
export const list = { url: BLOCKED, cmd: "list" };
export const commit = { url: BLOCKED, cmd: "commit" };
export const insert = (p: string, v = 1) => ({ url: BLOCKED, cmd: "insert", data: [{ p, v }] });

/** The header of a list of marks of the arena `edge`. */
export const EDGE = { "user-arena": "edge" };

/** One command of the node API. */
export async function fapi(emulator: { endpoint: string }, command: unknown, headers: Record<string, string> = {}) {
  return answer(
    await fetch(`${emulator.endpoint}/fapi`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof command === "string" ? command : JSON.stringify(command),
    }),
  );
}

/** One operation of the signaling API of a client. */
export async function signaling(
  base: string,
  client: { clientId: string; secretKey: string } | undefined,
  op: "status" | "start" | "stop",
  prefixes?: readonly string[],
) {
  return answer(
    await fetch(`${base}/${client?.clientId}/${client?.secretKey}/${op}`, {
      method: op === "status" ? "GET" : "POST",
      ...(prefixes && { body: JSON.stringify({ IP_prefix: prefixes }) }),
    }),
  );
}

/** One operation of the control API. */
export async function control(emulator: { control: string }, method: string, path: string, body?: unknown) {
  return answer(
    await fetch(`${emulator.control}${path}`, {
      method,
      ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    }),
  );
}

/** Bytes sent to a port, and those that come back until it closes the connection. */
export function raw(base: string, bytes: Buffer | string): Promise<string> {
  return new Promise((resolve) => {
    let seen = "";
    const socket = connect(Number(new URL(base).port), "127.0.0.1", () => socket.write(bytes));
    socket.setTimeout(5_000, () => socket.destroy());
    socket.setEncoding("latin1").on("data", (text: string) => {
      seen += text;
    });
    socket.on("error", () => {}).on("close", () => resolve(seen));
  });
}

async function answer(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
