import { setMaxListeners } from "node:events";
import { type Dispatcher, Http, HttpFailure, type HttpProxy, type OpenAnswer } from "../client/http";
import { retryAfter } from "../client/pauses";
import { MAX_REDIRECTS, redirectTarget } from "../client/requester";
import { codeOf } from "../model/errors";
import { SIZES } from "./defaults";
import type { Tls } from "./fields";
import type { ForwarderWorld } from "./world";

/** One request, and how long it may take. */
export interface PostRequest {
  readonly request: Parameters<Http["open"]>[0];
  /** Milliseconds until an answer begins, and then without a byte of it, after which it is closed. */
  readonly timeoutMs: number;
  /** Milliseconds for the whole of it, redirects included, after which it is closed. */
  readonly deadlineMs: number;
  /** Bytes of the answer, whatever its status. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** True if 307 and 308 within the origin are followed, with the body. */
  readonly follows: boolean;
}

/** An answer whose body is still to be read. */
export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly headers: OpenAnswer["headers"];
  /** Milliseconds that `Retry-After` asks to wait. */
  readonly afterMs?: number;
  /** As it arrives. @throws {NoAnswer} when it breaks off, falls silent, or passes a limit. */
  body(): AsyncGenerator<Buffer>;
}

export interface WholeAnswer extends Omit<Answer, "body" | "headers"> {
  readonly body: Buffer;
}

/** No whole answer came: `no byte within 30000 ms`, or the system's word. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";

  constructor(
    message: string,
    /** The deadline of all of it, in milliseconds, if that was over. */
    readonly lateMs?: number,
  ) {
    super(message);
  }
}

/**
 * POSTs over the package's HTTP, with bodies as they arrive, a time-out of idle time, and TLS settings that may change
 * meanwhile. Repeats nothing.
 */
export class HttpConnection {
  private readonly https = new Map<string, Http>();

  constructor(
    private readonly options: {
      readonly connections: number;
      readonly tls?: () => Tls | undefined;
      readonly proxy?: HttpProxy | undefined;
    },
    private readonly world: ForwarderWorld,
  ) {}

  /** Sends, and follows redirects if asked to. @throws {NoAnswer} */
  async open({ request, follows, ...limits }: PostRequest): Promise<Answer> {
    const exchange = new Exchange(limits, this.world);
    try {
      let next = request;
      for (let redirects = 0; ; redirects++) {
        const answer = await exchange.send(this.http(next.origin, limits.timeoutMs), next);
        const { status, header, headers } = answer;
        const location = follows && redirects < MAX_REDIRECTS ? header("location") : undefined;
        const target = redirectTarget(status, location, `${next.origin}${next.path}`);
        if (!target) {
          const afterMs = retryAfter(header("retry-after"), header("date"), this.world.wall());
          const body = () => exchange.lastBody(answer);
          return { status, header, headers, ...(afterMs !== undefined && { afterMs }), body };
        }
        // Of a redirect nothing but its target counts; a short body is read, so that its connection stays.
        await discard(exchange.body(answer));
        next = { ...next, path: `${target.pathname}${target.search}` };
      }
    } catch (error) {
      exchange.end();
      throw error;
    }
  }

  /** Sends, and reads the answer. @throws {NoAnswer} */
  async post(request: PostRequest): Promise<WholeAnswer> {
    const { body, ...answer } = await this.open(request);
    const chunks: Buffer[] = [];
    for await (const chunk of body()) chunks.push(chunk);
    return { ...answer, body: Buffer.concat(chunks) };
  }

  /** The connections to an origin, for a client that shares them. */
  dispatcher(origin: string, timeoutMs: number): Promise<Dispatcher> {
    return this.http(origin, timeoutMs).dispatcher();
  }

  /** Closes the connections, and ends requests under way. */
  async close(): Promise<void> {
    await Promise.all([...this.https.values()].map((http) => http.close()));
  }

