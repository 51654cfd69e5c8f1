import { called, pause } from "./clock";
import { Cookies } from "./cookies";
import {
  CANCELLED,
  type FailedTry,
  readTransportFailure,
  requestError,
  type Subject,
  TOO_LATE,
  WITHHELD,
} from "./failed-try";
import { Http, type HttpAnswer, HttpFailure, type HttpRequest } from "./http";
import { DEFAULTS, type TlsOptions } from "./options";
import type { Failed, Reading } from "./reading";
import type { Redactor } from "./redact";
import { backoff, duration, MAX_TRIES, retryAfter } from "./retry";
import type { World } from "./world";

/** One request as its client describes it. */
export interface ApiRequest<T> extends Subject {
  readonly request: HttpRequest;
  /** True when the request may be repeated although it may have had its effect already. */
  readonly idempotent: boolean;
  /** False: a redirect is answered as it came. Default: 307 and 308 are followed within the origin. */
  readonly follows?: boolean;
  /** Waits until a try may begin; returns what tells that it has ended. The first wait costs none of the operation's time. */
  enter?(signal?: AbortSignal): Promise<() => void>;
  /** Reads a whole answer. */
  read(answer: HttpAnswer): Reading<T>;
}

/** Limits of one request. */
export interface Limits {
  readonly signal?: AbortSignal;
  /** Monotonic time at which the operation ends; default: `deadlineMs` after the first try could begin. */
  readonly until?: number;
}

/** One node or receiver, and how to talk to it. */
export interface Connection {
  /** Shown in errors: the whole url, and in short. */
  readonly endpoint: string;
  readonly label: string;
  readonly tls?: TlsOptions;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxConcurrency: number;
  /** Half a sentence: what helps where it says that it is busy up to the deadline. */
  readonly busyRemedy?: string;
  /** As an option sets it; default: that of `DEFAULTS`. */
  readonly maxAnswerBytes?: number;
  /** Default: those of no other connection. */
  readonly cookies?: Cookies;
  readonly redactor: Redactor;
}

type Done<T> = Extract<Reading<T>, { kind: "done" }>;

/** Sends requests to one node or receiver: a cap on concurrency, tries with pauses, same-origin redirects, safe errors. */
export class Requester {
  private readonly http: Http;
  private readonly slots: Slots;
  /** Whether anything that answers in HTTP was ever met here. */
  private answered = false;

  constructor(
    private readonly connection: Connection,
    private readonly world: World,
  ) {
    const { tls, timeoutMs, maxConcurrency, maxAnswerBytes = DEFAULTS.maxAnswerBytes } = connection;
    const { cookies = new Cookies() } = connection;
    this.http = new Http({ tls, timeoutMs, connections: maxConcurrency, maxAnswerBytes, cookies }, world);
    this.slots = new Slots(maxConcurrency);
  }

  /** @throws {RequestError} or one of its classes, once no repeat is left that would be safe and in time. */
  async execute<T>(request: ApiRequest<T>, { signal: own, until: given }: Limits = {}): Promise<T> {
    const { stop } = this.world;
    const signal = stop && own ? AbortSignal.any([stop, own]) : (stop ?? own);
    let began: number | undefined;
    let doubtful = false;
    let answered: FailedTry | undefined;
    for (let tries = 1; ; tries++) {
      const release = await this.begin(request, signal).catch(() => undefined);
      // Waiting for one's turn is not the node's fault, so the operation's own time begins after it.
      began ??= this.world.monotonic();
      const until = given ?? began + this.connection.deadlineMs;
      const result = release ? await this.attempt(request, until, signal) : CANCELLED;
      release?.();
      if (result.kind === "done") return result.value;

      if (result.isBusy) this.slots.narrow();
      doubtful ||= result.outcome === "unknown";
      const wait = this.pauseAfter(result, request, tries);
      if (result.status !== undefined && !result.isLate) answered = result;
      const cutOff = result.isLate ? answered : undefined;
      const end = cutOff ? DEADLINE : this.stopBefore(wait, until, result);
      const stopped = end && (cutOff ?? result).isBusy ? [end, this.connection.busyRemedy ?? ""].join(" ").trim() : end;
      let last: FailedTry = cutOff ? { ...cutOff, outcome: result.outcome } : result;
      if (wait !== undefined && stopped === undefined) {
        await pause(this.world, wait, signal);
        if (!signal?.aborted) continue;
        last = { ...CANCELLED, outcome: result.outcome };
      }
      const outcome = last.outcome === "not-sent" && doubtful ? "unknown" : last.outcome;
      throw requestError(
        request,
        last,
        { outcome, tries, elapsedMs: this.world.monotonic() - began, stopped },
        this.connection,
      );
    }
  }

  close(): Promise<void> {
    return this.http.close();
  }

