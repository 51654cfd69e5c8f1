import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions as TlsServerOptions } from "node:https";
import { isIP, type Socket } from "node:net";
import { HTTP, MAX_CONNECTIONS } from "../defaults";
import { reset } from "./reply";

/** Host, port and TLS of a server. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Serves https with these. */
  readonly tls?: Pick<TlsServerOptions, "cert" | "key" | "ca" | "requestCert" | "rejectUnauthorized">;
}

/** A server on a port, which can suspend and resume on the same port. */
export class HttpServer {
  private closed = false;
  private readonly sockets = new Set<Socket>();
  /** Requests that arrived before {@link serve}. */
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

  /** Takes a port. Requests wait until {@link serve}. */
  static async listen(options: ListenOptions): Promise<HttpServer> {
    const server = options.tls ? createTlsServer({ ...HTTP, ...options.tls }) : createServer(HTTP);
    server.maxConnections = MAX_CONNECTIONS;
    // A malformed request gets an error, and its connection ends.
    server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
      if (error.code === "ECONNRESET" || !socket.writable) return socket.destroy();
      const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
      return socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
    });
    await bind(server, options.port, options.host);
    const address = server.address();
    return new HttpServer(server, options, typeof address === "object" && address ? address.port : options.port);
  }

  /** Answers the waiting and all further requests. */
  serve(listener: RequestListener): void {
    this.server.removeAllListeners("request").on("request", listener);
    for (const exchange of this.early.splice(0)) listener(...exchange);
  }

  /** Calls back at each request from now on with what it is answered by, which closes at its end. */
  watch(begun: (response: ServerResponse) => void): void {
    this.server.on("request", (_, response) => begun(response));
  }

  /** The address of the server; if it listens on all addresses, the one for this machine. */
  get origin(): string {
    const reached = { "0.0.0.0": "127.0.0.1", "::": "::1" }[this.options.host] ?? this.options.host;
    const host = isIP(reached) === 6 ? `[${reached}]` : reached;
    return `${this.options.tls ? "https" : "http"}://${host}:${this.port}`;
  }

  /** Breaks all connections and refuses new ones until {@link resume}. */
  async suspend(): Promise<void> {
    if (this.closed || !this.server.listening) return;
    const stopped = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.sockets) reset(socket);
    this.server.closeAllConnections();
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
}

/** Rejects if the port is not available. */
async function bind(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
}
