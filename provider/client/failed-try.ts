import { codeOf } from "../model/errors";
import { visible } from "../model/foreign-text";
import type { Failed } from "./answer-readers";
import { type Outcome, RequestError, type RequestFailure, SignalingRefused, UnexpectedResponse } from "./errors";
import type { HttpFailure } from "./http";
import { DEFAULTS } from "./options";
import { formatDuration } from "./pauses";
import { NOT_QUOTED, type Redactor } from "./redact";

/** One failed try. Unredacted. */
export interface FailedTry extends Omit<Failed, "kind"> {
  readonly kind: Failed["kind"] | "cancelled";
  readonly status?: number;
  /** Text in place of a missing status. */
  readonly label?: string;
  readonly cause?: unknown;
  /** Milliseconds that `Retry-After` asks for. */
  readonly asked?: number;
  /** The deadline ended it: the answer to an earlier try, if any, is the better message. */
  readonly isLate?: boolean;
}

/** Ended by the caller before anything was sent. */
export const CANCELLED: FailedTry = {
  kind: "cancelled",
  outcome: "not-sent",
  message: "cancelled by the caller",
  repeat: false,
};

/** No time was left to send anything. */
export const TOO_LATE: FailedTry = {
  kind: "failed",
  outcome: "not-sent",
  label: "time-out",
  message: "the deadline is reached",
  repeat: false,
  isLate: true,
};

/**
 * Outcome of a request without a whole answer.
 *
 * @param left Milliseconds to the deadline; with none left, the deadline caused the time-out.
 */
export function readTransportFailure(
  failure: HttpFailure,
  left: number,
  limits: { readonly timeoutMs: number; readonly maxAnswerBytes?: number; readonly neverAnswered: boolean },
): FailedTry {
  const outcome: Outcome = failure.sent ? "unknown" : "not-sent";
  const base = { outcome, ...(failure.status !== undefined && { status: failure.status }) };
  switch (failure.kind) {
    case "cancelled":
      return { ...CANCELLED, ...base };
    case "timeout": {
      if (left <= 0) return { ...TOO_LATE, ...base };
      const within = `within ${formatDuration(limits.timeoutMs)}`;
      const message =
        failure.status === undefined
          ? `no answer ${within}`
          : `the answer did not end ${within}, which \`timeoutMs\` allows`;
      return { ...base, kind: "failed", label: "time-out", message, repeat: true };
    }
    case "too-large": {
      const message = tooLarge(limits.maxAnswerBytes);
      return { ...base, kind: "unexpected", message, repeat: false };
    }
    case "connection": {
      const label = failure.sent ? "connection lost" : "no connection";
      const scheme = schemeProblem(failure.cause, limits.neverAnswered && failure.status === undefined);
      if (scheme) return { ...base, kind: "failed", label, cause: failure.cause, ...scheme };
      const reason = failure.cause instanceof Error ? failure.cause.message : "";
      const message = reason || (codeOf(failure.cause) ?? "no reason given");
      return { ...base, kind: "failed", label, message, cause: failure.cause, repeat: true };
    }
  }
}

/** Message for an answer above the size limit; names the setting if it was set. */
export function tooLarge(maxAnswerBytes: number | undefined): string {
  if (maxAnswerBytes === undefined) return `the answer is larger than ${DEFAULTS.maxAnswerBytes} bytes`;
  return `the answer is larger than ${maxAnswerBytes} bytes, which \`maxAnswerBytes\` allows`;
}

const PLAIN_PORT: ReadonlySet<string> = new Set(["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG"]);

/**
 * Message for a url that likely has the wrong scheme. With https at a plain port, the error code is certain. With http at
 * a TLS port, the server closes the connection at the first request or answers in bytes that are not HTTP.
 */
