import { backoff, duration, MAX_TRIES, retryAfter } from "./backoff";
import { type Outcome, RequestError, type RequestFailure, SignalingRefused, UnexpectedResponse } from "./errors";
import { Http, type HttpAnswer, HttpFailure, type HttpRequest } from "./http";
import type { TlsOptions } from "./options";
import { codeOf, type Redactor } from "./redact";
import { Slots } from "./slots";
import type { Verdict } from "./verdict";
import type { World } from "./world";

/** One operation as its client describes it. */
export interface Call<T> {
  readonly method: "GET" | "POST";
  /** Below the endpoint's path. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How a message begins: `Set prefixset://edge/blocked`. */
  readonly subject: string;
  readonly object: string;
  readonly operation: string;
  /** True when the request may be repeated although it may have had its effect already. */
  readonly idempotent: boolean;
  /** What to do when the outcome stays unknown. */
  readonly remedy?: string;
  /** Position within an operation of many entries. */
  readonly progress?: { readonly acknowledged: number; readonly attempted: number; readonly total: number };
  /** Judges a whole answer. */
  read(answer: HttpAnswer): Verdict<T>;
}

/** Limits of one call. */
export interface Limits {
  readonly signal?: AbortSignal;
  /** World time at which the operation ends; default: `deadlineMs` after the first try could begin. */
  readonly until?: number;
}

interface Connection {
  readonly origin: string;
  readonly path: string;
  /** Shown in errors. */
  readonly endpoint: string;
  readonly label: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls?: TlsOptions;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxConcurrency: number;
  readonly redactor: Redactor;
}

type Failure = Exclude<Verdict<never>, { kind: "done" }> & { cause?: unknown; answer?: HttpAnswer };

const MAX_REDIRECTS = 5;
const MAX_DETAIL = 300;

/** Sends calls to one node or receiver: a cap on concurrency, tries with pauses, same-origin redirects, safe errors. */
export class Requester {
  private readonly http: Http;
  private readonly slots: Slots;

  constructor(
    private readonly connection: Connection,
    private readonly world: World,
  ) {
    const { tls, timeoutMs, maxConcurrency } = connection;
    this.http = new Http({ timeoutMs, connections: maxConcurrency, ...(tls && { tls }) }, world);
    this.slots = new Slots(maxConcurrency);
  }

  /** @throws {RequestError} or one of its classes, once no repeat is left that would be safe and in time. */
  async execute<T>(call: Call<T>, { signal, until: given }: Limits = {}): Promise<T> {
    let began: number | undefined;
    let until = given ?? Number.POSITIVE_INFINITY;
    let doubtful = false;
    for (let tries = 1; ; tries++) {
      const release = await this.slots.acquire(signal).catch(() => undefined);
      const now = this.world.now();
      // Waiting for a slot is not the node's fault, so the operation's own time begins after it.
      began ??= now;
      if (given === undefined) until = began + this.connection.deadlineMs;
      const verdict = release ? await this.attempt(call, until, signal) : CANCELLED_UNSENT;
      release?.();
      if (verdict.kind === "done") return verdict.value;

      doubtful ||= verdict.outcome === "unknown";
      const outcome = verdict.outcome === "not-sent" && doubtful ? "unknown" : verdict.outcome;
      const elapsed = this.world.now() - began;
      const pause = this.pauseAfter(verdict, call, tries);
      if (pause === undefined) throw this.error(call, verdict, outcome, tries, elapsed);
      if (this.world.now() + pause >= until) {
        const late = verdict.asked === undefined ? "" : ` (it asked for a pause of ${duration(verdict.asked)})`;
        throw this.error(call, { ...verdict, late: `the deadline is reached${late}` }, outcome, tries, elapsed);
      }
      await this.world.sleep(pause, signal).catch(() => undefined);
      if (signal?.aborted) throw this.error(call, CANCELLED_UNSENT, doubtful ? "unknown" : "not-sent", tries, elapsed);
    }
  }

  close(): Promise<void> {
    return this.http.close();
  }

  private async attempt<T>(
    call: Call<T>,
    until: number,
    signal: AbortSignal | undefined,
  ): Promise<Extract<Verdict<T>, { kind: "done" }> | Judged> {
    try {
      const answer = await this.follow(call, until, signal);
      const verdict = call.read(answer);
      if (verdict.kind === "done") return verdict;
      const asked = retryAfter(answer.header("retry-after"), answer.header("date"), this.world.now());
      return { ...verdict, status: answer.status, ...(verdict.repeat && asked !== undefined && { asked }) };
    } catch (error) {
      if (error instanceof HttpFailure) return this.judge(error, until);
      throw error;
    }
  }

