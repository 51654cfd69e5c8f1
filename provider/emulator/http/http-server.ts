import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions as TlsServerOptions } from "node:https";
import { isIP, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { ANSWER_BYTES, HTTP, MAX_CONNECTIONS } from "../defaults";
import { paced } from "../marks";
import { encode, type Reply } from "./reply";

/** Where a server listens, and how. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Serves https with these. */
  readonly tls?: Pick<TlsServerOptions, "cert" | "key" | "ca" | "requestCert" | "rejectUnauthorized">;
}

/** A server on a port, which can be gone for a while and come back on the same port. */
export class HttpServer {
  private closed = false;
  private readonly sockets = new Set<Socket>();
  /** Requests that came before there is something to answer them. */
  private readonly early: Parameters<RequestListener>[] = [];

  private constructor(
    private readonly server: Server,
    private readonly options: ListenOptions,
    readonly port: number,
  ) {
    server.on("request", (...exchange) => this.early.push(exchange));
    server.on("connection", (socket: Socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
  }

  /** Takes a port. Requests wait until there is something to {@link serve} them. */
  static async listen(options: ListenOptions): Promise<HttpServer> {
    const server = options.tls ? createTlsServer({ ...HTTP, ...options.tls }) : createServer(HTTP);
    server.maxConnections = MAX_CONNECTIONS;
    // A malformed request is answered as far as it can be, and its connection ends.
    server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
      if (error.code === "ECONNRESET" || !socket.writable) return socket.destroy();
      const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
      return socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
    });
    await bind(server, options.port, options.host);
    const address = server.address();
    return new HttpServer(server, options, typeof address === "object" && address ? address.port : options.port);
  }

  /** Answers the requests that wait, and from now on all. */
  serve(listener: RequestListener): void {
    const answer: RequestListener = (request, response) => {
      toOriginForm(request);
      listener(request, response);
    };
    this.server.removeAllListeners("request").on("request", answer);
    for (const exchange of this.early.splice(0)) answer(...exchange);
  }

  /** The address of the server; of one that listens on all addresses the one by which this machine reaches it. */
  get origin(): string {
    const reached = { "0.0.0.0": "127.0.0.1", "::": "::1" }[this.options.host] ?? this.options.host;
    const host = isIP(reached) === 6 ? `[${reached}]` : reached;
    return `${this.options.tls ? "https" : "http"}://${host}:${this.port}`;
  }

  /** Breaks all connections and refuses new ones until {@link resume}. */
  async suspend(): Promise<void> {
    if (this.closed || !this.server.listening) return;
    const stopped = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.breakConnections();
    await stopped;
  }

  /** Listens again after {@link suspend}. */
  async resume(): Promise<void> {
    if (!this.closed && !this.server.listening) await bind(this.server, this.port, this.options.host);
  }

  async close(): Promise<void> {
    await this.suspend();
    this.closed = true;
  }

  private breakConnections(): void {
    for (const socket of this.sockets) reset(socket);
    this.server.closeAllConnections();
  }
}

/**
 * Turns a request target that is a whole address, which every server must accept (RFC 9112, 3.2.2), into path and query; the
 * host in it counts instead of the header Host. Credentials in it are dropped. The scheme is not looked at: something in front
 * may have ended TLS.
 */
function toOriginForm(request: IncomingMessage): void {
  const [, authority, rest] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? "") ?? [];
  if (authority === undefined || rest === undefined) return;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  request.headers.host = authority.replace(/^.*@/s, "");
}

/** Breaks a connection with a TCP reset; one under TLS, where there is no such way, by closing it. */
export function reset(socket: Socket | null): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else if (socket?.destroyed === false) socket.resetAndDestroy();
}

function bind(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Reads a body of at most `limit` bytes; a larger one is not read to its end, and one that breaks off is `"aborted"`. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | "too-large" | "aborted"> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve("too-large");
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.pause();
        resolve("too-large");
      } else chunks.push(chunk);
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", () => resolve("aborted"));
    request.on("close", () => resolve("aborted"));
  });
}

/** How an answer is sent. */
export interface SendOptions {
  /** Ends the connection after it, for requests that were not read to their end. */
  readonly close?: boolean;
  /** Is told the length of the body before its end is on the way. */
  readonly measured?: (bytes: number) => void;
  /** Is shown each part of the body before it is on the way. */
  readonly passing?: (part: Buffer) => void;
  /** Waits before so many more bytes are sent: for a line that is slower than this machine. */
  readonly pace?: (bytes: number) => Promise<void>;
}

/** Sends an answer. A long body is made and sent in steps, at the pace at which it is taken. */
export async function send(response: ServerResponse, reply: Reply, options: SendOptions = {}): Promise<void> {
  const body = encode(reply.body);
  response.writeHead(reply.status, {
    ...(reply.type && { "content-type": reply.type }),
    ...(body.byteLength !== undefined && { "content-length": body.byteLength }),
    ...(options.close && { connection: "close" }),
    ...reply.headers,
  });
  const { pace } = options;
  let last = Buffer.isBuffer(body) && !pace ? body : Buffer.alloc(0);
  let bytes = last.length;
  options.passing?.(last);
  if (last !== body) {
    const chunks = paced(Buffer.isBuffer(body) ? [body] : body, ANSWER_BYTES.atOnce);
    for await (const chunk of pace ? slowly(chunks, pace) : chunks) {
      if (response.destroyed) return;
      if (last.length > 0 && !response.write(last)) await drained(response);
      last = chunk;
      bytes += chunk.length;
      options.passing?.(chunk);
    }
  }
  options.measured?.(bytes);
  if (options.close) response.end(last, () => response.socket?.destroySoon());
  else response.end(last);
}

async function* slowly(
  chunks: AsyncIterable<Buffer>,
  pace: (bytes: number) => Promise<void>,
): AsyncGenerator<Buffer, void> {
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += ANSWER_BYTES.paced) {
      const part = chunk.subarray(from, from + ANSWER_BYTES.paced);
      await pace(part.length);
      yield part;
    }
  }
}

/** Waits until more can be written, or the reader has left. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

/** Sends an answer and breaks the connection in the middle of its body. */
export function sendTruncated(response: ServerResponse, reply: Reply): void {
  const body = encode(reply.body);
  const whole = Buffer.isBuffer(body) ? body : Buffer.concat([...body]);
  // An answer without a body is announced with one, so that there is something to break off.
  const announced = Math.max(whole.length, 2);
  response.writeHead(reply.status, { ...(reply.type && { "content-type": reply.type }), "content-length": announced });
  response.flushHeaders();
  response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => response.destroy());
}
