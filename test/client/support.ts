import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { NodeClient, type NodeOptions, SignalingClient, type World } from "../../provider/client";
import { NodeMemories } from "../../provider/client/world";
import { ownPort } from "../support/ports";

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = (request: Arrived, response: ServerResponse, count: number) => void | Promise<void>;

/** A server whose answers are a test's own. */
export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  readonly arrived: Arrived[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** A client of a node here, which ends with the server. */
  node(options?: Partial<NodeOptions>, world?: World): NodeClient;
  /** A client of a receiver here, which ends with the server. */
  receiver(world?: World): SignalingClient;
}

/** Starts a server on loopback; `answer` gets each whole request and its number from 1. */
export async function serve(answer: Answer): Promise<TestServer> {
  // No other test's server answers at this address once this one is closed.
  const port = await ownPort();
  const arrived: Arrived[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const whole = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
      void answer(whole, response, arrived.push(whole));
    });
  });
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${port}`;
  const clients: (NodeClient | SignalingClient)[] = [];
  const kept = <T extends NodeClient | SignalingClient>(client: T): T => {
    clients.push(client);
    return client;
  };
  return {
    url,
    host: `127.0.0.1:${port}`,
    arrived,
    node: (options = {}, world = new TestWorld()) => kept(new NodeClient({ endpoint: url, ...options }, world)),
    receiver: (world = new TestWorld()) => kept(new SignalingClient({ url, clientId: "c1", secretKey: "k3y" }, world)),
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      const closed = clients.splice(0).map((client) => client.close());
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await Promise.all(closed);
    },
  };
}

/** One answer after the other; the last one for all further requests. */
export function script(...answers: Answer[]): Answer {
  return (request, response, count) => answers[Math.min(count, answers.length) - 1]?.(request, response, count);
}

/** Sends a status and a body; objects as JSON. */
export function reply(status: number, body: unknown = "", headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, headers);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

/** Breaks the connection with nothing answered. */
export const reset: Answer = (_request, response) => {
  response.socket?.resetAndDestroy();
};

/** Announces more than it sends, and breaks off. */
export const truncated: Answer = (_request, response) => {
  response.writeHead(200, { "content-length": "1000" });
  response.write('{"data":[');
  setImmediate(() => response.socket?.destroy());
};

/** A world in which pauses pass at once, and time-outs only when they are rung. */
export class TestWorld implements World {
  time = Date.parse("2026-12-01T00:00:00Z");
  /** Every pause that was asked for, in milliseconds. */
  readonly pauses: number[] = [];
  /** Pending time-outs. */
  readonly timers = new Set<{ readonly ms: number; readonly run: () => void }>();
  readonly memories = new NodeMemories();

  constructor(private readonly draw: () => number = () => 1) {}

  monotonic = (): number => this.time;
  wall = (): number => this.time;
  random = (): number => this.draw();

  sleep = async (ms: number, _signal?: AbortSignal): Promise<void> => {
    this.pauses.push(ms);
    this.time += ms;
  };

  after = (ms: number, run: () => void): (() => void) => {
    const timer = { run, ms };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  };

  /** Lets the oldest time-out happen. */
  ring(): void {
    const [timer] = this.timers;
    if (!timer) throw new Error("no time-out is pending");
    this.time += timer.ms;
    this.timers.delete(timer);
    timer.run();
  }
}

/** Reason of a rejected promise; fails for any other promise. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error(`should have failed, and gave ${JSON.stringify(value)}`);
}

export const SET = { kind: "prefixset", arena: "edge", set: "blocked" } as const;
