import { setMaxListeners } from "node:events";
import { Http, HttpFailure, type HttpProxy, type OpenAnswer } from "../client/http";
import { MAX_REDIRECTS, redirectTarget } from "../client/requester";
import { retryAfter } from "../client/retry";
import { codeOf } from "../model/errors";
import { SIZES } from "./defaults";
import type { Tls } from "./fields";
import type { ForwarderWorld } from "./world";

/** One request, and how long it may take. */
export interface PostRequest {
  readonly request: Parameters<Http["open"]>[0];
  /** Milliseconds without a byte, in either direction, after which it is closed. */
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

/** A whole answer. */
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
    let next = request;
    const until = this.world.monotonic() + limits.deadlineMs;
    for (let redirects = 0; ; redirects++) {
      const left = until - this.world.monotonic();
      const { answer, idle } = await this.send({ request: next, ...limits, deadlineMs: left }, limits.deadlineMs);
      const location = follows ? answer.header("location") : undefined;
      const target = redirectTarget(answer.status, location, `${next.origin}${next.path}`);
      if (!target || redirects >= MAX_REDIRECTS) {
        const afterMs = retryAfter(answer.header("retry-after"), answer.header("date"), this.world.wall());
        const body = () => bodyOf(answer, idle, limits);
        return {
          status: answer.status,
          header: answer.header,
          headers: answer.headers,
          ...(afterMs !== undefined && { afterMs }),
          body,
        };
      }
      // Of a redirect nothing but its target counts; a short body is read, so that its connection stays.
      await discard(bodyOf(answer, idle, limits));
      next = { ...next, path: `${target.pathname}${target.search}` };
    }
  }

  /** Sends, and reads the answer. @throws {NoAnswer} */
  async post(request: PostRequest): Promise<WholeAnswer> {
    const { body, ...answer } = await this.open(request);
    const chunks: Buffer[] = [];
    for await (const chunk of body()) chunks.push(chunk);
    return { ...answer, body: Buffer.concat(chunks) };
  }

  /** Waits for requests under way, then closes the connections. */
  async close(): Promise<void> {
    await Promise.all([...this.https.values()].map((http) => http.close()));
  }

  /** @param totalMs The time of all redirects together, for the message. */
  private async send(
    { request, timeoutMs, signal, deadlineMs, maxBytes }: Omit<PostRequest, "follows">,
    totalMs: number,
  ) {
    const idle = new IdleTimeout(timeoutMs, this.world, signal);
    idle.wait(`no answer within ${timeoutMs} ms`);
    try {
      const answer = await this.http(request.origin.startsWith("https:"), timeoutMs).open(request, {
        signal: idle.signal,
        deadlineMs,
        maxBytes,
      });
      return { answer, idle };
    } catch (error) {
      const reason = idle.reason ?? limitOf(error, { deadlineMs: totalMs, maxBytes }) ?? asNoAnswer(error);
      idle.end();
      throw reason;
    }
  }

  /** Each set of TLS settings has connections of its own. */
  private http(secure: boolean, timeoutMs: number): Http {
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

/** Ends a request when no byte comes for too long, or when its caller ends it. */
class IdleTimeout extends AbortController {
  private cancel = (): void => {};

  constructor(
    private readonly timeoutMs: number,
    private readonly world: ForwarderWorld,
    private readonly outer: AbortSignal | undefined,
  ) {
    super();
    // Besides us, the request, its connection and its body listen.
    setMaxListeners(0, this.signal);
    outer?.addEventListener("abort", this.cancelled, { once: true });
    if (outer?.aborted) this.cancelled();
  }

  /** Why it was ended; `undefined` while it was not. */
  get reason(): NoAnswer | undefined {
    return this.signal.aborted ? asNoAnswer(this.signal.reason) : undefined;
  }

  /** Begins to count idle time. */
  wait(message = `no byte within ${this.timeoutMs} ms`): void {
    this.cancel();
    this.cancel = this.world.after(this.timeoutMs, () => this.abort(new NoAnswer(message)));
  }

  /** Stops counting while the reader of the body is at work. */
  rest(): void {
    this.cancel();
  }

  end(): void {
    this.cancel();
    this.outer?.removeEventListener("abort", this.cancelled);
  }

  private readonly cancelled = (): void => this.abort(new NoAnswer("cancelled"));
}

type Limits = Pick<PostRequest, "deadlineMs" | "maxBytes">;

/** The limit that ended an answer; `undefined` for any other error. */
function limitOf(error: unknown, { deadlineMs, maxBytes }: Limits): NoAnswer | undefined {
  if (!(error instanceof HttpFailure)) return undefined;
  if (error.kind === "too-large") return new NoAnswer(`the answer is larger than ${maxBytes} bytes`);
  return new NoAnswer(`no whole answer within ${deadlineMs} ms`, deadlineMs);
}

/** Reads a body of a few bytes to its end, and breaks off any other. @throws {NoAnswer} */
async function discard(body: AsyncGenerator<Buffer>): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > SIZES.errorBytes) return;
  }
}

async function* bodyOf({ body }: OpenAnswer, idle: IdleTimeout, limits: Limits): AsyncGenerator<Buffer> {
  idle.wait();
  try {
    for await (const chunk of body) {
      idle.rest();
      yield chunk;
      idle.wait();
    }
  } catch (error) {
    const limit = idle.reason ?? limitOf(error, limits);
    throw limit ?? new NoAnswer(`the connection broke off within the answer (${asNoAnswer(error).message})`);
  } finally {
    idle.end();
    body.destroy();
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