  /** Sends, and follows 307 and 308 within the origin: only these keep method and body (RFC 9110, section 15.4). */
  private async follow(call: Call<unknown>, until: number, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const { origin, path, headers, timeoutMs } = this.connection;
    let request: HttpRequest = {
      method: call.method,
      origin,
      path: `${path}${call.path}`,
      headers: { ...headers, ...call.headers },
      ...(call.body !== undefined && { body: call.body }),
    };
    for (let redirects = 0; ; redirects++) {
      const left = until - this.world.now();
      const answer = await this.http.send(request, { timeoutMs: Math.min(timeoutMs, left), ...(signal && { signal }) });
      if ((answer.status !== 307 && answer.status !== 308) || redirects >= MAX_REDIRECTS) return answer;
      const target = targetOf(answer.header("location"), `${origin}${request.path}`);
      if (target?.origin !== origin) return answer;
      request = { ...request, path: `${target.pathname}${target.search}` };
    }
  }

  private judge(failure: HttpFailure, until: number): Judged {
    const outcome: Outcome = failure.sent ? "unknown" : "not-sent";
    const base = { outcome, ...(failure.status !== undefined && { status: failure.status }) };
    switch (failure.kind) {
      case "cancelled":
        return { ...base, kind: "cancelled", message: "cancelled by the caller", repeat: false };
      case "timeout": {
        const left = until - this.world.now();
        const message =
          left <= 0 ? "the deadline is reached" : `no answer within ${duration(this.connection.timeoutMs)}`;
        return { ...base, kind: "failed", label: "time-out", message, repeat: left > 0 };
      }
      case "too-large": {
        const limit = `the answer is larger than ${this.world.maxResponseBytes} bytes`;
        return { ...base, kind: "unexpected", message: limit, repeat: false };
      }
      case "connection": {
        const words = failure.cause instanceof Error ? failure.cause.message : "";
        const message = words || (codeOf(failure.cause) ?? "no reason given");
        const label = failure.sent ? "connection lost" : "no connection";
        return { ...base, kind: "failed", label, message, cause: failure.cause, repeat: true };
      }
    }
  }

  /** `undefined` when the call must not or need not be sent again. */
  private pauseAfter(verdict: Judged, call: Call<unknown>, tries: number): number | undefined {
    const safe = call.idempotent || verdict.outcome === "not-sent";
    if (!verdict.repeat || !safe || tries >= MAX_TRIES) return undefined;
    const jittered = backoff(tries, this.world.random);
    return verdict.asked === undefined ? jittered : Math.max(verdict.asked, jittered);
  }

  private error(call: Call<unknown>, verdict: Judged, outcome: Outcome, tries: number, elapsed: number): RequestError {
    const { redactor, endpoint, label } = this.connection;
    const clean = (text: string): string => redactor.text(text);
    const how = verdict.label ?? (verdict.status === undefined ? undefined : `HTTP ${verdict.status}`);
    const spent = tries > 1 ? `${tries} tries in ${duration(elapsed)}` : undefined;
    const facts = [how, spent].filter((fact) => fact !== undefined).join(", ");
    // Redacted before it is cut, so that no half of a secret stays.
    const told = clean(verdict.message).replace(/\s+/g, " ").trim();
    const detail = told.length > MAX_DETAIL ? `${told.slice(0, MAX_DETAIL)}…` : told;
    const { acknowledged, attempted, total } = call.progress ?? {};
    const sentences = [
      `${call.subject} on ${label}: ${call.operation} failed${facts ? ` (${facts})` : ""}${detail ? `: ${sentence(detail)}` : "."}`,
      verdict.late && sentence(capital(verdict.late)),
      total !== undefined && attempted !== total && `${acknowledged} of ${total} entries were acknowledged before.`,
      verdict.remedy ?? (outcome === "unknown" ? call.remedy : undefined),
    ];
    const message = sentences
      .filter(Boolean)
      .map((part) => clean(String(part)))
      .join(" ");
    const failure: RequestFailure = {
      outcome,
      ...(verdict.status !== undefined && { status: verdict.status }),
      endpoint,
      object: call.object,
      operation: call.operation,
      tries,
      ...(acknowledged !== undefined && { acknowledged }),
      ...(attempted !== undefined && { attempted }),
      ...(verdict.cause !== undefined && { cause: redactor.error(verdict.cause) }),
    };
    if (verdict.kind === "unexpected") return new UnexpectedResponse(message, failure);
    if (verdict.reason !== undefined) return new SignalingRefused(message, verdict.reason, failure);
    return new RequestError(message, failure, verdict.kind === "cancelled" ? "request-cancelled" : undefined);
  }
}

/** A failed try with all that is known about it. */
interface Judged extends Failing {
  readonly status?: number;
  readonly label?: string;
  readonly cause?: unknown;
  /** Milliseconds that `Retry-After` asks for. */
  readonly asked?: number;
  readonly late?: string;
}
type Failing = Omit<Failure, "kind" | "answer"> & { readonly kind: Failure["kind"] | "cancelled" };

const CANCELLED_UNSENT: Judged = {
  kind: "cancelled",
  outcome: "not-sent",
  message: "cancelled by the caller",
  repeat: false,
};

function targetOf(location: string | undefined, base: string): URL | undefined {
  try {
    return location === undefined ? undefined : new URL(location, base);
  } catch {
    return undefined;
  }
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
