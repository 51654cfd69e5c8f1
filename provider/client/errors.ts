import { PacketFilterError } from "../model/errors";
import type { Prefix } from "../model/prefix";
import type { SignalingRefusal } from "../wire/signaling";

/**
 * Effect of a failed request:
 *
 * - `"not-sent"`: it had no effect. It did not reach the other side, or was rejected unread (HTTP 429).
 * - `"refused"`: the other side refused it (HTTP 4xx, or an error in the body at any status).
 * - `"unknown"`: it may have had its effect (time-out, lost connection, HTTP 5xx, unreadable answer). Only a list or a
 *   status can show it.
 */
export type Outcome = "not-sent" | "refused" | "unknown";

/**
 * An option is missing, unknown or out of range. `message` names it in backticks and never shows its value.
 *
 * @example
 * ```ts
 * new NodeClient({ endpoint: "ftp://192.0.2.10" });   // throws OptionsError, whose message names `endpoint`
 * ```
 */
export class OptionsError extends PacketFilterError {
  override readonly name = "OptionsError";

  constructor(message: string) {
    super(message, "invalid-options");
  }
}

/** Facts of a failed request; see {@link RequestError} for the members. */
export interface RequestFailure
  extends Pick<
    RequestError,
    "outcome" | "status" | "endpoint" | "object" | "operation" | "tries" | "acknowledged" | "attempted" | "remedy"
  > {
  /** True if an earlier try may have had its effect; default false. */
  readonly isDoubtful?: boolean;
  /** Underlying error. */
  readonly cause?: Error;
}

/**
 * A request failed after all safe repeats. Codes: `request-refused`, `request-not-sent`,
 * `request-unknown` (as {@link outcome}), `request-cancelled` (the caller's signal), and those of the classes below.
 *
 * @example
 * ```ts
 * try {
 *   await client.commit(set);
 * } catch (error) {
 *   // Only a list shows whether the commit was done.
 *   if (error instanceof RequestError && error.outcome === "unknown") console.log(await client.listPrefixSet(set));
 * }
 * ```
 */
export class RequestError extends PacketFilterError {
  override readonly name: string = "RequestError";
  /** Over all tries: a repeat that could not be sent leaves the outcome of the first one unknown. */
  readonly outcome: Outcome;
  /** HTTP status of the last answer, if there was one. An error can come with 200. */
  readonly status?: number;
  /** The node or receiver, without secrets. */
  readonly endpoint: string;
  /** The resource url, or the prefixes of a signaling request. */
  readonly object: string;
  /** `list`, `insert`, `delete`, `commit`, `status`, `start` or `stop`. */
  readonly operation: string;
  /**
   * Number of times that the request was sent.
   */
  readonly tries: number;
  /**
   * True if an earlier try may have had its effect: a refusal can be a consequence of it, such as "exists" after a lost insert. A
   * list shows it.
   */
  readonly isDoubtful: boolean;
  /** Insert and delete of many entries: number of leading entries that earlier requests had acknowledged. */
  readonly acknowledged?: number;
  /** Insert and delete of many entries: number of entries, after those, in the failed request. */
  readonly attempted?: number;
  /** The remedy in the message, if one is known. */
  readonly remedy?: string;

  constructor(message: string, failure: RequestFailure, code = `request-${failure.outcome}`) {
    super(message, code, failure.cause && { cause: failure.cause });
    this.outcome = failure.outcome;
    if (failure.status !== undefined) this.status = failure.status;
    this.endpoint = failure.endpoint;
    this.object = failure.object;
    this.operation = failure.operation;
    this.tries = failure.tries;
    this.isDoubtful = failure.isDoubtful ?? false;
    if (failure.acknowledged !== undefined) this.acknowledged = failure.acknowledged;
    if (failure.attempted !== undefined) this.attempted = failure.attempted;
    if (failure.remedy !== undefined) this.remedy = failure.remedy;
  }
}