function schemeProblem(cause: unknown, neverAnswered: boolean): Pick<FailedTry, "message" | "repeat"> | undefined {
  const code = codeOf(cause) ?? "";
  if (PLAIN_PORT.has(code)) {
    const message = "this port does not speak https: write http:// in the url, or the port that speaks https";
    return { message, repeat: false };
  }
  const isClosed = neverAnswered && cause instanceof Error && cause.message === "other side closed";
  if (!isClosed && !code.startsWith("HPE_INVALID_")) return undefined;
  const what = isClosed ? "the other side closed the connection without an answer" : "the answer is not HTTP";
  return { message: `${what}: if this port speaks https, write https:// in the url`, repeat: true };
}

/** All tries of an operation together. */
export interface Tries {
  readonly outcome: Outcome;
  readonly tries: number;
  /** True if an earlier try may have had its effect. */
  readonly isDoubtful: boolean;
  readonly elapsedMs: number;
  /** A sentence: why no further try was made, unless that is obvious. */
  readonly stopped?: string;
}

/** True if messages must not quote the other side. Called at the failure, since prefixes may become secret late. */
export type Withholds = () => boolean;

/** Text in place of a withheld answer. */
export const WITHHELD = "the answer is withheld, since it may name prefixes that are secret";

/** Subject of a request and its receiver, for messages. */
export interface Subject {
  /** Beginning of a message: `Set prefixset://edge/blocked`. */
  readonly subject: string;
  readonly object: string;
  readonly operation: string;
  /** A sentence: what to do when the outcome stays unknown. */
  readonly remedy?: string;
  /** Default: messages quote the other side. */
  readonly withholds?: Withholds;
  /** Position within an operation of many entries. */
  readonly progress?: { readonly acknowledged: number; readonly attempted: number; readonly total: number };
}

/** The error to throw. Its texts are redacted and hold no control characters. */
export function requestError(
  call: Subject,
  last: FailedTry,
  made: Tries,
  peer: { readonly endpoint: string; readonly label: string; readonly redactor: Redactor },
): RequestError {
  const { acknowledged, attempted, total } = call.progress ?? {};
  const { outcome, tries, isDoubtful } = made;
  const redacted = (text: string) => visible(peer.redactor.text(text));
  const remedy = remedyOf(last, peer.redactor) ?? (outcome === "unknown" ? call.remedy : undefined);
  const sentences = [
    `${call.subject} on ${peer.label}: ${call.operation} failed${factsOf(last, made)}${detailOf(last, peer.redactor)}`,
    made.stopped,
    attempted === total ? undefined : `${acknowledged} of ${total} entries were acknowledged before.`,
    remedy,
  ];
  const message = redacted(sentences.filter((part) => part !== undefined).join(" "));
  const failure: RequestFailure = {
    outcome,
    status: last.status,
    endpoint: peer.endpoint,
    object: call.object,
    operation: call.operation,
    tries,
    isDoubtful,
    acknowledged,
    attempted,
    ...(remedy !== undefined && { remedy: redacted(remedy) }),
    ...(last.cause !== undefined && { cause: peer.redactor.error(last.cause) }),
  };
  if (last.kind === "unexpected") return new UnexpectedResponse(message, failure);
  if (last.reason !== undefined) return new SignalingRefused(message, last.reason, failure);
  return new RequestError(message, failure, last.kind === "cancelled" ? "request-cancelled" : undefined);
}

function factsOf(last: FailedTry, { tries, elapsedMs }: Tries): string {
  const how = last.label ?? (last.status === undefined ? undefined : `HTTP ${last.status}`);
  const spent = tries > 1 ? `${tries} tries in ${formatDuration(elapsedMs)}` : undefined;
  const facts = [how, spent].filter((fact) => fact !== undefined);
  return facts.length > 0 ? ` (${facts.join(", ")})` : "";
}

/** The remedy of an answer, which may name members of it. */
function remedyOf({ remedy }: FailedTry, redactor: Redactor): string | undefined {
  const shown = remedy === undefined ? undefined : redactor.foreign(remedy);
  return shown === NOT_QUOTED ? undefined : shown;
}

function detailOf(last: FailedTry, redactor: Redactor): string {
  const detail = redactor.sanitize(last.message);
  return detail === "" ? "." : `: ${detail}${/[.!?…]$/.test(detail) ? "" : "."}`;
}