  /** Each set of TLS settings has connections of its own. */
  private http(origin: string, timeoutMs: number): Http {
    const secure = origin.startsWith("https:");
    const tls = secure ? this.options.tls?.() : undefined;
    const key = JSON.stringify([secure, tls ?? null]);
    const kept = this.https.get(key);
    if (kept) return kept;
    const { connections, proxy } = this.options;
    const made = new Http(
      { connections, timeoutMs, maxAnswerBytes: SIZES.sinkAnswerBytes, ...(tls && { tls }), ...(proxy && { proxy }) },
      { after: (ms, run) => this.world.after(ms, run) },
    );
    this.https.set(key, made);
    return made;
  }
}

/**
 * A request with its redirects and the last answer. Ends when no byte comes for too long, at its deadline, at too many bytes, or when
 * its caller ends it; throws each of these as a {@link NoAnswer}.
 */
class Exchange {
  private readonly ending = new AbortController();
  private readonly until: number;
  private stopCounting = (): void => {};

  constructor(
    private readonly limits: Omit<PostRequest, "request" | "follows">,
    private readonly world: ForwarderWorld,
  ) {
    const { deadlineMs, signal } = limits;
    this.until = world.monotonic() + deadlineMs;
    // The requests, their connections and their bodies listen.
    setMaxListeners(0, this.ending.signal);
    signal?.addEventListener("abort", this.cancel, { once: true });
    if (signal?.aborted) this.cancel();
  }

  async send(http: Http, request: PostRequest["request"]): Promise<OpenAnswer> {
    const { timeoutMs, maxBytes } = this.limits;
    this.wait(`no answer within ${timeoutMs} ms`);
    try {
      const deadlineMs = this.until - this.world.monotonic();
      return await http.open(request, { signal: this.ending.signal, deadlineMs, maxBytes });
    } catch (error) {
      throw this.limitOf(error) ?? asNoAnswer(error);
    }
  }

  /** The bytes of an answer. No idle time is counted while their reader is at work. */
  async *body({ body }: OpenAnswer): AsyncGenerator<Buffer> {
    const { timeoutMs } = this.limits;
    this.wait(`no byte within ${timeoutMs} ms`);
    try {
      for await (const chunk of body) {
        this.stopCounting();
        yield chunk;
        this.wait(`no byte within ${timeoutMs} ms`);
      }
    } catch (error) {
      const words = `the connection broke off within the answer (${asNoAnswer(error).message})`;
      throw this.limitOf(error) ?? new NoAnswer(words);
    } finally {
      this.stopCounting();
      body.destroy();
    }
  }

  /** The same, with the end of the exchange. */
  async *lastBody(answer: OpenAnswer): AsyncGenerator<Buffer> {
    try {
      yield* this.body(answer);
    } finally {
      this.end();
    }
  }

  end(): void {
    this.stopCounting();
    this.limits.signal?.removeEventListener("abort", this.cancel);
  }

  private readonly cancel = (): void => this.ending.abort(new NoAnswer("cancelled"));

  private wait(message: string): void {
    this.stopCounting();
    this.stopCounting = this.world.after(this.limits.timeoutMs, () => this.ending.abort(new NoAnswer(message)));
  }

  /** The limit that ended it; `undefined` for any other error. */
  private limitOf(error: unknown): NoAnswer | undefined {
    const { deadlineMs, maxBytes } = this.limits;
    if (this.ending.signal.aborted) return asNoAnswer(this.ending.signal.reason);
    if (!(error instanceof HttpFailure)) return undefined;
    if (error.kind === "too-large") return new NoAnswer(`the answer is larger than ${maxBytes} bytes`);
    return new NoAnswer(`no whole answer within ${deadlineMs} ms`, deadlineMs);
  }
}

/** Reads a body of a few bytes to its end, and breaks off any other. @throws {NoAnswer} */
async function discard(body: AsyncGenerator<Buffer>): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > SIZES.errorBytes) return;
  }
}

/** undici's code for a closed connection; its message says less than the system's. */
const CLOSED = "UND_ERR_SOCKET";

function asNoAnswer(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error;
  if (!(error instanceof Error)) return new NoAnswer(String(error));
  const code = codeOf(error);
  if (code === CLOSED) return new NoAnswer("the other side closed the connection (ECONNRESET)");
  // An AggregateError of several addresses has an empty message.
  return new NoAnswer(error.message || code || error.name);
}
