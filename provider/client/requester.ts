import type { Failed, Reading } from "./answer-readers";
import { pause, waitForCall } from "./clock";
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
import { backoff, formatDuration, MAX_TRIES, retryAfter } from "./pauses";
import type { Redactor } from "./redact";
import type { World } from "./world";

/** One request as its client describes it. */
export interface ApiRequest<T> extends Subject {
  readonly request: HttpRequest;
  /** True if the request may be repeated although it may have had its effect. */
  readonly idempotent: boolean;
  /** False: a redirect is returned as the answer. Default: 307 and 308 are followed within the origin. */
  readonly follows?: boolean;
  /** Waits until a try may begin; returns the function to call at its end. The first wait does not count towards the deadline. */
  enter?(signal?: AbortSignal): Promise<() => void>;
  /** Reads a whole answer. */
  read(answer: HttpAnswer): Reading<T>;
}

export interface Limits {
  readonly signal?: AbortSignal;
  /** Monotonic time at which the operation ends; default: `deadlineMs` after the first try could begin. */
  readonly until?: number;
}

/** Connection to one node or receiver. */
export interface Connection {
  /** The url and its short form, for errors. */
  readonly endpoint: string;
  readonly label: string;
  readonly tls?: TlsOptions;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxConcurrency: number;
  /** A sentence for a status that says that the other side is busy, up to the deadline. */
  readonly busyRemedy?: (status: number | undefined) => string;
  /** Default: that of `DEFAULTS`. */
  readonly maxAnswerBytes?: number;
  /** Default: the connection's own. */
  readonly cookies?: Cookies;
  readonly redactor: Redactor;
}

type Done<T> = Extract<Reading<T>, { kind: "done" }>;

/** Sends requests to one node or receiver: limited concurrency, repeats with pauses, same-origin redirects, redacted errors. */
export class Requester {
  private readonly http: Http;
  private readonly slots: Slots;
  /** True once the other side has answered in HTTP. */
  private answered = false;
  private isClosed = false;

  constructor(
    private readonly connection: Connection,
    private readonly world: World,
  ) {
    const { tls, timeoutMs, maxConcurrency, maxAnswerBytes = DEFAULTS.maxAnswerBytes } = connection;
    const { cookies = new Cookies() } = connection;
    this.http = new Http({ tls, timeoutMs, connections: maxConcurrency, maxAnswerBytes, cookies }, world);
    this.slots = new Slots(maxConcurrency);
  }

  /**
   * @throws {RequestError} or one of its classes, once no further repeat is safe and in time.
   * @throws {Error} after {@link close}.
   */
  async execute<T>(request: ApiRequest<T>, { signal: own, until: given }: Limits = {}): Promise<T> {
    if (this.isClosed) throw new Error("The client is closed: make a new one for further requests.");
    const { stop } = this.world;
    const signal = stop && own ? AbortSignal.any([stop, own]) : (stop ?? own);
    let began: number | undefined;
    let isDoubtful = false;
    let answered: FailedTry | undefined;
    for (let tries = 1; ; tries++) {
      const release = await this.begin(request, signal).catch(() => undefined);
      // The wait for a slot is not the node's fault, so the deadline counts from here.
      began ??= this.world.monotonic();
      const until = given ?? began + this.connection.deadlineMs;
      const result = release ? await this.attempt(request, until, signal).finally(release) : CANCELLED;
      if (result.kind === "done") return result.value;

      if (result.isBusy) this.slots.narrow();
      const wait = this.pauseAfter(result, request, tries);
      if (result.status !== undefined && !result.isLate) answered = result;
      const cutOff = result.isLate ? answered : undefined;
      const end = cutOff ? DEADLINE : this.stopBefore(wait, until, result);
      const { isBusy, status } = cutOff ?? result;
      const stopped = end && isBusy ? [end, this.connection.busyRemedy?.(status) ?? ""].join(" ").trim() : end;
      let last: FailedTry = cutOff ? { ...cutOff, outcome: result.outcome } : result;
      if (wait !== undefined && stopped === undefined) {
        await pause(this.world, wait, signal);
        if (!signal?.aborted) {
          isDoubtful ||= result.outcome === "unknown";
          continue;
        }
        last = { ...CANCELLED, outcome: result.outcome };
      }
      const outcome = last.outcome === "not-sent" && isDoubtful ? "unknown" : last.outcome;
      throw requestError(
        request,
        last,
        { outcome, tries, isDoubtful, elapsedMs: this.world.monotonic() - began, stopped },
        this.connection,
      );
    }
  }