/**
 * The answer has a shape that this package does not know: an empty body instead of a list, `{}`, HTML from a proxy, or an
 * answer above the size limit, for example. It is never read as an empty list. Code `unexpected-response`.
 *
 * @example
 * ```ts
 * if (error instanceof UnexpectedResponse) console.log(`${error.endpoint} answers in an unknown shape: see "answers"`);
 * ```
 */
export class UnexpectedResponse extends RequestError {
  override readonly name = "UnexpectedResponse";

  constructor(message: string, failure: RequestFailure) {
    super(message, failure, "unexpected-response");
  }
}

/**
 * The receiver refused with one of the four texts of docs/contributing/contract.md#signaling-errors. Code `signaling-refused`.
 *
 * @example
 * ```ts
 * if (error instanceof SignalingRefused) console.log(error.reason);   // "already-active", for example
 * ```
 */
export class SignalingRefused extends RequestError {
  override readonly name = "SignalingRefused";

  constructor(
    message: string,
    /** Meaning of the receiver's text. */
    readonly reason: SignalingRefusal,
    failure: RequestFailure,
  ) {
    super(message, failure, "signaling-refused");
  }
}

/** State of each prefix after {@link SignalingIncomplete}. Each prefix is in exactly one of the four lists. */
export interface SignalingTruth {
  /** Active now and not before. Empty after a stop. */
  readonly started: readonly Prefix[];
  /** Not active now and active before. Empty after a start. */
  readonly stopped: readonly Prefix[];
  /** In the desired state from the beginning. */
  readonly already: readonly Prefix[];
  /** Not in the desired state; if {@link verified} is false, not known to be. */
  readonly missing: readonly Prefix[];
  /** False if the receiver answered no further status; the lists then hold its last answer. */
  readonly verified: boolean;
}

/**
 * `ensureActive` or `ensureInactive` sent something and did not reach the desired state for every prefix. With any other
 * error of these two, nothing was sent. Code `signaling-incomplete`.
 *
 * @example
 * ```ts
 * try {
 *   await client.ensureActive(prefixes);
 * } catch (error) {
 *   if (error instanceof SignalingIncomplete) console.log(`not active: ${error.missing.join(", ")}`);
 * }
 * ```
 */
export class SignalingIncomplete extends RequestError implements SignalingTruth {
  override readonly name = "SignalingIncomplete";
  readonly started: readonly Prefix[];
  readonly stopped: readonly Prefix[];
  readonly already: readonly Prefix[];
  readonly missing: readonly Prefix[];
  readonly verified: boolean;

  constructor(
    message: string,
    truth: SignalingTruth,
    failure: RequestFailure,
    /** The receiver's reason, if it gave one. */
    readonly reason?: SignalingRefusal,
  ) {
    super(message, failure, "signaling-incomplete");
    this.started = truth.started;
    this.stopped = truth.stopped;
    this.already = truth.already;
    this.missing = truth.missing;
    this.verified = truth.verified;
  }
}

/** Statuses of refusals that do not depend on the entries: smaller requests would get the same. */
const ABOUT_THE_CALLER: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 401, 403, 405, 407, 501, 505, 507]);

/** True if the node refused what was sent, which smaller requests can narrow down to single entries. */
export function isRefusal(error: unknown): error is RequestError {
  return error instanceof RequestError && error.outcome === "refused" && !ABOUT_THE_CALLER.has(error.status ?? 0);
}

/** True if no answer came at all: no connection, or no answer in time. */
export function isUnreachable(error: unknown): error is RequestError {
  if (!(error instanceof RequestError) || error.status !== undefined) return false;
  return error.code === "request-not-sent" || error.code === "request-unknown";
}

/** True if the other side was busy up to the last try. A conflict that does not pass is a refusal instead. */
export function isBusy(error: unknown): error is RequestError {
  if (!(error instanceof RequestError)) return false;
  const { status, outcome } = error;
  return status === 429 || status === 503 || (status === 409 && outcome !== "refused");
}
