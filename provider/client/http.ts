import { once, setMaxListeners } from "node:events";
import type { Agent, Dispatcher } from "undici";
import { BodyTooLarge, limitedBody } from "../model/limited-body";
import type { Clock } from "./clock";
import type { Cookies } from "./cookies";
import type { TlsOptions } from "./options";

export type { Dispatcher };

/** One HTTP request; `path` is sent as it stands. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A whole answer. Header names are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** An answer whose body is still to be read. */
export interface OpenAnswer extends Omit<HttpAnswer, "body"> {
  /** Chunks as they arrive; none is read before it is asked for. Throws when the connection breaks off. */
  readonly body: AsyncIterable<Buffer> & { destroy(): unknown };
}

/** Limits of one open answer. */
export interface OpenLimits {
  /** Ends the request, and the body with it. */
  readonly signal: AbortSignal;
  /** Milliseconds for all of it: connecting, sending, and the last byte of the answer. */
  readonly deadlineMs: number;
  /** Bytes of the body. */
  readonly maxBytes: number;
}

/** A proxy, and the hosts that are reached without it. */
export interface HttpProxy {
  /** With user name and password if the proxy requires them. */
  readonly url: string;
  /** Host names (with their subdomains) and addresses, each with an optional port, separated by commas; `*`: all. Default: none. */
  readonly except?: string;
}

/** No whole answer came. `cause` is unredacted: the caller turns this error into one of the package's own. */
export class HttpFailure extends Error {
  override readonly name = "HttpFailure";

  constructor(
    readonly kind: "connection" | "timeout" | "cancelled" | "too-large",
    /** True once the request was written to a connected socket: from then on it may have had its effect. */
    readonly sent: boolean,
    readonly status?: number,
    cause?: unknown,
  ) {
    super(kind, { cause });
  }
}

/** Loads undici's parts now; otherwise the first streamed request does, and blocks the event loop. */
export function loadTransport(): void {
  loadAgent();
  loadRequest();
}

/**
 * HTTP/1.1 over undici: keep-alive, TLS, a time-out, a size limit, and whether a failed request was sent.
 * The only module that uses undici. Repeats no request and follows no redirect.
 */
export class Http {
  private opened: Promise<Dispatcher> | undefined;
  /** Requests of {@link send} under way. */
  private underWay = 0;

  constructor(
    private readonly options: {
      readonly tls?: TlsOptions;
      readonly timeoutMs: number;
      readonly connections: number;
      /** Longest answer to {@link send}, in bytes; a longer one is refused unread. */
      readonly maxAnswerBytes: number;
      /** Keeps the cookies of answers to {@link send} and sends them again. Default: no cookies are kept. */
      readonly cookies?: Cookies;
      /** Default: none, even if the environment of the process names one. */
      readonly proxy?: HttpProxy;
    },
    private readonly world: Pick<Clock, "after"> & { readonly dispatcher?: Dispatcher },
  ) {}

