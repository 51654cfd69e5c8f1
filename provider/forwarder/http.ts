import type { IncomingMessage } from "node:http";
import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { retryAfter } from "../client/retry";
import type { Tls } from "./config/fields";
import type { ForwarderWorld } from "./world";

/** One request. */
export interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Milliseconds without a byte, in either direction, after which it is given up. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A whole answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** Milliseconds that `Retry-After` asks to wait. */
  readonly afterMs?: number;
}

/** No whole answer came: `timed out`, or the system's word. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

const MAX_REDIRECTS = 5;

/**
 * HTTP/1.1 of Node itself: keep-alive, TLS, a time-out that counts silence, bodies as they arrive. The package's client
 * waits for whole bodies, which lists of a million marks should not be.
 */
export class HttpConnection {
  private readonly agents = new Map<string, HttpAgent | HttpsAgent>();

  constructor(
    private readonly options: { readonly connections: number; readonly tls?: () => Tls | undefined },
    private readonly world: Pick<ForwarderWorld, "timer" | "wall">,
  ) {}

  /** POSTs, and follows 307 and 308 within the origin. The answer's body is still to be read. */
  async open(request: HttpRequest): Promise<IncomingMessage> {
    let { url } = request;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.send({ ...request, url });
      const { statusCode, headers } = answer;
      const location = headers.location;
      if ((statusCode !== 307 && statusCode !== 308) || !location || redirects >= MAX_REDIRECTS) return answer;
      const target = new URL(location, url);
      if (target.origin !== url.origin) return answer;
      answer.resume();
      url = target;
    }
  }

  /** POSTs and reads the answer, of which at most `maxBytes` are kept. */
  async post(request: HttpRequest, maxBytes = 32 * 1024 * 1024): Promise<HttpAnswer> {
    const answer = await this.open(request);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of this.body(answer, request)) {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
    }
    const afterMs = this.askedPause(answer);
    return {
      status: answer.statusCode ?? 0,
      body: Buffer.concat(chunks),
      ...(afterMs !== undefined && { afterMs }),
    };
  }

  /** The body as it arrives. @throws {NoAnswer} when it breaks off or falls silent. */
  async *body(
    answer: IncomingMessage,
    { timeoutMs, signal }: Pick<HttpRequest, "timeoutMs" | "signal">,
  ): AsyncGenerator<Buffer> {
    const abort = (): void => void answer.destroy(new NoAnswer("cancelled"));
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    let cancel = (): void => {};
    const wait = (): void => {
      cancel();
      cancel = this.world.timer(() => answer.destroy(new NoAnswer(`no byte within ${timeoutMs} ms`)), timeoutMs);
    };
    wait();
    try {
      for await (const chunk of answer) {
        cancel();
        yield chunk;
        wait();
      }
      if (!answer.complete) throw new NoAnswer("the connection broke off within the answer");
    } catch (error) {
      throw asNoAnswer(error);
    } finally {
      cancel();
      signal?.removeEventListener("abort", abort);
      answer.destroy();
    }
  }

  /** What `Retry-After` says, in milliseconds. */
  askedPause(answer: IncomingMessage): number | undefined {
    return retryAfter(answer.headers["retry-after"], answer.headers.date, this.world.wall());
  }

  /** Ends the connections that are idle, and all others with them. */
  close(): void {
    for (const agent of this.agents.values()) agent.destroy();
    this.agents.clear();
  }

  private send({ url, headers, body, timeoutMs, signal }: HttpRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new NoAnswer("cancelled"));
      const secure = url.protocol === "https:";
      const payload = typeof body === "string" ? Buffer.from(body) : body;
      const request = (secure ? requestHttps : requestHttp)(url, {
        method: "POST",
        agent: this.agent(secure),
        headers: { ...headers, "content-length": String(payload.byteLength) },
      });
      const cancel = this.world.timer(
        () => request.destroy(new NoAnswer(`no answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
      const abort = (): void => void request.destroy(new NoAnswer("cancelled"));
      signal?.addEventListener("abort", abort, { once: true });
      const done = (): void => {
        cancel();
        signal?.removeEventListener("abort", abort);
      };
      request.on("response", (answer) => {
        done();
        resolve(answer);
      });
      request.on("error", (error) => {
        done();
        reject(asNoAnswer(error));
      });
      request.end(payload);
    });
  }

  /** TLS settings may change while we run: each set has connections of its own. */
  private agent(secure: boolean): HttpAgent | HttpsAgent {
    const tls = secure ? this.options.tls?.() : undefined;
    const key = JSON.stringify([secure, tls ?? null]);
    const known = this.agents.get(key);
    if (known) return known;
    const common = { keepAlive: true, maxSockets: this.options.connections };
    const { serverName, ...files } = tls ?? {};
    const made = secure
      ? new HttpsAgent({ ...common, ...files, ...(serverName !== undefined && { servername: serverName }) })
      : new HttpAgent(common);
    this.agents.set(key, made);
    return made;
  }
}

function asNoAnswer(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error;
  if (!(error instanceof Error)) return new NoAnswer(String(error));
  // An AggregateError of several addresses has an empty message.
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return new NoAnswer(error.message || code || error.name);
}

/** The url without userinfo, and the header that stands for it. */
export function withoutUserinfo(text: string): { url: URL; authorization?: string; secrets: string[] } {
  const url = new URL(text);
  if (url.username === "" && url.password === "") return { url, secrets: [] };
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const secrets = [url.password, decodeURIComponent(url.password), pair];
  url.username = url.password = "";
  return { url, authorization: `Basic ${Buffer.from(pair).toString("base64")}`, secrets };
}