  close(): Promise<void> {
    this.isClosed = true;
    return this.http.close();
  }

  /** Waits for the request's turn before it takes a slot. */
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
    const allowedMs = until - this.world.monotonic();
    if (allowedMs <= 0) return TOO_LATE;
    try {
      const answer = await this.follow(request, until, signal);
      this.answered = true;
      const reading = request.read(answer);
      if (reading.kind === "done") return reading;
      const asked = retryAfter(answer.header("retry-after"), answer.header("date"), this.world.wall());
      return { ...(request.withholds?.() ? withheld(reading, answer) : reading), status: answer.status, asked };
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      const { timeoutMs, maxAnswerBytes } = this.connection;
      const limits = { timeoutMs, maxAnswerBytes, neverAnswered: !this.answered };
      // The timer of the deadline may ring a moment before it.
      const left = allowedMs <= timeoutMs ? 0 : until - this.world.monotonic();
      return readTransportFailure(error, left, limits);
    }
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
   * `undefined` if the request must not be sent again. Jitter is added to the pause that the other side asks for, so that
   * clients rejected together do not return together.
   */
  private pauseAfter(last: FailedTry, request: ApiRequest<unknown>, tries: number): number | undefined {
    const safe = request.idempotent || last.outcome === "not-sent";
    const most = this.world.maxTries ?? (last.isBusy ? Number.POSITIVE_INFINITY : MAX_TRIES);
    if (!last.repeat || !safe || tries >= most) return undefined;
    return (last.asked ?? 0) + backoff(tries, this.world.random);
  }

  /** Skips a pause that would end past the deadline: it would only delay a certain failure. */
  private stopBefore(pause: number | undefined, until: number, last: FailedTry): string | undefined {
    const now = this.world.monotonic();
    if (pause === undefined || now + pause < until) return undefined;
    if (last.asked === undefined || now + last.asked < until) return DEADLINE;
    return `It asks for a pause of ${formatDuration(last.asked)}, which ends after the deadline.`;
  }
}

/** A failed reading that quotes nothing of the answer. A remedy that goes by the status alone quotes nothing either. */
function withheld({ remedy, ...reading }: Failed, { status }: HttpAnswer): Failed {
  return { ...reading, message: WITHHELD, ...(status >= 300 && remedy !== undefined && { remedy }) };
}

const DEADLINE = "The deadline is reached.";

/** After so many redirects, the next one is returned as the answer. */
export const MAX_REDIRECTS = 5;

/**
 * Target of a redirect within its origin: 307 and 308 alone keep method and body (RFC 9110, section 15.4).
 * `undefined` for every other answer, and for another origin.
 *
 * @param location The header `Location`.
 * @param url The url of the request.
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

  /** Allows one holder at a time from now on; present holders keep their slots. */
  narrow(): void {
    this.size = 1;
  }

  /**
   * Waits for a free slot and returns the function that releases it (once; further calls do nothing).
   * Rejects with the signal's reason if it aborts first.
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.held < this.size) this.held++;
    else await waitForCall(this.waiting, signal);
    let isOurs = true;
    return () => {
      if (!isOurs) return;
      isOurs = false;
      const [next] = this.held <= this.size ? this.waiting : [];
      // The next waiting caller takes over the slot at once.
      if (next) next();
      else this.held--;
    };
  }
}