  /** Waits for the request's own turn first, so that it holds no slot meanwhile. */
  private async begin(request: ApiRequest<unknown>, signal: AbortSignal | undefined): Promise<() => void> {
    const leave = await request.enter?.(signal);
    try {
      const release = await this.slots.acquire(signal);
      return () => {
        release();
        leave?.();
      };
    } catch (error) {
      leave?.();
      throw error;
    }
  }

  private async attempt<T>(
    request: ApiRequest<T>,
    until: number,
    signal: AbortSignal | undefined,
  ): Promise<Done<T> | FailedTry> {
    if (this.world.monotonic() >= until) return TOO_LATE;
    try {
      const answer = await this.follow(request, until, signal);
      this.answered = true;
      const reading = request.read(answer);
      if (reading.kind === "done") return reading;
      const asked = retryAfter(answer.header("retry-after"), answer.header("date"), this.world.wall());
      return { ...reading, message: this.wordsOf(request, answer, reading), status: answer.status, asked };
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      const { timeoutMs, maxAnswerBytes } = this.connection;
      const limits = { timeoutMs, maxAnswerBytes, neverAnswered: !this.answered };
      return readTransportFailure(error, until - this.world.monotonic(), limits);
    }
  }

  /**
   * The message of a failure, read once more from a body without secrets: a reader quotes and cuts what it was given,
   * and half a secret would not be recognised. The reading itself rests on the body as it came.
   */
  private wordsOf(request: ApiRequest<unknown>, answer: HttpAnswer, reading: Failed): string {
    if (request.withholds?.()) return WITHHELD;
    const body = this.connection.redactor.text(answer.body);
    if (body === answer.body) return reading.message;
    const again = request.read({ ...answer, body });
    return again.kind === "done" ? "the answer cannot be shown" : again.message;
  }

  /** Sends, and follows 307 and 308 within the origin: only these keep method and body (RFC 9110, section 15.4). */
  private async follow(
    { request, follows }: ApiRequest<unknown>,
    until: number,
    signal: AbortSignal | undefined,
  ): Promise<HttpAnswer> {
    const { timeoutMs } = this.connection;
    let next = request;
    for (let redirects = 0; ; redirects++) {
      const left = until - this.world.monotonic();
      const answer = await this.http.send(next, { timeoutMs: Math.min(timeoutMs, left), signal });
      if (follows === false || redirects >= MAX_REDIRECTS) return answer;
      const target = redirectTarget(answer.status, answer.header("location"), `${next.origin}${next.path}`);
      if (!target) return answer;
      next = { ...next, path: `${target.pathname}${target.search}` };
    }
  }

  /**
   * `undefined` when the request must not or need not be sent again. What the other side asks for is the least that it
   * gets: the jitter comes on top, or all who were turned away together would come back together.
   */
  private pauseAfter(last: FailedTry, request: ApiRequest<unknown>, tries: number): number | undefined {
    const safe = request.idempotent || last.outcome === "not-sent";
    const most = this.world.maxTries ?? (last.isBusy ? Number.POSITIVE_INFINITY : MAX_TRIES);
    if (!last.repeat || !safe || tries >= most) return undefined;
    return (last.asked ?? 0) + backoff(tries, this.world.random);
  }

  /** A pause that would end past the deadline is not begun: it would only delay a certain failure. */
  private stopBefore(pause: number | undefined, until: number, last: FailedTry): string | undefined {
    const now = this.world.monotonic();
    if (pause === undefined || now + pause < until) return undefined;
    if (last.asked === undefined || now + last.asked < until) return DEADLINE;
    return `It asks to wait ${duration(last.asked)}, which is beyond the deadline.`;
  }
}

const DEADLINE = "The deadline is reached.";

/** Of more, the last is taken for the answer. */
export const MAX_REDIRECTS = 5;

/**
 * Target of a redirect within its origin: 307 and 308 alone keep method and body (RFC 9110, section 15.4).
 * `undefined` for every other answer, and where it leads elsewhere.
 *
 * @param location The header of that name.
 * @param url What was asked.
 */
export function redirectTarget(status: number, location: string | undefined, url: string): URL | undefined {
  if ((status !== 307 && status !== 308) || location === undefined || !URL.canParse(location, url)) return undefined;
  const target = new URL(location, url);
  return target.origin === new URL(url).origin ? target : undefined;
}

/** At most `size` holders at a time, first come, first served. */
export class Slots {
  private held = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private size: number) {}

  /** From now on one at a time: who is in stays in. */
  narrow(): void {
    this.size = 1;
  }

  /**
   * Waits for a free slot and returns what gives it back (once; more calls do nothing).
   * Rejects with the signal's reason when it aborts first.
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.held < this.size) this.held++;
    else await called(this.waiting, signal);
    let isOurs = true;
    return () => {
      if (!isOurs) return;
      isOurs = false;
      const [next] = this.held <= this.size ? this.waiting : [];
      // The slot goes on to the next one, which holds it from this moment.
      if (next) next();
      else this.held--;
    };
  }
}
