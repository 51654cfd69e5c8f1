import { setMaxListeners } from "node:events";
import { Http, type HttpProxy, type OpenAnswer } from "../client/http";
import { MAX_REDIRECTS, redirectTarget } from "../client/requester";
import { retryAfter } from "../client/retry";
import { codeOf } from "../model/errors";
import { SIZES } from "./defaults";
import type { Tls } from "./fields";
import type { ForwarderWorld } from "./world";

/** One request, and how long it may take. */
export interface PostRequest {
  readonly request: Parameters<Http["open"]>[0];
  /** Milliseconds until the answer begins, and then without a byte of it; of `post`: until all of the answer is there. */
  readonly timeoutMs: number;
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
  /** As it arrives. @throws {NoAnswer} when it breaks off or falls silent. */
  body(): AsyncGenerator<Buffer>;
}

/** A whole answer. */
export interface WholeAnswer extends Omit<Answer, "body" | "headers"> {
  readonly body: Buffer;
}

/** No whole answer came: `no byte within 30000 ms`, or the system's word. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
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

  /** Sends. @throws {NoAnswer} */
  async open({ request, follows, ...limits }: PostRequest): Promise<Answer> {
    let next = request;
    for (let redirects = 0; ; redirects++) {
      const { answer, idle } = await this.send({ request: next, ...limits });
      const location = follows ? answer.header("location") : undefined;
      const target = redirectTarget(answer.status, location, `${next.origin}${next.path}`);
      if (!target || redirects >= MAX_REDIRECTS) {
        const afterMs = retryAfter(answer.header("retry-after"), answer.header("date"), this.world.wall());
        const body = () => bodyOf(answer, idle);
        return {
          status: answer.status,
          header: answer.header,
          headers: answer.headers,
          ...(afterMs !== undefined && { afterMs }),
          body,
        };
      }
      for await (const _ of bodyOf(answer, idle));
      next = { ...next, path: `${target.pathname}${target.search}` };
    }
  }

  /** Sends, and reads the answer. @throws {NoAnswer} also when it is endless, in time or in bytes. */
  async post({ signal, ...request }: PostRequest): Promise<WholeAnswer> {
    const { monotonic, after } = this.world;
    const end = monotonic() + request.timeoutMs;
    const over = new AbortController();
    const { body, ...answer } = await this.open({
      ...request,
      signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal,
    });
    const tooLate = new NoAnswer(`no whole answer within ${request.timeoutMs} ms`);
    const cancel = after(Math.max(0, end - monotonic()), () => over.abort(tooLate));
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of body()) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes <= SIZES.sinkAnswerBytes) continue;
        // Of a refusal the beginning is enough.
        if (answer.status >= 400) break;
        throw new NoAnswer(`the answer has more than ${SIZES.sinkAnswerBytes} bytes`);
      }
    } finally {
      cancel();
    }
    return { ...answer, body: Buffer.concat(chunks) };
  }

  /** Waits for requests under way, then closes the connections. */
  async close(): Promise<void> {
    await Promise.all([...this.https.values()].map((http) => http.close()));
  }

  private async send({ request, timeoutMs, signal }: Omit<PostRequest, "follows">) {
    const idle = new IdleTimeout(timeoutMs, this.world, signal);
    idle.wait(`no answer within ${timeoutMs} ms`);
    try {
      const answer = await this.http(request.origin.startsWith("https:"), timeoutMs).open(request, idle.signal);
      return { answer, idle };
    } catch (error) {
      const reason = idle.reason ?? asNoAnswer(error);
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

  private readonly cancelled = (): void => {
    const reason: unknown = this.outer?.reason;
    this.abort(reason instanceof NoAnswer ? reason : new NoAnswer("cancelled"));
  };
}

async function* bodyOf({ body }: OpenAnswer, idle: IdleTimeout): AsyncGenerator<Buffer> {
  idle.wait();
  try {
    for await (const chunk of body) {
      idle.rest();
      yield chunk;
      idle.wait();
    }
  } catch (error) {
    throw idle.reason ?? new NoAnswer(`the connection broke off within the answer (${asNoAnswer(error).message})`);
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