  /** @throws {HttpFailure} when no whole answer came within `timeoutMs`. */
  async send(
    request: HttpRequest,
    limits: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<HttpAnswer> {
    const dispatcher = await this.dispatcher();
    const { cookies } = this.options;
    this.underWay += 1;
    return new Promise<HttpAnswer>((resolve, reject) => {
      const { signal } = limits;
      let controller: Dispatcher.DispatchController | undefined;
      let settled = false;
      let sent = false;
      let status: number | undefined;
      let headers: Readonly<Record<string, string | string[] | undefined>> = {};
      const chunks: Buffer[] = [];
      let bytes = 0;

      const settle = (): boolean => {
        if (settled) return false;
        settled = true;
        cancelTimer();
        signal?.removeEventListener("abort", onAbort);
        return true;
      };
      const fail = (kind: HttpFailure["kind"], cause?: unknown): void => {
        if (!settle()) return;
        reject(new HttpFailure(kind, sent, status, cause));
        controller?.abort(new Error(kind));
      };
      const onAbort = (): void => fail("cancelled");
      const cancelTimer = this.world.after(Math.max(0, limits.timeoutMs), () => fail("timeout"));
      if (signal?.aborted) return fail("cancelled");
      signal?.addEventListener("abort", onAbort, { once: true });

      const handler: Dispatcher.DispatchHandler = {
        onRequestStart: (started) => {
          controller = started;
          if (settled) started.abort(new Error("no longer wanted"));
          else sent = true;
        },
        onResponseStart: (_controller, code, received) => {
          if (code < 200) return;
          status = code;
          headers = received;
          cookies?.take(received["set-cookie"]);
          if (Number(headers["content-length"]) > this.options.maxAnswerBytes) fail("too-large");
        },
        onResponseData: (_controller, chunk) => {
          bytes += chunk.length;
          if (bytes > this.options.maxAnswerBytes) fail("too-large");
          else if (!settled) chunks.push(chunk);
        },
        onResponseEnd: () => {
          if (!settle()) return;
          const header = (name: string) => [headers[name]].flat()[0];
          const answer = { status: status ?? 0, header, headers, body: Buffer.concat(chunks).toString("utf8") };
          // undici frees the connection a turn of the event loop later; a request before that opens another one.
          setImmediate(() => setImmediate(() => resolve(answer)));
        },
        onResponseError: (_controller, error) => fail("connection", error),
      };
      try {
        dispatcher.dispatch(
          {
            origin: request.origin,
            path: request.path,
            method: request.method,
            headers: cookies?.addTo(request.headers) ?? { ...request.headers },
            ...(request.body !== undefined && { body: request.body }),
          },
          handler,
        );
      } catch (error) {
        fail("connection", error);
      }
    }).finally(() => {
      this.underWay -= 1;
    });
  }

  /**
   * Sends, and returns when the body begins: for bodies too large to be held in memory. The whole answer, whatever its status,
   * has a limit in bytes and in time, also where no one reads it to its end.
   *
   * @throws {HttpFailure} `timeout`, also from the body, and `too-large` from the body; else undici's error, unredacted.
   */
  async open(
    { origin, path, method, headers, body }: Omit<HttpRequest, "body"> & { readonly body: string | Uint8Array },
    { signal, deadlineMs, maxBytes }: OpenLimits,
  ): Promise<OpenAnswer> {
    const late = new AbortController();
    const cancelTimer = this.world.after(Math.max(0, deadlineMs), () => late.abort(new HttpFailure("timeout", true)));
    try {
      const dispatcher = await this.dispatcher();
      const ending = AbortSignal.any([signal, late.signal]);
      // The request, its connection and its body listen.
      setMaxListeners(0, ending);
      const options = { origin, path, method, headers: { ...headers }, body, signal: ending };
      // undici heeds its signal once it is connected; a composite one would stay for as long as it has a listener.
      ending.throwIfAborted();
      const aborts = [signal, late.signal].map((one) => once(one, "abort"));
      const ended = Promise.race(aborts).then(() => Promise.reject(ending.reason));
      const answer = await Promise.race([loadRequest().call(dispatcher, options), ended]);
      const header = (name: string) => [answer.headers[name]].flat()[0];
      // A body that no one reads ends without a listener of its own.
      answer.body.once("close", cancelTimer).on("error", () => {});
      const { statusCode: status, headers: answered } = answer;
      return { status, header, headers: answered, body: within(answer.body, maxBytes, late.signal) };
    } catch (error) {
      cancelTimer();
      throw late.signal.aborted ? late.signal.reason : error;
    }
  }

  /** Waits for requests of {@link send} under way, then closes the connections; ends those of {@link open}. */
  async close(): Promise<void> {
    const opened = await this.opened;
    // An abandoned request may still be connecting to a host that never answers: close() would wait for it.
    if (this.underWay === 0) await opened?.destroy();
    else await opened?.close();
  }

  /** The connections, made at the first request: a preview or program without requests does not load undici. */
  async dispatcher(): Promise<Dispatcher> {
    if (this.world.dispatcher) return this.world.dispatcher;
    this.opened ??= this.connections();
    return this.opened;
  }

  private async connections(): Promise<Dispatcher> {
    const { ca, cert, key, serverName } = this.options.tls ?? {};
    const connect = {
      timeout: this.options.timeoutMs,
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(serverName !== undefined && { servername: serverName }),
    };
    const options = {
      connections: this.options.connections,
      pipelining: 1,
      // One time-out in `send` covers connecting, waiting and reading; undici's own would blur the error.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect,
    };
    const { proxy } = this.options;
    if (!proxy) return new (loadAgent())(options);
    const { url, except = "" } = proxy;
    const { EnvHttpProxyAgent } = await import("undici");
    // undici takes a missing member from the environment of the process.
    const proxies = { httpProxy: url, httpsProxy: url, noProxy: except };
    return new EnvHttpProxyAgent({ ...options, ...proxies, proxyTunnel: false, requestTls: connect });
  }
}

/** The body up to its limit, and the reason where its time ended it. */
function within(body: Dispatcher.ResponseData["body"], maxBytes: number, late: AbortSignal): OpenAnswer["body"] {
  const chunks = async function* () {
    try {
      yield* limitedBody(body as AsyncIterable<Buffer>, maxBytes);
    } catch (error) {
      if (error instanceof BodyTooLarge) throw new HttpFailure("too-large", true);
      throw late.aborted ? late.reason : error;
    }
  };
  return { [Symbol.asyncIterator]: chunks, destroy: () => body.destroy() };
}

type Ask = (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;

/** undici's connections, a quarter of it. The whole of it, with fetch, WebSocket and caches, takes as long to load as this package. */
export function loadAgent(): typeof Agent {
  return require("undici/lib/dispatcher/agent.js");
}

/** undici's streaming request, a method of its connections. */
function loadRequest(): Ask {
  return require("undici/lib/api/api-request.js");
}
